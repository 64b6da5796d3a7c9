// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The encodings of small float formats as integer ops on the bits of f32.

#include "RealOps.h"
#include "qdq/Numerics/FloatFormats.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr int kF32Mantissa = 23, kF32Bias = 127;
static constexpr int64_t kF32Infinity = 0x7F800000, kF32NaN = 0x7FC00000;

namespace {
/// A format's codes, in i32.
class FloatBits {
public:
  FloatBits(ImplicitLocOpBuilder &b, FloatType format);

  Value decode(Value v);
  Value encode(Value v, bool tellsRange);

private:
  Scalar decodeScale(Scalar code);
  Scalar encodeScale(Scalar bits);
  Scalar decodeMagnitude(Scalar code);
  Scalar encodeMagnitude(Scalar magnitude);

  Scalar toFloat(Scalar bits) { return bits.bitcast(b.getF32Type()); }
  Scalar toBits(Scalar v) { return v.bitcast(b.getI32Type()); }
  bool isScaleFormat() const { return !APFloat::semanticsHasZero(semantics); }

  ImplicitLocOpBuilder &b;
  const llvm::fltSemantics &semantics;
  int width, mantissa, minExponent;
  bool hasInfinity, hasNaN, hasNegativeZero = true;
  int64_t signBit, largest, nan = 0;
};
} // namespace

FloatBits::FloatBits(ImplicitLocOpBuilder &b, FloatType format)
    : b(b), semantics(format.getFloatSemantics()), width(format.getWidth()),
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
Scalar FloatBits::decodeScale(Scalar code) {
  // The bit below the exponent makes 2^-127 of field 0, and NaN, whose code is
  // all ones, of the field of infinity. For selects, LLVM masks loads.
  Scalar power =
      maxUnsigned(code << kF32Mantissa, int64_t(1) << (kF32Mantissa - 1));
  Scalar isNaN = shiftRight(code + 1, width);
  return power | (isNaN << (kF32Mantissa - 1));
}

/// The f32 bits of a code without its sign.
Scalar FloatBits::decodeMagnitude(Scalar code) {
  Scalar shifted = code << (kF32Mantissa - mantissa);
  // The exponent of a code is its field - 1 + minExponent.
  int64_t rebias = int64_t(minExponent - 1 + kF32Bias) << kF32Mantissa;
  Scalar normal = shifted + rebias;
  // A subnormal has the exponent of field 1 and no leading one: put one in, and
  // subtract it. That is never less than what is normal, which is too much for
  // a subnormal: (1 + f) / 2 > f.
  Scalar withOne = toFloat(shifted + (rebias + (1 << kF32Mantissa)));
  Scalar subnormal = toBits(withOne - std::ldexp(1.0, minExponent));
  Scalar bits = minUnsigned(subnormal, normal);
  if (hasInfinity)
    return select(code > largest, shifted | kF32Infinity, bits);
  if (hasNaN && hasNegativeZero)
    return select(code > largest, code.constant(kF32NaN), bits);
  return bits;
}

Value FloatBits::decode(Value v) {
  Scalar code =
      Scalar(b, v).bitcast(b.getIntegerType(width)).toUnsigned(b.getI32Type());
  if (isScaleFormat())
    return toFloat(decodeScale(code));
  Scalar sign = (code << (32 - width)) & (int64_t(1) << 31);
  Scalar bits = decodeMagnitude(code & (signBit - 1)) | sign;
  // …FNUZ has its one NaN in the place of -0.
  if (!hasNegativeZero)
    bits = select(equal(code, nan), bits.constant(kF32NaN), bits);
  return toFloat(bits);
}

/// f8E8M0FNU: the exponent of f32, one more from the middle between two powers
/// of two on.
Scalar FloatBits::encodeScale(Scalar bits) {
  int64_t half = int64_t(1) << (kF32Mantissa - 1);
  Scalar magnitude = bits & 0x7FFFFFFF;
  Scalar code = shiftRight(magnitude + half, kF32Mantissa);
  // In f32, 2^-127 is a subnormal: its exponent field is that of everything
  // below.
  Scalar isLowest = magnitude < half + half / 2;
  code = minUnsigned(select(isLowest, code.constant(0), code), nan);
  Scalar isNegative = bits < 0;
  return select(isNegative, code.constant(nan), code);
}

/// The code of an f32 magnitude, from its bits.
Scalar FloatBits::encodeMagnitude(Scalar magnitude) {
  // Half a unit less the last bit that stays: carries exactly where the rest is
  // above a half, or a half and the last bit 1.
  int shift = kF32Mantissa - mantissa;
  Scalar last = shiftRight(magnitude, shift) & 1;
  int64_t rebias = int64_t(kF32Bias + minExponent - 1) << kF32Mantissa;
  Scalar biased = magnitude + ((int64_t(1) << (shift - 1)) - 1 - rebias);
  Scalar normal = shiftRight(biased + last, shift);
  // The sum's last place is the unit of the subnormals, so the addition rounds
  // to it.
  int aligned = minExponent - mantissa + kF32Mantissa;
  Scalar sum = toFloat(magnitude) + std::ldexp(1.0, aligned);
  int64_t alignedBits = int64_t(aligned + kF32Bias) << kF32Mantissa;
  Scalar subnormal = toBits(sum) + -alignedBits;
  int64_t smallestNormal = int64_t(minExponent + kF32Bias) << kF32Mantissa;
  Scalar code = select(magnitude < smallestNormal, subnormal, normal);
  // The code after the largest value is infinity, else NaN, if the format has
  // one.
  int64_t limit = hasInfinity || hasNaN ? largest + 1 : largest;
  code = minUnsigned(code, limit);
  if (hasInfinity) {
    Scalar isNaN = magnitude > kF32Infinity;
    code = select(isNaN, code.constant(nan), code);
  }
  return code;
}

Value FloatBits::encode(Value v, bool tellsRange) {
  Scalar bits = toBits({b, v}), code = bits;
  if (isScaleFormat()) {
    code = encodeScale(bits);
  } else {
    Scalar magnitude = bits & 0x7FFFFFFF;
    code = encodeMagnitude(magnitude);
    Scalar sign = shiftRight(bits, 32 - width) & signBit;
    if (!hasNegativeZero)
      sign = select(equal(code, 0), code, sign);
    if (!hasNaN) {
      Scalar isNaN = magnitude > kF32Infinity;
      sign = select(isNaN, sign.constant(0), sign);
    }
    code = code | sign;
  }
  return tellsRange ? cutInt(b, code, /*isSigned=*/false, width)
                    : resizeInt(b, code, /*isSigned=*/false, width);
}

Value mlir::qdq::emitDecode(ImplicitLocOpBuilder &b, Value v, FloatType type) {
  auto format = cast<FloatType>(getElementTypeOrSelf(v));
  Scalar real(b, FloatBits(b, format).decode(v));
  if (type.isF32())
    return real;
  // Exact, so the upper half is all.
  return shiftRight(real.bitcast(b.getI32Type()), 16)
      .toUnsigned(b.getI16Type())
      .bitcast(type);
}

Value mlir::qdq::emitEncode(ImplicitLocOpBuilder &b, Value v, FloatType format,
                            bool tellsRange) {
  return Scalar(b, FloatBits(b, format).encode(v, tellsRange)).bitcast(format);
}
