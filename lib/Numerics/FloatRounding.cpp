// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding to the last place of a float format, and what happens beyond its
// largest value.

#include "RealOps.h"
#include "qdq/Numerics/FloatFormats.h"
#include "qdq/Numerics/Storage.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::CmpFPredicate;

namespace {
/// A value of f32 or f64 on its way to the precision of a format, as if the
/// format's exponent had no upper bound. Sign and magnitude go apart: the
/// magnitude is scaled to units of the last place, where it is below 2^11, and
/// rounded to an integer there.
class PrecisionRounding {
public:
  PrecisionRounding(ImplicitLocOpBuilder &b, Value v, FloatType format);

  Value round(Rounding rounding, Value random);

private:
  /// True where the magnitude is rounded to `below` + 1.
  Value isRoundedUp(Rounding rounding, Value random);

  Value constant(double value) { return floatConstant(b, value, type); }
  Value bitsConstant(const APInt &value) {
    return intConstant(b, value.getSExtValue(), bitsType);
  }
  Value compare(CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, predicate, lhs, rhs);
  }
  Value select(Value condition, Value then, Value otherwise) {
    return arith::SelectOp::create(b, condition, then, otherwise);
  }
  Value toBits(Value v) { return arith::BitcastOp::create(b, bitsType, v); }
  Value fromBits(Value v) { return arith::BitcastOp::create(b, type, v); }

  /// Adding this and subtracting it again rounds a smaller magnitude to an
  /// integer, to nearest even.
  Value integralShift() {
    unsigned precision =
        cast<FloatType>(getElementTypeOrSelf(type)).getFPMantissaWidth();
    return constant(std::ldexp(1.0, precision - 1));
  }
  Value nearestIntegral(Value v) {
    return arith::SubFOp::create(
        b, arith::AddFOp::create(b, v, integralShift()), integralShift());
  }

  ImplicitLocOpBuilder &b;
  Type type, bitsType;
  /// The sign bit of the value; the power of two that one unit is; the value's
  /// magnitude in units: the integer below and the rest.
  Value sign, isNegative, unit, scaled, below, fraction;
};
} // namespace

PrecisionRounding::PrecisionRounding(ImplicitLocOpBuilder &b, Value v,
                                     FloatType format)
    : b(b), type(v.getType()) {
  const llvm::fltSemantics &target = format.getFloatSemantics();
  auto element = cast<FloatType>(getElementTypeOrSelf(v));
  unsigned width = element.getWidth();
  unsigned mantissa = element.getFPMantissaWidth() - 1;
  int64_t bias = APFloat::semanticsMaxExponent(element.getFloatSemantics());
  bitsType = withShapeOf(b.getIntegerType(width), type);
  auto exponentField = [&](int64_t exponent) {
    return bitsConstant(APInt(width, exponent + bias).shl(mantissa));
  };

  APInt signMask = APInt::getSignMask(width);
  Value bits = toBits(v);
  sign = arith::AndIOp::create(b, bits, bitsConstant(signMask));
  isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bits,
                                     intConstant(b, 0, bitsType));
  Value magnitude = arith::AndIOp::create(b, bits, bitsConstant(~signMask));

  // Subnormal values share the unit of the smallest normal ones. Beyond the
  // format's range any unit will do, and this keeps its inverse a normal
  // number.
  Value exponent = arith::AndIOp::create(
      b, magnitude,
      bitsConstant(APInt::getHighBitsSet(width, width - mantissa) & ~signMask));
  exponent = arith::MaxSIOp::create(
      b, exponent, exponentField(APFloat::semanticsMinExponent(target)));
  exponent = arith::MinSIOp::create(
      b, exponent, exponentField(APFloat::semanticsMaxExponent(target) + 1));
  int64_t places = APFloat::semanticsPrecision(target) - 1;
  Value unitBits = arith::SubIOp::create(
      b, exponent, bitsConstant(APInt(width, places).shl(mantissa)));
  unit = fromBits(unitBits);
  Value inverse = fromBits(arith::SubIOp::create(
      b, bitsConstant(APInt(width, 2 * bias).shl(mantissa)), unitBits));
  scaled = arith::MulFOp::create(b, fromBits(magnitude), inverse);
}

