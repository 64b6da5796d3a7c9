// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a body that one of them is computed of.

#ifndef QDQ_LIB_CODEGEN_ANALYSIS_BODYSLICE_H
#define QDQ_LIB_CODEGEN_ANALYSIS_BODYSLICE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::qdq {

/// `v`, and all that the body of `op` computes it of, the nearest first. The
/// operands of `known` are left out.
SetVector<Value> getBodySlice(linalg::GenericOp op, Value v, Value known = {});

/// The operand that a value of the body is an element of, or null.
OpOperand *getOperandOf(linalg::GenericOp op, Value v);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_ANALYSIS_BODYSLICE_H
