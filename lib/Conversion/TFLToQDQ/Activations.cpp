// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.relu and its kin, and tfl.leaky_relu.

#include "../ForeignOps/TensorOps.h"
#include "Elementwise.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The codes of the result's scale between the codes of two reals.
LogicalResult mlir::qdq::translateRelu(const ForeignOp &op, const Stamp &stamp,
                                       const Unary &n) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  auto [lowest, highest] = StringSwitch<std::pair<float, float>>(op.getName())
                               .Case("tfl.relu", {0, kInfinity})
                               .Case("tfl.relu6", {0, 6})
                               .Case("tfl.relu_0_to_1", {0, 1})
                               .Default({-1, 1}); // tfl.relu_n1_to_1
  std::pair bounds(
      std::max(n.result.lo, quantizeBound(stamp, lowest, n.result)),
      std::min(n.result.hi, quantizeBound(stamp, highest, n.result)));
  if (bounds.first > bounds.second)
    return op.refuse("leaves no code of the result");
  SumRescaling rescaling{getOwnRescale(stamp, Rescale::Fixed31Double),
                         {getRealMultiplier(n.input.getScale(), APFloat(1.0f),
                                            n.result.getScale())}};
  if (failed(checkRescaling(op, rescaling)))
    return failure();
  return replaceWithStorage(op, createRequantize(op, stamp,
                                                 subtractZeroPoint(op, n.input),
                                                 n.result, rescaling, bounds));
}

//===----------------------------------------------------------------------===//
// tfl.leaky_relu
//===----------------------------------------------------------------------===//

/// As floats, where a quantizer leaves it between casts.
static LogicalResult translateRealLeakyRelu(const ForeignOp &op, float alpha) {
  Value input = op.getOperation()->getOperand(0);
  auto type = dyn_cast<RankedTensorType>(input.getType());
  auto result =
      dyn_cast<RankedTensorType>(op.getOperation()->getResult(0).getType());
  if (!type || !result || !type.getElementType().isF32() ||
      !result.getElementType().isF32() ||
      failed(verifyCompatibleShape(type, result)))
    return op.refuse("has the input ", input.getType(),
                     ": expected codes, or a ranked tensor of f32");
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  return op.replace(mapElements(b, {input}, b.getF32Type(), [&](Scalar x) {
    Scalar isPositive = x > 0;
    return select(isPositive, x, x * alpha);
  }));
}

/// The multiplier of positive, or of negative differences. XNNPACK's have 8
/// binary places.
static std::optional<FixedMultiplier> getLeakyMultiplier(float ratio,
                                                         bool isXNNPACK) {
  if (isXNNPACK)
    return FixedMultiplier{std::llrint(256.0f * ratio), 8};
  auto fixed = getFixedMultiplier(Rescale::Fixed31Double, std::fabs(ratio));
  if (fixed && ratio < 0)
    fixed->multiplier = -fixed->multiplier;
  return fixed;
}

LogicalResult mlir::qdq::translateLeakyRelu(const ForeignOp &op,
                                            const Stamp &stamp) {
  FailureOr<float> alpha = op.getFloat("alpha", 0.0f);
  if (failed(alpha))
    return failure();
  if (!isQuantized(op.getOperation()->getOperand(0).getType()))
    return translateRealLeakyRelu(op, *alpha);
  FailureOr<Unary> n = readUnary(op);
  if (failed(n))
    return failure();
  // The kernels compute both in f32.
  float input = n->input.getFloatScale();
  float result = n->result.getFloatScale();
  float ratio = input / result, negative = input * *alpha / result;
  bool isXNNPACK = stamp.getProfile() == Profile::XNNPACK &&
                   n->input.getStorage().isInteger(8) && ratio >= 1.0f / 256 &&
                   ratio <= 128 && std::fabs(ratio * *alpha) >= 1.0f / 256 &&
                   std::fabs(ratio * *alpha) <= 127.99f;
  if (isXNNPACK)
    negative = ratio * *alpha;
  auto up = getLeakyMultiplier(ratio, isXNNPACK);
  auto down = getLeakyMultiplier(negative, isXNNPACK);
  if (!up || !down || up->shift < 0 || down->shift < 0)
    return op.refuse("has scales whose multipliers are ", ratio, " and ",
                     negative,
                     ", which the integer arithmetic of its kernel does not "
                     "hold");

  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Type i32 = b.getI32Type();
  Value differences = subtractZeroPoint(op, n->input);
  Rescale rescale = isXNNPACK ? Rescale::Fixed31Single : Rescale::Fixed31Double;
  auto rescalePart = [&](bool isPositive) {
    Value part = mapElements(b, {differences}, i32, [&](Scalar x) {
      return isPositive ? max(x, 0) : min(x, 0);
    });
    return createRescaled(op, stamp, part,
                          {rescale, {}, {}, {isPositive ? *up : *down}});
  };
  // One of the parts is 0. The sum is in units of the result.
  Value positive = rescalePart(true), other = rescalePart(false);
  Value sum = mapElements(b, {positive, other}, i32,
                          [](Scalar x, Scalar y) { return x + y; });
  SumRescaling one{Rescale::Fixed31Single, {}, {}, {{1, 0}}};
  return replaceWithStorage(op, createRequantize(op, stamp, sum, n->result, one,
                                                 {n->result.lo, n->result.hi}));
}
