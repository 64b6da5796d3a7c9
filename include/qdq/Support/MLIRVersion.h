// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ that MLIR 22.1 and MLIR 23.1 spell differently. No other file asks
// for the version: docs/Embedding.md.

#ifndef QDQ_SUPPORT_MLIRVERSION_H
#define QDQ_SUPPORT_MLIRVERSION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Config/llvm-config.h"

/// The types `!quant.quantile` and `!tosa.block_scaled`, which MLIR 23 adds.
#define QDQ_HAS_QUANTILE_TYPE (LLVM_VERSION_MAJOR >= 23)
#define QDQ_HAS_BLOCK_SCALED_TYPE (LLVM_VERSION_MAJOR >= 23)

namespace mlir::qdq {

/// The dialects that `registry` can make.
inline auto getDialectNames(const DialectRegistry &registry) {
#if LLVM_VERSION_MAJOR >= 23
  return registry.getRegisteredDialectNames();
#else
  return registry.getDialectNames();
#endif
}

/// Whether `bytes` hold the elements of `type`, or one element for all.
inline bool isValidRawBuffer(ShapedType type, ArrayRef<char> bytes) {
#if LLVM_VERSION_MAJOR >= 23
  return DenseElementsAttr::isValidRawBuffer(type, bytes);
#else
  bool isSplat = false;
  return DenseElementsAttr::isValidRawBuffer(type, bytes, isSplat);
#endif
}

/// The name of a feature of a target, an llvm::SubtargetFeatureKV.
template <typename Feature>
StringRef getFeatureName(const Feature &feature) {
#if LLVM_VERSION_MAJOR >= 23
  return feature.key();
#else
  return feature.Key;
#endif
}

} // namespace mlir::qdq

/// Defines the methods of TilingInterface that take a hint for linalg.pack, of
/// an op that ignores it.
#if LLVM_VERSION_MAJOR >= 23
#define QDQ_DEFINE_HINTED_TILING(OpTy)                                         \
  FailureOr<TilingResult> OpTy::getTiledImplementation(                        \
      OpBuilder &b, ArrayRef<OpFoldResult> offsets,                            \
      ArrayRef<OpFoldResult> sizes, ArrayRef<InnerTileAlignment>) {            \
    return getTiledImplementation(b, offsets, sizes);                          \
  }                                                                            \
  FailureOr<TilingResult> OpTy::generateResultTileValue(                       \
      OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,           \
      ArrayRef<OpFoldResult> sizes, ArrayRef<InnerTileAlignment>) {            \
    return generateResultTileValue(b, number, offsets, sizes);                 \
  }                                                                            \
  FailureOr<TilingResult> OpTy::getTiledImplementationFromOperandTiles(        \
      OpBuilder &b, ArrayRef<unsigned> operands,                               \
      ArrayRef<SmallVector<OpFoldResult>> offsets,                             \
      ArrayRef<SmallVector<OpFoldResult>> sizes,                               \
      ArrayRef<InnerTileAlignment>) {                                          \
    return getTiledImplementationFromOperandTiles(b, operands, offsets,        \
                                                  sizes);                      \
  }                                                                            \
  LogicalResult OpTy::getIterationDomainTileFromOperandTiles(                  \
      OpBuilder &b, ArrayRef<unsigned> operands,                               \
      ArrayRef<SmallVector<OpFoldResult>> offsets,                             \
      ArrayRef<SmallVector<OpFoldResult>> sizes,                               \
      SmallVectorImpl<OpFoldResult> &loopOffsets,                              \
      SmallVectorImpl<OpFoldResult> &loopSizes,                                \
      ArrayRef<InnerTileAlignment>) {                                          \
    return getIterationDomainTileFromOperandTiles(b, operands, offsets, sizes, \
                                                  loopOffsets, loopSizes);     \
  }
#else
#define QDQ_DEFINE_HINTED_TILING(OpTy)
#endif

#endif // QDQ_SUPPORT_MLIRVERSION_H
