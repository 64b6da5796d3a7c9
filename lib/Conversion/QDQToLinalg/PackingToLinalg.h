// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.unpack and qdq.pack to one linalg.generic each.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_PACKINGTOLINALG_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_PACKINGTOLINALG_H

#include "Lowerings.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

// PackingToLinalg.cpp

/// The replacement of an op's result, without sign, with all static sizes that
/// are known.
Value lowerUnpack(ImplicitLocOpBuilder &b, UnpackOp op,
                  const QDQToLinalgOptions &options);
Value lowerPack(ImplicitLocOpBuilder &b, PackOp op,
                const QDQToLinalgOptions &options);

/// True for a tensor of nothing. No slice is one of it: each begins at its end,
/// which MLIR takes for out of bounds.
inline bool hasNoElement(ArrayRef<OpFoldResult> sizes) {
  return llvm::any_of(sizes, isZeroInteger);
}

// PackedContainers.cpp

/// The layout that packs tensors of this type as `layout` does, but along an
/// axis: along the last one, where its elements fill whole containers, and else
/// along the only axis of the flattened tensor (nothing).
std::optional<BitLayout> packAlongLastAxis(const BitLayout &layout,
                                           RankedTensorType type);

/// The sizes of what `op` unpacks.
SmallVector<OpFoldResult> getElementSizes(ImplicitLocOpBuilder &b, UnpackOp op);

/// A tensor of any rank as rank 1, row-major.
Value flatten(ImplicitLocOpBuilder &b, Value value);

/// A rank 1 tensor in this shape; `sizes` are those of the static shape, or
/// dynamic.
Value unflatten(ImplicitLocOpBuilder &b, Value flat,
                ArrayRef<OpFoldResult> sizes);

/// The containers of elements of these sizes, in a shape with the axis of
/// `packAlongLastAxis`.
Value unflattenContainers(ImplicitLocOpBuilder &b, const BitLayout &layout,
                          Value containers, ArrayRef<OpFoldResult> sizes);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_PACKINGTOLINALG_H
