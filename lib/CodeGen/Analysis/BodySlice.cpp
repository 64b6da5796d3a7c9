// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a body that one of them is computed of.

#include "BodySlice.h"

using namespace mlir;

SetVector<Value> mlir::qdq::getBodySlice(linalg::GenericOp op, Value v,
                                         Value known) {
  SetVector<Value> slice;
  slice.insert(v);
  for (size_t i = 0; i < slice.size(); ++i)
    if (Operation *by = slice[i].getDefiningOp();
        by && by->getBlock() == op.getBody() && slice[i] != known)
      slice.insert_range(by->getOperands());
  return slice;
}

OpOperand *mlir::qdq::getOperandOf(linalg::GenericOp op, Value v) {
  auto argument = dyn_cast<BlockArgument>(v);
  return argument && argument.getOwner() == op.getBody()
             ? op.getMatchingOpOperand(argument)
             : nullptr;
}
