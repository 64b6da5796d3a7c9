// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes that are broadcast as NumPy does it, open sizes included.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_BROADCAST_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_BROADCAST_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The shape that NumPy gives two shapes together, the sizes that stay open
/// included. Fails where two static sizes do not fit.
FailureOr<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> lhs,
                                                ArrayRef<int64_t> rhs);

/// The size of a dimension of `own` elements beside one of `other`: `own`, or
/// `other` where `own` is 1. Upstream's bounds of values would compare the
/// cases of a select, and those of the selects before it, exponentially often.
Value chooseSize(ImplicitLocOpBuilder &b, Value own, Value other);

/// `tensor`, whose dimension `dim` has `size` elements, or one that is
/// repeated.
Value repeatIfSingle(ImplicitLocOpBuilder &b, Value tensor, int64_t dim,
                     OpFoldResult size);

/// Repeats the elements of two tensors along the dimensions whose size may or
/// may not be 1, as only the values tell, where the other tensor has more. A
/// dimension that a type says to be 1 stays. The last `numOwn` dimensions are
/// no part of this. Afterwards two sizes that meet are the same, or one of them
/// is a static 1. Returns the sizes of the dimensions that were in doubt, from
/// the last one back; null for the others.
SmallVector<OpFoldResult> repeatOpenSizes(ImplicitLocOpBuilder &b, Value &lhs,
                                          Value &rhs, int64_t numOwn = 0);

/// A tensor without the dimensions that are repeated in a result of `shape`,
/// and the map from the result's dimensions to its elements.
struct BroadcastOperand {
  Value tensor;
  AffineMap map;
};

/// After `repeatOpenSizes`.
BroadcastOperand dropRepeatedDims(ImplicitLocOpBuilder &b, Value tensor,
                                  ArrayRef<int64_t> shape);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_BROADCAST_H
