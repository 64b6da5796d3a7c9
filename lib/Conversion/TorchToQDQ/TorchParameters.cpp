// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PyTorch's formulas for parameters. Recorded from it
// (tools/record-vectors/torch_operators.py).

#include "TorchParameters.h"
#include "../../Numerics/RealOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

static Value constant(ImplicitLocOpBuilder &b, double value) {
  return arith::ConstantOp::create(
      b, b.getF32FloatAttr(static_cast<float>(value)));
}

Value mlir::qdq::emitTorchScale(ImplicitLocOpBuilder &b,
                                const TorchParameterRule &rule, Value lo,
                                Value hi) {
  double steps = static_cast<double>(rule.high - rule.low);
  Value eps = constant(b, rule.eps);
  auto bound = [&](Value scale) {
    return arith::MaximumFOp::create(b, scale, eps);
  };
  auto divide = [&](Value range, double by) {
    return arith::DivFOp::create(b, range, constant(b, by));
  };
  auto getMagnitude = [&] {
    return arith::MaximumFOp::create(b, arith::NegFOp::create(b, lo), hi);
  };
  switch (rule.range) {
  case TorchRange::Affine:
  case TorchRange::AffinePerToken:
    return bound(divide(arith::SubFOp::create(b, hi, lo), steps));
  case TorchRange::Symmetric:
    return bound(divide(getMagnitude(), steps / 2));
  case TorchRange::SymmetricNoClipping: {
    Value below = divide(lo, static_cast<double>(rule.low));
    Value above = divide(hi, static_cast<double>(rule.high));
    return bound(arith::MaximumFOp::create(b, below, above));
  }
  case TorchRange::SymmetricPerToken:
    return divide(bound(getMagnitude()), static_cast<double>(rule.high));
  }
  llvm_unreachable("unknown range");
}

Value mlir::qdq::emitTorchZeroPoint(ImplicitLocOpBuilder &b,
                                    const TorchParameterRule &rule, Value lo,
                                    Value hi) {
  bool isPerToken = rule.range == TorchRange::AffinePerToken;
  if (!isPerToken && rule.range != TorchRange::Affine)
    return constant(b, static_cast<double>(rule.zeroPoint));
  Value scale = emitTorchScale(b, rule, lo, hi);
  Value low = constant(b, static_cast<double>(rule.low));
  Value high = constant(b, static_cast<double>(rule.high));
  Value zeroPoint = arith::DivFOp::create(b, lo, scale);
  if (isPerToken) {
    Value top = arith::DivFOp::create(b, hi, scale);
    Value error =
        arith::AddFOp::create(b, arith::AddFOp::create(b, low, zeroPoint),
                              arith::AddFOp::create(b, high, top));
    Value fromLow = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, error,
                                          constant(b, 0.0));
    zeroPoint = arith::SelectOp::create(
        b, fromLow, arith::SubFOp::create(b, low, zeroPoint),
        arith::SubFOp::create(b, high, top));
  } else {
    zeroPoint =
        arith::SubFOp::create(b, low, math::RoundEvenOp::create(b, zeroPoint));
  }
  // Two comparisons bound a NaN, too.
  Value isAbove =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, zeroPoint, low);
  zeroPoint = arith::SelectOp::create(b, isAbove, zeroPoint, low);
  Value isBelow =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, zeroPoint, high);
  zeroPoint = arith::SelectOp::create(b, isBelow, zeroPoint, high);
  return isPerToken ? math::RoundEvenOp::create(b, zeroPoint) : zeroPoint;
}
