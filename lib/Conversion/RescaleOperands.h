// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The multipliers of a qdq.requantize as the emitter takes them.

#ifndef QDQ_LIB_CONVERSION_RESCALEOPERANDS_H
#define QDQ_LIB_CONVERSION_RESCALEOPERANDS_H

#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Emitter.h"

namespace mlir::qdq {

/// The types and constants of the op, without the values themselves.
RescaleOperands getRescaleOperands(RequantizeOp op);

/// The same with the values that `prepare` gives for those of the op.
RescaleOperands getRescaleOperands(RequantizeOp op,
                                   function_ref<Value(Value)> prepare);

/// Fails, with a reason, where the op cannot be emitted under `semantics`.
LogicalResult checkRequantize(RequantizeOp op, const Semantics &semantics,
                              RewriterBase &rewriter);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_RESCALEOPERANDS_H
