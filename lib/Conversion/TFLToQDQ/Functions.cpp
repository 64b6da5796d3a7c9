// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one real, or of one code.

#include "../ForeignOps/Functions.h"
#include "../ForeignOps/TensorOps.h"
#include "../ONNXToLinalg/Operators.h"
#include "Elementwise.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Functions of reals
//===----------------------------------------------------------------------===//

/// A function between dequantize and quantize. `spelled` are the fields that
/// the kernel itself fixes.
static LogicalResult replaceByReals(const ForeignOp &op, const Stamp &stamp,
                                    const Unary &n, const ElementBody &function,
                                    const SemanticsFields &spelled) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value reals =
      dequantizeF32(op, stamp, n.input.getTensor(op), n.input.parameters);
  Value values = mapElements(b, {reals}, b.getF32Type(), function);
  return replaceWithStorage(
      op, quantizeF32(op, stamp, toForeign(values), n.result.getStorage(),
                      n.result.parameters, spelled, getClamp(b, n.result)));
}

/// Kernels of 8 bits that tabulate what they multiply by 1 / scale.
static SemanticsFields getTableFields() {
  SemanticsFields fields;
  fields.division = Division::Reciprocal;
  return fields;
}

FailureOr<Unary> mlir::qdq::readFunction(const ForeignOp &op) {
  FailureOr<Unary> n = readUnary(op);
  if (succeeded(n) && !n->input.getStorage().isInteger(8) &&
      !(n->is16Bits() && n->input.isSigned() && !n->result.isNarrow))
    return op.refuse("has codes of ", n->input.getStorage(),
                     ": expected 8 bits, or all codes of signed 16 bits");
  return n;
}

LogicalResult mlir::qdq::translateSigmoid(const ForeignOp &op,
                                          const Stamp &stamp, const Unary &n) {
  bool isTanh = op.getName() == "tfl.tanh";
  if (n.is16Bits())
    return translateSigmoid16(op, stamp, n, isTanh);
  return replaceByReals(
      op, stamp, n,
      [&](Scalar x) {
        return isTanh ? Functions().tanh(x) : Functions().logistic(x);
      },
      getTableFields());
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

LogicalResult mlir::qdq::translateGelu(const ForeignOp &op, const Stamp &stamp,
                                       const Unary &n) {
  bool isFast = op.isSet("approximate");
  if (n.is16Bits())
    return replaceByLines(op, n,
                          [=](float x) { return evaluateGelu(x, isFast); });
  auto emit = isFast ? emitFastGelu : emitGelu;
  return replaceByReals(
      op, stamp, n,
      [&](Scalar x) -> Value {
        return emit(x.getBuilder(), {{x}, /*isUnsigned=*/false});
      },
      getTableFields());
}

/// As LiteRT tabulates 8 bits under both of its resolvers: halves away from
/// zero.
static LogicalResult replaceByRealTable(const ForeignOp &op, const Unary &n,
                                        function_ref<float(float)> function) {
  float input = n.input.getFloatScale();
  float inverse = 1.0f / n.result.getFloatScale();
  return replaceByTable(op, n, [&](int64_t code) {
    float real = input * static_cast<float>(code - n.input.getZeroPoint());
    // Far beyond all codes. The order of operands makes a NaN the lowest.
    float value = std::min(std::max(-1e6f, function(real) * inverse), 1e6f);
    return static_cast<int64_t>(std::round(value)) + n.result.getZeroPoint();
  });
}

LogicalResult mlir::qdq::translateExp(const ForeignOp &op, const Stamp &stamp,
                                      const Unary &n) {
  auto replace = n.is16Bits() ? replaceByLines : replaceByRealTable;
  return replace(op, n, [](float x) { return std::exp(x); });
}

LogicalResult mlir::qdq::translateLog(const ForeignOp &op, const Stamp &stamp,
                                      const Unary &n) {
  // The logarithm of other than positive numbers is the lowest code.
  float lowest = n.result.getFloatScale() * INT16_MIN;
  auto replace = n.is16Bits() ? replaceByLines : replaceByRealTable;
  return replace(op, n, [=](float x) { return x > 0 ? std::log(x) : lowest; });
}

LogicalResult mlir::qdq::translateElu(const ForeignOp &op, const Stamp &stamp,
                                      const Unary &n) {
  if (n.is16Bits())
    return op.refuse("has codes of 16 bits, which LiteRT lacks: expected i8");
  return replaceByRealTable(op, n,
                            [](float x) { return x < 0 ? std::expm1(x) : x; });
}

LogicalResult mlir::qdq::translateSqrt(const ForeignOp &op, const Stamp &stamp,
                                       const Unary &n) {
  // LiteRT stops at a negative number; the lowest code stands for its NaN.
  SemanticsFields fields;
  fields.division = Division::Exact;
  fields.rounding = Rounding::TowardZero;
  fields.nan = NaNCode::Lowest;
  return replaceByReals(
      op, stamp, n, [](Scalar x) { return x.apply<math::SqrtOp>(); }, fields);
}

//===----------------------------------------------------------------------===//
// Functions of codes
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateAbs(const ForeignOp &op, const Stamp &stamp,
                                      const Unary &n) {
  // The kernel divides in f32.
  SumRescaling rescaling{getOwnRescale(stamp, Rescale::Fixed31Double),
                         {n.input.getFloatScale() / n.result.getFloatScale()}};
  if (failed(checkRescaling(op, rescaling)))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value magnitudes =
      mapElements(b, {subtractZeroPoint(op, n.input)}, b.getI32Type(),
                  [](Scalar x) { return abs(x); });
  return replaceWithStorage(op, createRequantize(op, stamp, magnitudes,
                                                 n.result, rescaling,
                                                 {n.result.lo, n.result.hi}));
}

LogicalResult mlir::qdq::translateNeg(const ForeignOp &op, const Stamp &stamp,
                                      const Unary &n) {
  // The kernel ignores scales and zero points; the lowest code is its own
  // negative.
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Type element = b.getIntegerType(n.result.getWidth());
  return replaceWithStorage(op, mapElements(b, {n.input.getCodes(op)}, element,
                                            [](Scalar code) { return -code; }));
}
