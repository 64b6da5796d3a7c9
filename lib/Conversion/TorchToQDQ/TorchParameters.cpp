// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PyTorch's formulas for parameters. Recorded from it
// (tools/record-vectors/torch_operators.py).

#include "TorchParameters.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

Scalar mlir::qdq::emitTorchScale(const TorchParameterRule &rule, Scalar lo,
                                 Scalar hi) {
  double steps = static_cast<double>(rule.high - rule.low);
  Scalar eps = lo.constant(static_cast<float>(rule.eps));
  auto getMagnitude = [&] { return max(-lo, hi); };
  switch (rule.range) {
  case TorchRange::Affine:
  case TorchRange::AffinePerToken:
    return max((hi - lo) / steps, eps);
  case TorchRange::Symmetric:
    return max(getMagnitude() / (steps / 2), eps);
  case TorchRange::SymmetricNoClipping: {
    Scalar below = lo / rule.low, above = hi / rule.high;
    return max(max(below, above), eps);
  }
  case TorchRange::SymmetricPerToken:
    return max(getMagnitude(), eps) / rule.high;
  }
  llvm_unreachable("unknown range");
}

Scalar mlir::qdq::emitTorchZeroPoint(const TorchParameterRule &rule, Scalar lo,
                                     Scalar hi) {
  bool isPerToken = rule.range == TorchRange::AffinePerToken;
  if (!isPerToken && rule.range != TorchRange::Affine)
    return lo.constant(rule.zeroPoint);
  Scalar scale = emitTorchScale(rule, lo, hi);
  Scalar low = lo.constant(rule.low), high = lo.constant(rule.high);
  Scalar zeroPoint = lo / scale;
  if (isPerToken) {
    Scalar top = hi / scale, error = (low + zeroPoint) + (high + top);
    zeroPoint = select(error > 0, low - zeroPoint, high - top);
  } else {
    zeroPoint = low - zeroPoint.apply<math::RoundEvenOp>();
  }
  // Two comparisons bound a NaN, too.
  zeroPoint = select(zeroPoint > low, zeroPoint, low);
  zeroPoint = select(zeroPoint < high, zeroPoint, high);
  return isPerToken ? zeroPoint.apply<math::RoundEvenOp>() : zeroPoint;
}
