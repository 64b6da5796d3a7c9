// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The range of the values of each group, as choose_params takes it.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_RANGEREDUCTION_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_RANGEREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// Ranges before any value: zero, which every range holds.
Value createEmptyRanges(OpBuilder &b, Location loc,
                        ArrayRef<OpFoldResult> sizes, Type element);

/// Takes the elements of `input` into the ranges from `low` to `high`, at
/// `toRange` of the loops, which are the dimensions of `input`. NaN elements
/// lose every comparison. In which order elements are taken is of no effect.
linalg::GenericOp createRangeReduction(ImplicitLocOpBuilder &b, Value input,
                                       Value low, Value high,
                                       AffineMap toRange);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_RANGEREDUCTION_H
