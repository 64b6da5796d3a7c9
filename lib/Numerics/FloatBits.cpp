// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The encodings of small float formats as integer ops on the bits of f32.

#include "RealOps.h"
#include "qdq/Numerics/FloatFormats.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

static constexpr int kF32Mantissa = 23, kF32Bias = 127;
static constexpr int64_t kF32Infinity = 0x7F800000, kF32NaN = 0x7FC00000;

namespace {
/// A format's codes, and ops on i32 in the shape of one value.
class FloatBits {
public:
  FloatBits(ImplicitLocOpBuilder &b, FloatType format, Type shape);

  Value decode(Value v);
  Value encode(Value v, bool tellsRange);

private:
  Value decodeScale(Value code);
  Value encodeScale(Value bits);
  Value decodeMagnitude(Value code);
  Value encodeMagnitude(Value magnitude);

  Value constant(int64_t value) { return intConstant(b, value, i32); }
  Value add(Value v, int64_t n) {
    return arith::AddIOp::create(b, v, constant(n));
  }
  Value mask(Value v, int64_t bits) {
    return arith::AndIOp::create(b, v, constant(bits));
  }
  Value orOf(Value l, Value r) { return arith::OrIOp::create(b, l, r); }
  Value shiftLeft(Value v, int64_t n) {
    return arith::ShLIOp::create(b, v, constant(n));
  }
  Value shiftRight(Value v, int64_t n) {
    return arith::ShRUIOp::create(b, v, constant(n));
  }
  Value is(CmpIPredicate predicate, Value v, int64_t n) {
    return arith::CmpIOp::create(b, predicate, v, constant(n));
  }
  Value select(Value condition, Value then, Value otherwise) {
    return arith::SelectOp::create(b, condition, then, otherwise);
  }
  Value toFloat(Value bits) { return arith::BitcastOp::create(b, f32, bits); }
  Value toBits(Value v) { return arith::BitcastOp::create(b, i32, v); }
  /// 2^exponent in f32.
  Value power(int exponent) {
    return floatConstant(b, std::ldexp(1.0, exponent), f32);
  }
  bool isScaleFormat() const { return !APFloat::semanticsHasZero(semantics); }

  ImplicitLocOpBuilder &b;
  const llvm::fltSemantics &semantics;
  Type i32, f32;
  int width, mantissa, minExponent;
  bool hasInfinity, hasNaN, hasNegativeZero = true;
  int64_t signBit, largest, nan = 0;
};
} // namespace

FloatBits::FloatBits(ImplicitLocOpBuilder &b, FloatType format, Type shape)
    : b(b), semantics(format.getFloatSemantics()),
      i32(withShapeOf(b.getI32Type(), shape)),
      f32(withShapeOf(b.getF32Type(), shape)), width(format.getWidth()),
      mantissa(APFloat::semanticsPrecision(semantics) - 1),
      minExponent(APFloat::semanticsMinExponent(semantics)),
      hasInfinity(APFloat::semanticsHasInf(semantics)),
      hasNaN(APFloat::semanticsHasNaN(semantics)),
      signBit(int64_t(1) << (width - 1)),
      largest(APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue()) {
  if (!hasNaN)
    return;
  nan = APFloat::getQNaN(semantics).bitcastToAPInt().getZExtValue();
  hasNegativeZero = nan != signBit;
}

/// f8E8M0FNU: the exponent of f32, whose lowest value is a subnormal here.
Value FloatBits::decodeScale(Value code) {
  // The bit below the exponent makes 2^-127 of field 0, and NaN, whose code is
  // all ones, of the field of infinity. For selects, LLVM masks loads.
  Value power =
      arith::MaxUIOp::create(b, shiftLeft(code, kF32Mantissa),
                             constant(int64_t(1) << (kF32Mantissa - 1)));
  Value isNaN = shiftRight(add(code, 1), width);
  return orOf(power, shiftLeft(isNaN, kF32Mantissa - 1));
}

/// The f32 bits of a code without its sign.
Value FloatBits::decodeMagnitude(Value code) {
  Value shifted = shiftLeft(code, kF32Mantissa - mantissa);
  // The exponent of a code is its field - 1 + minExponent.
  int64_t rebias = int64_t(minExponent - 1 + kF32Bias) << kF32Mantissa;
  Value normal = add(shifted, rebias);
  // A subnormal has the exponent of field 1 and no leading one: put one in, and
  // subtract it. That is never less than what is normal, which is too much for
  // a subnormal: (1 + f) / 2 > f.
  Value withOne = toFloat(add(shifted, rebias + (1 << kF32Mantissa)));
  Value subnormal =
      toBits(arith::SubFOp::create(b, withOne, power(minExponent)));
  Value bits = arith::MinUIOp::create(b, subnormal, normal);
  if (hasInfinity)
    return select(is(CmpIPredicate::sgt, code, largest),
                  orOf(shifted, constant(kF32Infinity)), bits);
  if (hasNaN && hasNegativeZero)
    return select(is(CmpIPredicate::sgt, code, largest), constant(kF32NaN),
                  bits);
  return bits;
}

