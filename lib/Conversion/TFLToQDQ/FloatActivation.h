// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `fused_activation_function` of floats.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_FLOATACTIVATION_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_FLOATACTIVATION_H

#include "../ForeignOps/ForeignOp.h"

namespace mlir::qdq {

/// Refuses a function that is unknown.
LogicalResult checkActivation(const ForeignOp &op);

/// The function of a tensor of floats, where the op has one.
Value applyActivation(const ForeignOp &op, Value floats);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_FLOATACTIVATION_H
