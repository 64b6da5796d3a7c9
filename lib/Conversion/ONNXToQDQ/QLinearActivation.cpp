// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's QLinearLeakyRelu and QLinearSigmoid: a function of the
// dequantized value, quantized again.

#include "../ForeignOps/Functions.h"
#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "ORTKernels.h"
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
  FloatType f32 = b.getF32Type();
  Value reals = createDequantize(node, n->x, f32, n->xParameters,
                                 stamp({Direction::Dequantize, f32, f32}));
  Value mapped = mapElements(b, {reals}, f32, body);
  return node.replace(createQuantize(
      node, {mapped, n->x.type.clone(f32), nullptr}, n->x.type.getElementType(),
      n->yParameters, stamp({Direction::Quantize, f32, f32})));
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

/// 1 / (1 + exp(-x)), with one rounding that matters.
static Scalar emitLogistic(Scalar x) {
  Scalar wide = x.to(x.getBuilder().getF64Type());
  return Functions().logistic(wide).to(x.getType());
}

LogicalResult mlir::qdq::translateQLinearSigmoid(const ForeignOp &node,
                                                 const Stamp &stamp) {
  bool isORT = stamp.getProfile() == Profile::ORT;
  return translateActivation(node, stamp,
                             isORT ? emitORTLogistic : emitLogistic);
}
