// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One op of a body, on vectors of lanes.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_LANEOPS_H
#define QDQ_LIB_CODEGEN_VECTORIZE_LANEOPS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The entries of a constant table that `op` reads at a code of as many values;
/// null for another `op`. Its index is an `arith.index_castui`.
DenseElementsAttr getTableAtCode(tensor::ExtractOp op);

/// True for the index of such entries alone: on lanes, the code.
bool isTableIndex(Operation &op);

/// True for the ops that `createOnLanes` knows, and for those that need no
/// lanes: constants, `linalg.index`, `linalg.yield`.
bool isSupportedOnLanes(Operation &op);

/// `op` on vectors of as many lanes. The operand of a `tensor.extract` is its
/// index.
Value createOnLanes(ImplicitLocOpBuilder &b, Operation *op,
                    ArrayRef<Value> operands);

/// Bytes whose bits from `bits` on are zero, or the sign.
Value extendBits(ImplicitLocOpBuilder &b, Value bytes, unsigned bits,
                 bool isSigned);

/// True if the op of `operand` reads it as signed.
bool isReadAsSigned(OpOperand &operand);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_LANEOPS_H
