// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.requantize on scalars and vectors to arith and math ops of the same
// shape.

#include "../EncodeElement.h"
#include "Lowerings.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/IR/ZeroPoints.h"

using namespace mlir;
using namespace mlir::qdq;

LogicalResult mlir::qdq::lowerRequantize(RequantizeOp op,
                                         PatternRewriter &rewriter,
                                         const SemanticsOptions &options) {
  Type type = op.getInput().getType();
  if (isa<TensorType>(type))
    return rewriter.notifyMatchFailure(op, "is on a tensor");
  auto vectorType = dyn_cast<VectorType>(type);
  if (vectorType && vectorType.isScalable() &&
      !llvm::all_of(op.getParameters().getTypes(), isSingleElement))
    return rewriter.notifyMatchFailure(
        op, "has one parameter per axis or block on a scalable vector");
  Semantics semantics = op.resolveSemantics(options);
  if (failed(checkRequantize(op, semantics, rewriter)))
    return failure();

  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto prepare = [&](Value parameter) {
    return spreadParameter(b, asSignless(b, b.getLoc(), parameter),
                           op.getGranularityOf(parameter), type);
  };
  RescaleOperands operands = getRescaleOperands(op, prepare);
  ZeroPoint zeroPoint;
  if (op.getZeroPoint() && !isNeutralZeroPoint(op, semantics))
    zeroPoint = {prepare(op.getZeroPoint()),
                 isSignedStorage(getElementTypeOrSelf(op.getZeroPoint()))};
  Value result = emitRequantize(
      b, semantics, op.getStorage(), operands,
      asSignless(b, b.getLoc(), op.getInput()),
      isSignedStorage(getElementTypeOrSelf(op.getInput())), zeroPoint);
  rewriter.replaceOp(
      op, castElementType(b, b.getLoc(), result, op.getResult().getType()));
  return success();
}
