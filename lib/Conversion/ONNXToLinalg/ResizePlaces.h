// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize of sizes that are known at run time: the places in the input are
// tensors that are computed, not constants.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_RESIZEPLACES_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_RESIZEPLACES_H

#include "../ForeignOps/ForeignOp.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The attributes of Resize.
struct ResizeMode {
  StringRef coordinates, nearest;
  bool isLinear, isCubic;
  /// Of cubic interpolation: the coefficient, and that neighbors outside of the
  /// input have no weight.
  float coefficient;
  bool excludesOutside;
};

/// One dimension that is resized. `size`, `newSize` and `scale` are f32;
/// `count` is the new size, `last` an i64, the last place of the input.
struct OpenAxis {
  int64_t dim;
  OpFoldResult count;
  Value size, newSize, scale, last;
  /// An i1, true where the dimension has no elements; null where it has some.
  Value isEmpty;

  explicit operator bool() const { return bool(scale); }
};

/// The elements of the input that belong to the places of the result: tensors
/// [count] of i64. The weights are f32 of this shape; nearest elements have
/// none.
struct OpenNeighbors {
  SmallVector<Value> places, weights;
};

/// The scales at an operand [n] that is no constant, as f32. Refuses other
/// types, and an open n.
FailureOr<SmallVector<OpFoldResult>> readOpenScales(const ForeignOp &node,
                                                    unsigned index);

/// An axis of `size` elements that becomes `newSize`, or `scale` times as long;
/// one of the two is null. Sizes below zero are zero.
OpenAxis createOpenAxis(const ForeignOp &node, int64_t dim, OpFoldResult size,
                        OpFoldResult newSize, OpFoldResult scale);

OpenNeighbors findOpenNeighbors(ImplicitLocOpBuilder &b, const OpenAxis &axis,
                                const ResizeMode &mode);

/// The elements of a tensor at places along the axis.
Value takeOpen(ImplicitLocOpBuilder &b, Value tensor, const OpenAxis &axis,
               Value places);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_RESIZEPLACES_H
