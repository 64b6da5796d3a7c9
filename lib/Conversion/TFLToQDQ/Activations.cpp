// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.relu and its kin, tfl.leaky_relu, and functions of reals.

#include "../ForeignOps/TensorOps.h"
#include "../ONNXToLinalg/Operators.h"
#include "Rescaling.h"
#include "Translations.h"
#include "Unary.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The codes of the result's scale between the codes of two reals.
static LogicalResult translateBounds(const ForeignOp &op, const Stamp &stamp,
                                     float lowest, float highest) {
  FailureOr<Unary> n = readUnary(op);
  if (failed(n))
    return failure();
  std::pair bounds(
      std::max(n->result.lo, quantizeBound(stamp, lowest, n->result)),
      std::min(n->result.hi, quantizeBound(stamp, highest, n->result)));
  if (bounds.first > bounds.second)
    return op.refuse("leaves no code of the result");
  SumRescaling rescaling{getOwnRescale(stamp, Rescale::Fixed31Double),
                         {getRealMultiplier(n->input.getScale(), APFloat(1.0f),
                                            n->result.getScale())}};
  if (failed(checkRescaling(op, rescaling)))
    return failure();
  replaceWithStorage(op, createRequantize(op, stamp,
                                          subtractZeroPoint(op, n->input),
                                          n->result, rescaling, bounds));
  return success();
}

LogicalResult mlir::qdq::translateRelu(const ForeignOp &op,
                                       const Stamp &stamp) {
  return translateBounds(op, stamp, 0, std::numeric_limits<float>::infinity());
}

LogicalResult mlir::qdq::translateRelu6(const ForeignOp &op,
                                        const Stamp &stamp) {
  return translateBounds(op, stamp, 0, 6);
}

LogicalResult mlir::qdq::translateReluN1To1(const ForeignOp &op,
                                            const Stamp &stamp) {
  return translateBounds(op, stamp, -1, 1);
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
  op.replace(mapElements(
      b, {input}, b.getF32Type(),
      [&](ImplicitLocOpBuilder &body, ValueRange x) -> Value {
        auto create = [&](float value) {
          return arith::ConstantOp::create(body, body.getF32FloatAttr(value));
        };
        Value isPositive = arith::CmpFOp::create(
            body, arith::CmpFPredicate::OGT, x[0], create(0.0f));
        Value scaled = arith::MulFOp::create(body, x[0], create(alpha));
        return arith::SelectOp::create(body, isPositive, x[0], scaled);
      }));
  return success();
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
  float input = n->input.getScale().convertToFloat();
  float result = n->result.getScale().convertToFloat();
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
    Value part =
        mapElements(b, {differences}, i32,
                    [&](ImplicitLocOpBuilder &body, ValueRange x) -> Value {
                      Value zero = arith::ConstantOp::create(
                          body, body.getI32IntegerAttr(0));
                      if (isPositive)
                        return arith::MaxSIOp::create(body, x[0], zero);
                      return arith::MinSIOp::create(body, x[0], zero);
                    });
    return createRescaled(op, stamp, part,
                          {rescale, {}, {}, {isPositive ? *up : *down}});
  };
  // One of the parts is 0. The sum is in units of the result.
  Value positive = rescalePart(true), other = rescalePart(false);
  Value sum =
      mapElements(b, {positive, other}, i32,
                  [](ImplicitLocOpBuilder &body, ValueRange x) -> Value {
                    return arith::AddIOp::create(body, x[0], x[1]);
                  });
  SumRescaling one{Rescale::Fixed31Single, {}, {}, {{1, 0}}};
  replaceWithStorage(op, createRequantize(op, stamp, sum, n->result, one,
                                          {n->result.lo, n->result.hi}));
  return success();
}

//===----------------------------------------------------------------------===//
// Functions of reals
//===----------------------------------------------------------------------===//

