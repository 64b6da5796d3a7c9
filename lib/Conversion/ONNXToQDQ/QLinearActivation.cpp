// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's QLinearLeakyRelu and QLinearSigmoid: a function of the
// dequantized value, quantized again.

#include "../ForeignOps/Functions.h"
#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "Translations.h"

using namespace mlir;
using namespace mlir::qdq;

/// Applies `body` between a dequantize of X and a quantize to Y.
static LogicalResult translateActivation(const ForeignOp &node,
                                         const Stamp &stamp,
                                         const ElementBody &body) {
  FailureOr<UnaryCodes> n = getUnaryCodes(node);
  if (failed(n))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value reals = dequantizeF32(node, stamp, n->x, n->xParameters);
  Value mapped = mapElements(b, {reals}, b.getF32Type(), body);
  return node.replace(quantizeF32(node, stamp, toForeign(mapped),
                                  n->x.type.getElementType(), n->yParameters));
}

LogicalResult mlir::qdq::translateQLinearLeakyRelu(const ForeignOp &node,
                                                   const Stamp &stamp) {
  FailureOr<float> slope = node.getFloat("alpha", 0.01f);
  if (failed(slope))
    return failure();
  return translateActivation(node, stamp, [&](Scalar x) {
    Scalar zero = x.constant(0), alpha = x.constant(*slope);
    return select(x >= zero, x, alpha * x);
  });
}

LogicalResult mlir::qdq::translateQLinearSigmoid(const ForeignOp &node,
                                                 const Stamp &stamp) {
  Functions functions(stamp.getProfile());
  return translateActivation(node, stamp, [&](Scalar x) {
    if (functions.areORT(x.getType()))
      return functions.logistic(x);
    // With one rounding that matters.
    Scalar wide = x.to(x.getBuilder().getF64Type());
    return functions.logistic(wide).to(x.getType());
  });
}
