// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of results, derived from the shapes of operands, for all qdq ops.

#ifndef QDQ_LIB_IR_OPSHAPES_H
#define QDQ_LIB_IR_OPSHAPES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::qdq {

Speculation::Speculatability speculatableIf(bool shapesAgree);

/// True if a value of the shape `expected` has the static sizes that `type`
/// promises, whatever its dynamic sizes are. The static sizes are known to
/// agree. Types that are not ranked tensors promise nothing.
bool isImpliedShape(ArrayRef<int64_t> expected, Type type);

/// `sizes` as a reified shape of `type`: an attribute for each static
/// dimension, a value for each dynamic one.
SmallVector<OpFoldResult> toSizesOf(Type type, OpBuilder &b, Location loc,
                                    ArrayRef<OpFoldResult> sizes);

/// The shape of a result that has that of the input; fails without a rank.
template <typename OpTy>
LogicalResult reifyInputShape(OpTy op, OpBuilder &b,
                              ReifiedRankedShapedTypeDims &shapes) {
  if (!isa<RankedTensorType>(op.getResult().getType()))
    return failure();
  Location loc = op.getLoc();
  shapes.push_back(toSizesOf(op.getResult().getType(), b, loc,
                             tensor::getMixedSizes(b, loc, op.getInput())));
  return success();
}

} // namespace mlir::qdq

#endif // QDQ_LIB_IR_OPSHAPES_H
