// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding to the last place of a float format, and what happens beyond its
// largest value.

#include "RealOps.h"
#include "qdq/Numerics/FloatFormats.h"
#include "qdq/Numerics/Storage.h"

using namespace mlir;
using namespace mlir::qdq;

/// To an integer, to nearest even, of a magnitude that has room for it.
static Scalar roundToNearest(const Scalar &v) {
  unsigned precision = cast<FloatType>(v.getElement()).getFPMantissaWidth();
  double shift = std::ldexp(1.0, precision - 1);
  return v + shift - shift;
}

namespace {
/// A magnitude in units of the last place, and the sign of the value.
struct Units {
  Scalar isNegative;
  /// The integer below the magnitude, and the rest.
  Scalar below, fraction;

  /// True where the magnitude is rounded to `below` + 1.
  Scalar isRoundedUp(const FormatRounding &how) const;
};
} // namespace

Scalar Units::isRoundedUp(const FormatRounding &how) const {
  // Infinities have a NaN here, for which no ordered comparison holds.
  auto none = [&] { return isNegative.constant(0); };
  switch (how.rounding) {
  case Rounding::NearestEven:
    break;
  case Rounding::NearestAway:
    return fraction >= 0.5;
  case Rounding::NearestUp:
    return select(isNegative, fraction > 0.5, fraction >= 0.5);
  case Rounding::NearestDown:
    return select(isNegative, fraction >= 0.5, fraction > 0.5);
  case Rounding::TowardZero:
    return none();
  case Rounding::Floor:
    return select(isNegative, fraction > 0, none());
  case Rounding::Ceil:
    return select(isNegative, none(), fraction > 0);
  case Rounding::AwayFromZero:
    return fraction > 0;
  case Rounding::ToOdd: {
    Scalar half = below * 0.5;
    return equal(roundToNearest(half), half) & (fraction > 0);
  }
  case Rounding::Stochastic: {
    // The fraction above the floor, which for a negative value is the rest to
    // the integer of the next larger magnitude; rounded to f32 where the value
    // was one.
    Scalar random(fraction.getBuilder(), how.random);
    auto drawType = cast<FloatType>(random.getElement());
    auto toDraw = [&](Value v) {
      return castFloat(fraction.getBuilder(), v, drawType);
    };
    Scalar rest = 1.0 - fraction;
    return select(isNegative, random >= toDraw(rest),
                  random < toDraw(fraction));
  }
  }
  llvm_unreachable("rounds to nearest even by itself");
}

/// A value of f32 or f64 in the precision of a format, as if the format's
/// exponent had no upper bound. Sign and magnitude go apart: the magnitude is
/// scaled to units of the last place, where it is below 2^11, and rounded to an
/// integer there.
static Scalar roundInUnits(const Scalar &x, FloatType format,
                           const FormatRounding &how) {
  const llvm::fltSemantics &target = format.getFloatSemantics();
  auto element = cast<FloatType>(x.getElement());
  unsigned width = element.getWidth();
  unsigned mantissa = element.getFPMantissaWidth() - 1;
  int64_t bias = APFloat::semanticsMaxExponent(element.getFloatSemantics());
  auto exponentField = [&](int64_t exponent) {
    return APInt(width, exponent + bias).shl(mantissa);
  };
  Type integer = IntegerType::get(element.getContext(), width);
  APInt signMask = APInt::getSignMask(width);
  Scalar bits = x.bitcast(integer), sign = bits & signMask;
  Scalar isNegative = bits < 0, magnitude = bits & ~signMask;

  // Subnormal values share the unit of the smallest normal ones. Beyond the
  // format's range any unit will do, and this keeps its inverse a normal
  // number.
  Scalar exponent =
      magnitude & (APInt::getHighBitsSet(width, width - mantissa) & ~signMask);
  exponent =
      max(exponent, exponentField(APFloat::semanticsMinExponent(target)));
  exponent =
      min(exponent, exponentField(APFloat::semanticsMaxExponent(target) + 1));
  int64_t places = APFloat::semanticsPrecision(target) - 1;
  Scalar unitBits = exponent - APInt(width, places).shl(mantissa);
  Scalar unit = unitBits.bitcast(element);
  Scalar inverse =
      (unitBits.constant(APInt(width, 2 * bias).shl(mantissa)) - unitBits)
          .bitcast(element);
  Scalar scaled = magnitude.bitcast(element) * inverse;

  Scalar rounded = roundToNearest(scaled);
  if (how.rounding != Rounding::NearestEven) {
    Scalar below = select(rounded > scaled, rounded + -1.0, rounded);
    Units units{isNegative, below, scaled - below};
    rounded = select(units.isRoundedUp(how), below + 1.0, below);
  }
  return ((rounded * unit).bitcast(integer) | sign).bitcast(element);
}