Value FloatBits::decode(Value v) {
  Type codeType = withShapeOf(b.getIntegerType(width), v.getType());
  Value code = resizeInt(b, arith::BitcastOp::create(b, codeType, v),
                         /*isSigned=*/false, 32);
  if (isScaleFormat())
    return toFloat(decodeScale(code));
  Value sign = mask(shiftLeft(code, 32 - width), int64_t(1) << 31);
  Value bits = orOf(decodeMagnitude(mask(code, signBit - 1)), sign);
  // …FNUZ has its one NaN in the place of -0.
  if (!hasNegativeZero)
    bits = select(is(CmpIPredicate::eq, code, nan), constant(kF32NaN), bits);
  return toFloat(bits);
}

/// f8E8M0FNU: the exponent of f32, one more from the middle between two powers
/// of two on.
Value FloatBits::encodeScale(Value bits) {
  int64_t half = int64_t(1) << (kF32Mantissa - 1);
  Value magnitude = mask(bits, 0x7FFFFFFF);
  Value code = shiftRight(add(magnitude, half), kF32Mantissa);
  // In f32, 2^-127 is a subnormal: its exponent field is that of everything
  // below.
  code = select(is(CmpIPredicate::slt, magnitude, half + half / 2), constant(0),
                code);
  code = arith::MinUIOp::create(b, code, constant(nan));
  return select(is(CmpIPredicate::slt, bits, 0), constant(nan), code);
}

/// The code of an f32 magnitude, from its bits.
Value FloatBits::encodeMagnitude(Value magnitude) {
  // Half a unit less the last bit that stays: carries exactly where the rest is
  // above a half, or a half and the last bit 1.
  int shift = kF32Mantissa - mantissa;
  Value last = mask(shiftRight(magnitude, shift), 1);
  int64_t rebias = int64_t(kF32Bias + minExponent - 1) << kF32Mantissa;
  Value biased = add(magnitude, (int64_t(1) << (shift - 1)) - 1 - rebias);
  Value normal = shiftRight(arith::AddIOp::create(b, biased, last), shift);
  // The sum's last place is the unit of the subnormals, so the addition rounds
  // to it.
  int aligned = minExponent - mantissa + kF32Mantissa;
  Value sum = arith::AddFOp::create(b, toFloat(magnitude), power(aligned));
  int64_t alignedBits = int64_t(aligned + kF32Bias) << kF32Mantissa;
  Value subnormal = add(toBits(sum), -alignedBits);
  int64_t smallestNormal = int64_t(minExponent + kF32Bias) << kF32Mantissa;
  Value code = select(is(CmpIPredicate::slt, magnitude, smallestNormal),
                      subnormal, normal);
  // The code after the largest value is infinity, else NaN, if the format has
  // one.
  int64_t limit = hasInfinity || hasNaN ? largest + 1 : largest;
  code = arith::MinUIOp::create(b, code, constant(limit));
  if (hasInfinity)
    code = select(is(CmpIPredicate::sgt, magnitude, kF32Infinity),
                  constant(nan), code);
  return code;
}

Value FloatBits::encode(Value v, bool tellsRange) {
  Value bits = toBits(v), code;
  if (isScaleFormat()) {
    code = encodeScale(bits);
  } else {
    Value magnitude = mask(bits, 0x7FFFFFFF);
    code = encodeMagnitude(magnitude);
    Value sign = mask(shiftRight(bits, 32 - width), signBit);
    if (!hasNegativeZero)
      sign = select(is(CmpIPredicate::eq, code, 0), code, sign);
    if (!hasNaN)
      sign = select(is(CmpIPredicate::sgt, magnitude, kF32Infinity),
                    constant(0), sign);
    code = orOf(code, sign);
  }
  return tellsRange ? cutInt(b, code, /*isSigned=*/false, width)
                    : resizeInt(b, code, /*isSigned=*/false, width);
}

Value mlir::qdq::emitDecode(ImplicitLocOpBuilder &b, Value v, FloatType type) {
  auto format = cast<FloatType>(getElementTypeOrSelf(v));
  Value real = FloatBits(b, format, v.getType()).decode(v);
  if (type.isF32())
    return real;
  // Exact, so the upper half is all.
  Type i32 = withShapeOf(b.getI32Type(), v.getType());
  Value bits = arith::BitcastOp::create(b, i32, real);
  bits = arith::ShRUIOp::create(b, bits, intConstant(b, 16, i32));
  return arith::BitcastOp::create(b, withShapeOf(type, v.getType()),
                                  resizeInt(b, bits, /*isSigned=*/false, 16));
}

Value mlir::qdq::emitEncode(ImplicitLocOpBuilder &b, Value v, FloatType format,
                            bool tellsRange) {
  Value code = FloatBits(b, format, v.getType()).encode(v, tellsRange);
  return arith::BitcastOp::create(b, withShapeOf(format, v.getType()), code);
}
