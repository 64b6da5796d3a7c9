// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of the largest or smallest elements.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_SELECTIONS_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_SELECTIONS_H

#include "../ForeignOps/Scalar.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The index along `axis`, of the integer type `index`, of the last element
/// that is better than the best one before it, starting from the first one: a
/// NaN there stays. 0 where there are no elements. The result lacks the axis.
Value findBest(ImplicitLocOpBuilder &b, Value tensor, int64_t axis, Type index,
               function_ref<Value(Scalar element, Scalar best)> isBetter);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_SELECTIONS_H