/// True for the formats whose smallest unit has no normal inverse in f32.
static bool needsF64(FloatType format) {
  return APFloat::semanticsMinExponent(format.getFloatSemantics()) <= -126;
}

static Value roundToPrecision(ImplicitLocOpBuilder &b, Value v,
                              FloatType format, const FormatRounding &how) {
  if (needsF64(format))
    v = castFloat(b, v, b.getF64Type());
  Scalar rounded = roundInUnits({b, v}, format, how);
  // Exact, but for values beyond the range of every format, which become
  // infinite.
  return rounded.to(b.getF32Type());
}

/// True if the mode never leaves the range of a format on this side of zero.
static bool staysFinite(Rounding rounding, bool isNegative) {
  switch (rounding) {
  case Rounding::TowardZero:
  case Rounding::ToOdd:
    return true;
  case Rounding::Floor:
    return !isNegative;
  case Rounding::Ceil:
    return isNegative;
  case Rounding::NearestEven:
  case Rounding::NearestAway:
  case Rounding::NearestUp:
  case Rounding::NearestDown:
  case Rounding::AwayFromZero:
  case Rounding::Stochastic:
    return false;
  }
  llvm_unreachable("unknown rounding");
}

Value mlir::qdq::emitRoundToFormat(ImplicitLocOpBuilder &b, Value v,
                                   FloatType format,
                                   const FormatRounding &how) {
  v = widenToF32(b, v);
  Value original = v;
  if (how.rounding != Rounding::NearestEven)
    v = roundToPrecision(b, v, format, how);
  auto toF32 = [&](Value v) {
    return getElementTypeOrSelf(v).isF64()
               ? emitTruncateToOdd(b, v, b.getF32Type())
               : v;
  };
  double max =
      APFloat::getLargest(format.getFloatSemantics()).convertToDouble();
  if (hasOnlyFiniteValues(format))
    // No code for a NaN: it becomes the largest value, which the clamp gives by
    // itself.
    return toF32(clampFloat(b, v, -max, max, /*nanIsHigh=*/true));

  // Unlike clampFloat, these keep a NaN.
  auto limitTo = [&](double bound) {
    Scalar x(b, v), limit = x.constant(bound);
    Scalar beyond = bound > 0 ? x > limit : x < limit;
    if (how.overflow == FloatOverflow::IEEE) {
      // An infinite value is not rounded.
      Value infinity = createNumber(
          b, original.getType(),
          std::copysign(std::numeric_limits<double>::infinity(), bound));
      beyond = beyond & arith::CmpFOp::create(b, arith::CmpFPredicate::UNE,
                                              original, infinity)
                            .getResult();
    }
    v = select(beyond, limit, x);
  };
  bool saturates = how.overflow == FloatOverflow::Saturate;
  if (saturates || staysFinite(how.rounding, /*isNegative=*/false))
    limitTo(max);
  if (saturates || staysFinite(how.rounding, /*isNegative=*/true))
    limitTo(-max);
  return toF32(v);
}

Value mlir::qdq::emitCastToFormat(ImplicitLocOpBuilder &b, Value v,
                                  FloatType format, const FormatRounding &how) {
  return castFloat(b, emitRoundToFormat(b, v, format, how), format);
}
