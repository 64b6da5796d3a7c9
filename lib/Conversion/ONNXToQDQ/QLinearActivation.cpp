// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's QLinearLeakyRelu and QLinearSigmoid: a function of the
// dequantized value, quantized again.

#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "ORTKernels.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

/// Applies `body` between a dequantize of X and a quantize to Y.
static LogicalResult
translateActivation(const ForeignOp &node, const Stamp &stamp,
                    function_ref<Value(ImplicitLocOpBuilder &, Value)> body) {
  FailureOr<UnaryCodes> n = getUnaryCodes(node);
  if (failed(n))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  FloatType f32 = b.getF32Type();
  Value reals = createDequantize(node, n->x, f32, n->xParameters,
                                 stamp({Direction::Dequantize, f32, f32}));
  Value mapped = mapElements(
      b, {reals}, f32, [&](ImplicitLocOpBuilder &inner, ValueRange elements) {
        return body(inner, elements[0]);
      });
  node.replace(createQuantize(node, {mapped, n->x.type.clone(f32), nullptr},
                              n->x.type.getElementType(), n->yParameters,
                              stamp({Direction::Quantize, f32, f32})));
  return success();
}

LogicalResult mlir::qdq::translateQLinearLeakyRelu(const ForeignOp &node,
                                                   const Stamp &stamp) {
  FailureOr<float> slope = node.getFloat("alpha", 0.01f);
  if (failed(slope))
    return failure();
  return translateActivation(
      node, stamp, [&](ImplicitLocOpBuilder &b, Value x) -> Value {
        Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
        Value alpha = arith::ConstantOp::create(b, b.getF32FloatAttr(*slope));
        Value isPositive =
            arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, x, zero);
        return arith::SelectOp::create(b, isPositive, x,
                                       arith::MulFOp::create(b, alpha, x));
      });
}

/// 1 / (1 + exp(-x)), with one rounding that matters.
static Value emitLogistic(ImplicitLocOpBuilder &b, Value x) {
  Value one = arith::ConstantOp::create(b, b.getF64FloatAttr(1.0));
  Value wide = arith::ExtFOp::create(b, b.getF64Type(), x);
  Value power = math::ExpOp::create(b, arith::NegFOp::create(b, wide));
  Value sum = arith::AddFOp::create(b, one, power);
  return arith::TruncFOp::create(b, b.getF32Type(),
                                 arith::DivFOp::create(b, one, sum));
}

LogicalResult mlir::qdq::translateQLinearSigmoid(const ForeignOp &node,
                                                 const Stamp &stamp) {
  bool isORT = stamp.getProfile() == Profile::ORT;
  return translateActivation(node, stamp,
                             isORT ? emitORTLogistic : emitLogistic);
}
