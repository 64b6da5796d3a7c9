// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zero points that change nothing.

#ifndef QDQ_IR_ZEROPOINTS_H
#define QDQ_IR_ZEROPOINTS_H

#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// True if the zero point is a constant of all zeros, and leaving it out
/// changes no bit of any result.
bool isNeutralZeroPoint(QuantizeOp op, const Semantics &semantics);
bool isNeutralZeroPoint(DequantizeOp op, const Semantics &semantics);
bool isNeutralZeroPoint(RequantizeOp op, const Semantics &semantics);

} // namespace mlir::qdq

#endif // QDQ_IR_ZEROPOINTS_H