/// A function between dequantize and quantize, as the kernels of 8 bits
/// tabulate it.
static void
replaceByReals(const ForeignOp &op, const Stamp &stamp, const Unary &n,
               function_ref<Value(ImplicitLocOpBuilder &, Value)> function) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  FloatType f32 = b.getF32Type();
  Value reals =
      createDequantize(op, n.input.getTensor(op), f32, n.input.parameters,
                       stamp({Direction::Dequantize, f32, f32}));
  Value values = mapElements(b, {reals}, f32,
                             [&](ImplicitLocOpBuilder &body, ValueRange x) {
                               return function(body, x[0]);
                             });
  ForeignTensor results{values, cast<TensorType>(values.getType()), nullptr};
  SemanticsFields spelled;
  spelled.division = Division::Reciprocal;
  replaceWithStorage(
      op,
      createQuantize(op, results, n.result.getStorage(), n.result.parameters,
                     stamp({Direction::Quantize, f32, f32}, spelled),
                     /*scale=*/nullptr, getClamp(b, n.result)));
}

/// Refuses other storage than that of LiteRT's kernels of 8 and 16 bits.
static FailureOr<Unary> readFunction(const ForeignOp &op) {
  FailureOr<Unary> n = readUnary(op);
  if (failed(n))
    return failure();
  Type storage = n->input.getStorage();
  if (!storage.isInteger(8) &&
      !(storage.isInteger(16) && n->input.isSigned() && !n->result.isNarrow))
    return op.refuse("has codes of ", storage,
                     ": expected 8 bits, or all codes of signed 16 bits");
  return n;
}

static bool is16Bits(const Unary &n) {
  return n.input.getStorage().isInteger(16);
}

LogicalResult mlir::qdq::translateLogistic(const ForeignOp &op,
                                           const Stamp &stamp) {
  FailureOr<Unary> n = readFunction(op);
  if (failed(n))
    return failure();
  if (is16Bits(*n))
    return translateSigmoid16(op, stamp, *n, /*isTanh=*/false);
  replaceByReals(op, stamp, *n, [](ImplicitLocOpBuilder &b, Value x) -> Value {
    Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1.0f));
    Value power = math::ExpOp::create(b, arith::NegFOp::create(b, x));
    return arith::DivFOp::create(b, one, arith::AddFOp::create(b, one, power));
  });
  return success();
}

LogicalResult mlir::qdq::translateTanh(const ForeignOp &op,
                                       const Stamp &stamp) {
  FailureOr<Unary> n = readFunction(op);
  if (failed(n))
    return failure();
  if (is16Bits(*n))
    return translateSigmoid16(op, stamp, *n, /*isTanh=*/true);
  replaceByReals(op, stamp, *n, [](ImplicitLocOpBuilder &b, Value x) -> Value {
    return math::TanhOp::create(b, x);
  });
  return success();
}

/// As LiteRT computes its table of 16 bits.
static float evaluateGelu(float x, bool isFast) {
  constexpr float kRootOfHalf = 0.70710678118654752440f;
  if (!isFast)
    return 0.5f * x * std::erfc(x * -kRootOfHalf);
  constexpr float kRootOf2ByPi = 0.79788456080286535588f;
  return 0.5f * x *
         (1.0f + std::tanh(kRootOf2ByPi * (x + 0.044715f * x * x * x)));
}

LogicalResult mlir::qdq::translateGelu(const ForeignOp &op,
                                       const Stamp &stamp) {
  auto flag = dyn_cast_or_null<BoolAttr>(op.getAttr("approximate"));
  bool isFast = flag && flag.getValue();
  FailureOr<Unary> n = readFunction(op);
  if (failed(n))
    return failure();
  if (is16Bits(*n)) {
    replaceByLines(op, *n, [=](float x) { return evaluateGelu(x, isFast); });
    return success();
  }
  auto emit = isFast ? emitFastGelu : emitGelu;
  replaceByReals(op, stamp, *n, [&](ImplicitLocOpBuilder &b, Value x) -> Value {
    return emit(b, Elements{{x}, /*isUnsigned=*/false, 0, 0});
  });
  return success();
}
