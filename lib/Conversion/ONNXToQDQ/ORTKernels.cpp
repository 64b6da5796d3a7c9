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
static Value emitPolynomial(ImplicitLocOpBuilder &b, Value x,
                            ArrayRef<float> coefficients) {
  Value result = floatConstant(b, coefficients.front(), x.getType());
  for (float coefficient : coefficients.drop_front())
    result = emitFMA(b, result, x, floatConstant(b, coefficient, x.getType()));
  return result;
}

Value mlir::qdq::emitORTLogistic(ImplicitLocOpBuilder &b, Value x) {
  // Odd coefficients from 9 to 1, even ones from 10 to 0.
  static constexpr float kOdd[] = {4.37031012579801e-11f, 1.15627324459942e-07f,
                                   6.08574864600143e-05f, 8.51377133304701e-03f,
                                   2.48287947061529e-01f};
  static constexpr float kEven[] = {
      6.10247389755681e-13f, 5.76102136993427e-09f, 6.29106785017040e-06f,
      1.70198817374094e-03f, 1.16817656904453e-01f, 9.93151921023180e-01f};
  Value low = floatConstant(b, -18.0, x.getType());
  Value high = floatConstant(b, 18.0, x.getType());
  Value bounded =
      arith::MinimumFOp::create(b, arith::MaximumFOp::create(b, x, low), high);
  Value square = arith::MulFOp::create(b, bounded, bounded);
  Value numerator =
      arith::MulFOp::create(b, emitPolynomial(b, square, kOdd), bounded);
  Value quotient =
      arith::DivFOp::create(b, numerator, emitPolynomial(b, square, kEven));
  Value sum =
      arith::AddFOp::create(b, quotient, floatConstant(b, 0.5, x.getType()));
  // At -18 the sum is below zero.
  return arith::MaximumFOp::create(b, sum, floatConstant(b, 0.0, x.getType()));
}

Value mlir::qdq::emitORTMean(ImplicitLocOpBuilder &b, Value xScale,
                             Value yScale, Value count) {
  return arith::DivFOp::create(b, xScale,
                               arith::MulFOp::create(b, yScale, count));
}