Value PrecisionRounding::isRoundedUp(Rounding rounding, Value random) {
  // Infinities have a NaN here, for which no ordered comparison holds.
  auto fractionIs = [&](CmpFPredicate predicate, double bound) {
    return compare(predicate, fraction, constant(bound));
  };
  auto none = [&]() -> Value {
    return arith::ConstantOp::create(
        b, b.getZeroAttr(withShapeOf(b.getI1Type(), type)));
  };
  switch (rounding) {
  case Rounding::NearestEven:
    break;
  case Rounding::NearestAway:
    return fractionIs(CmpFPredicate::OGE, 0.5);
  case Rounding::NearestUp:
    return select(isNegative, fractionIs(CmpFPredicate::OGT, 0.5),
                  fractionIs(CmpFPredicate::OGE, 0.5));
  case Rounding::NearestDown:
    return select(isNegative, fractionIs(CmpFPredicate::OGE, 0.5),
                  fractionIs(CmpFPredicate::OGT, 0.5));
  case Rounding::TowardZero:
    return none();
  case Rounding::Floor:
    return select(isNegative, fractionIs(CmpFPredicate::OGT, 0.0), none());
  case Rounding::Ceil:
    return select(isNegative, none(), fractionIs(CmpFPredicate::OGT, 0.0));
  case Rounding::AwayFromZero:
    return fractionIs(CmpFPredicate::OGT, 0.0);
  case Rounding::ToOdd: {
    Value half = arith::MulFOp::create(b, below, constant(0.5));
    Value isEven = compare(CmpFPredicate::OEQ, nearestIntegral(half), half);
    return arith::AndIOp::create(b, isEven,
                                 fractionIs(CmpFPredicate::OGT, 0.0));
  }
  case Rounding::Stochastic: {
    // The fraction above the floor, which for a negative value is the rest to
    // the integer of the next larger magnitude; rounded to f32 where the value
    // was one.
    auto drawType = cast<FloatType>(getElementTypeOrSelf(random));
    auto toDraw = [&](Value v) { return castFloat(b, v, drawType); };
    Value rest = arith::SubFOp::create(b, constant(1.0), fraction);
    return select(isNegative, compare(CmpFPredicate::OGE, random, toDraw(rest)),
                  compare(CmpFPredicate::OLT, random, toDraw(fraction)));
  }
  }
  llvm_unreachable("rounds to nearest even by itself");
}

Value PrecisionRounding::round(Rounding rounding, Value random) {
  Value rounded = nearestIntegral(scaled);
  if (rounding != Rounding::NearestEven) {
    auto add = [&](Value v, double amount) {
      return arith::AddFOp::create(b, v, constant(amount));
    };
    below = select(compare(CmpFPredicate::OGT, rounded, scaled),
                   add(rounded, -1.0), rounded);
    fraction = arith::SubFOp::create(b, scaled, below);
    rounded = select(isRoundedUp(rounding, random), add(below, 1.0), below);
  }
  Value magnitude = toBits(arith::MulFOp::create(b, rounded, unit));
  return fromBits(arith::OrIOp::create(b, magnitude, sign));
}

/// True for the formats whose smallest unit has no normal inverse in f32.
static bool needsF64(FloatType format) {
  return APFloat::semanticsMinExponent(format.getFloatSemantics()) <= -126;
}

static Value roundToPrecision(ImplicitLocOpBuilder &b, Value v,
                              FloatType format, const FormatRounding &how) {
  if (needsF64(format))
    v = castFloat(b, v, b.getF64Type());
  v = PrecisionRounding(b, v, format).round(how.rounding, how.random);
  // Exact, but for values beyond the range of every format, which become
  // infinite.
  Type f32 = withShapeOf(b.getF32Type(), v.getType());
  return v.getType() == f32 ? v : Value(arith::TruncFOp::create(b, f32, v));
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
  auto limitTo = [&](CmpFPredicate isBeyond, double bound) {
    Value limit = floatConstant(b, bound, v.getType());
    Value beyond = arith::CmpFOp::create(b, isBeyond, v, limit);
    if (how.overflow == FloatOverflow::IEEE) {
      // An infinite value is not rounded.
      Value infinity = floatConstant(
          b, std::copysign(std::numeric_limits<double>::infinity(), bound),
          original.getType());
      beyond = arith::AndIOp::create(
          b, beyond,
          arith::CmpFOp::create(b, CmpFPredicate::UNE, original, infinity));
    }
    v = arith::SelectOp::create(b, beyond, limit, v);
  };
  bool saturates = how.overflow == FloatOverflow::Saturate;
  if (saturates || staysFinite(how.rounding, /*isNegative=*/false))
    limitTo(CmpFPredicate::OGT, max);
  if (saturates || staysFinite(how.rounding, /*isNegative=*/true))
    limitTo(CmpFPredicate::OLT, -max);
  return toF32(v);
}

Value mlir::qdq::emitCastToFormat(ImplicitLocOpBuilder &b, Value v,
                                  FloatType format, const FormatRounding &how) {
  return castFloat(b, emitRoundToFormat(b, v, format, how), format);
}
