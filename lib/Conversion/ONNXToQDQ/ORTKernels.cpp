// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's element-wise formulas. Recorded on x86 with FMA; its tests run
// the package itself (test/python/test_sources_microsoft.py).

#include "ORTKernels.h"
#include "../../Numerics/RealOps.h"

using namespace mlir;
using namespace mlir::qdq;

ORTSum mlir::qdq::emitORTSum(ImplicitLocOpBuilder &b, ORTScale a,
                             ORTScale bScale, ORTScale y) {
  Value aFactor = arith::DivFOp::create(b, a.scale, y.scale);
  Value bFactor = arith::DivFOp::create(b, bScale.scale, y.scale);
  Value bZero = arith::MulFOp::create(b, bFactor, bScale.zeroPoint);
  Value zeros = emitFMA(b, aFactor, a.zeroPoint, bZero);
  Value constant = arith::SubFOp::create(b, y.zeroPoint, zeros);
  return {aFactor, bFactor, constant};
}

Value mlir::qdq::emitORTSumOf(ImplicitLocOpBuilder &b, const ORTSum &sum,
                              Value aCode, Value bCode) {
  Value inner = emitFMA(b, bCode, sum.bFactor, sum.constant);
  return emitFMA(b, aCode, sum.aFactor, inner);
}

/// By Horner's rule, the highest coefficient first.
static Scalar emitPolynomial(Scalar x, ArrayRef<float> coefficients) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  Scalar result = x.constant(coefficients.front());
  for (float coefficient : coefficients.drop_front())
    result = {b, emitFMA(b, result, x, x.constant(coefficient))};
  return result;
}

Scalar mlir::qdq::emitORTLogistic(Scalar x) {
  // Odd coefficients from 9 to 1, even ones from 10 to 0.
  static constexpr float kOdd[] = {4.37031012579801e-11f, 1.15627324459942e-07f,
                                   6.08574864600143e-05f, 8.51377133304701e-03f,
                                   2.48287947061529e-01f};
  static constexpr float kEven[] = {
      6.10247389755681e-13f, 5.76102136993427e-09f, 6.29106785017040e-06f,
      1.70198817374094e-03f, 1.16817656904453e-01f, 9.93151921023180e-01f};
  Scalar low = x.constant(-18), high = x.constant(18);
  Scalar bounded = min(max(x, low), high), square = bounded * bounded;
  Scalar numerator = emitPolynomial(square, kOdd) * bounded;
  Scalar quotient = numerator / emitPolynomial(square, kEven);
  // At -18 the sum is below zero.
  return max(quotient + 0.5, 0);
}

Value mlir::qdq::emitORTMean(ImplicitLocOpBuilder &b, Value xScale,
                             Value yScale, Value count) {
  return arith::DivFOp::create(b, xScale,
                               arith::MulFOp::create(b, yScale, count));
}
