// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ that MLIR 22.1 and MLIR 23.1 spell differently. No other file asks
// for the version: docs/Embedding.md.

#ifndef QDQ_SUPPORT_MLIRVERSION_H
#define QDQ_SUPPORT_MLIRVERSION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Config/llvm-config.h"

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

#endif // QDQ_SUPPORT_MLIRVERSION_H
