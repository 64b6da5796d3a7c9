// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize and dequantize on constants, with exact integers of unbounded width
// in the place of the emitter's bounds and casts.

#include "EvaluatorParts.h"
#include "Philox.h"
#include "ZeroPointDomains.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

/// Holds every finite f64 as an integer, and sums of them.
static constexpr unsigned kWideBits = 1100;

APFloat mlir::qdq::roundToFormat(APFloat value,
                                 const llvm::fltSemantics &format) {
  bool losesInfo;
  value.convert(format, kNearest, &losesInfo);
  return value;
}

APFloat mlir::qdq::toFloat(const Number &number,
                           const llvm::fltSemantics &format) {
  if (auto *real = std::get_if<APFloat>(&number))
    return roundToFormat(*real, format);
  const APSInt &integer = std::get<APSInt>(number);
  APFloat value(format);
  value.convertFromAPInt(integer, integer.isSigned(), kNearest);
  return value;
}

/// Bits for the sum of two signed integers of `bits`: one word, if it holds
/// that.
static unsigned getSumBits(unsigned bits) { return bits < 64 ? 64 : kWideBits; }

/// The same integer, signed, in `bits` that hold it.
static APSInt resize(const APSInt &integer, unsigned bits) {
  APSInt result = integer.extOrTrunc(bits);
  result.setIsSigned(true);
  return result;
}

/// The bits of a signed integer that holds the value.
static unsigned countBits(const APSInt &integer) {
  return integer.isSigned() ? integer.getSignificantBits()
                            : integer.getActiveBits() + 1;
}

/// Both integers, signed, wide enough for their sum.
static std::pair<APSInt, APSInt> widen(const APSInt &a, const APSInt &b) {
  unsigned bits = getSumBits(std::max(countBits(a), countBits(b)));
  return {resize(a, bits), resize(b, bits)};
}

/// A finite integral value as an exact integer.
static APSInt toInteger(const APFloat &integral) {
  APSInt result(getSumBits(std::max(ilogb(integral), 0) + 2),
                /*isUnsigned=*/false);
  bool isExact;
  integral.convertToInteger(result, APFloat::rmTowardZero, &isExact);
  // APFloat calls the integer of -0 inexact.
  assert((isExact || integral.isZero()) && "rounded before");
  return result;
}

/// The draw of stochastic rounding, exact in IEEE quad.
static APFloat drawUniform(uint64_t index, uint64_t seed) {
  APFloat draw(APFloat::IEEEquad());
  draw.convertFromAPInt(APInt(32, evaluatePhilox(index, seed) >> 8),
                        /*IsSigned=*/false, kNearest);
  return scalbn(draw, -24, kNearest);
}

/// Rounds to an integral value: by APFloat's own modes, the others by the
/// distance to the neighbour below, exact in IEEE quad.
static APFloat roundReal(const Semantics &semantics, const APFloat &value,
                         uint64_t index) {
  Rounding rounding = semantics.rounding;
  auto rounded = [&](llvm::RoundingMode mode) {
    APFloat result = value;
    result.roundToIntegral(mode);
    return result;
  };
  switch (rounding) {
  case Rounding::NearestEven:
    return rounded(APFloat::rmNearestTiesToEven);
  case Rounding::NearestAway:
    return rounded(APFloat::rmNearestTiesToAway);
  case Rounding::TowardZero:
    return rounded(APFloat::rmTowardZero);
  case Rounding::Floor:
    return rounded(APFloat::rmTowardNegative);
  case Rounding::Ceil:
    return rounded(APFloat::rmTowardPositive);
  case Rounding::AwayFromZero:
    return rounded(value.isNegative() ? APFloat::rmTowardNegative
                                      : APFloat::rmTowardPositive);
  case Rounding::NearestUp:
  case Rounding::NearestDown:
  case Rounding::ToOdd:
  case Rounding::Stochastic:
    break;
  }
  APFloat below = rounded(APFloat::rmTowardNegative);
  APFloat above = rounded(APFloat::rmTowardPositive);
  if (!value.isFinite() || below == value)
    return value;
  if (rounding == Rounding::ToOdd)
    return toInteger(below)[0] ? below : above;
  APFloat fraction = roundToFormat(value, APFloat::IEEEquad());
  fraction.subtract(roundToFormat(below, APFloat::IEEEquad()), kNearest);
  if (rounding == Rounding::Stochastic) {
    // The fraction is rounded once, to f32 or f64: docs/Semantics.md.
    FloatType compute = semantics.compute;
    fraction = roundToFormat(fraction, compute.isF64() ? APFloat::IEEEdouble()
                                                       : APFloat::IEEEsingle());
    bool up = drawUniform(index, semantics.seed) <
              roundToFormat(fraction, APFloat::IEEEquad());
    return up ? above : below;
  }
  APFloat half(APFloat::IEEEquad(), "0.5");
  bool up =
      rounding == Rounding::NearestUp ? fraction >= half : fraction > half;
  return up ? above : below;
}

namespace {
struct QuantizeEvaluator {
  const Semantics &semantics;
  const Storage &storage;
  const ZeroPointNumber &zeroPoint;
  uint64_t index;

  const llvm::fltSemantics &format() const {
    return const_cast<FloatType &>(semantics.compute).getFloatSemantics();
  }
  const APSInt *integerZeroPoint() const {
    return isStored(zeroPoint) ? std::get_if<APSInt>(&*zeroPoint.value)
                               : nullptr;
  }
  bool addsInteger() const {
    return integerZeroPoint() && semantics.order == Order::RoundThenAdd &&
           !storage.isFloat();
  }

  /// The zero point is added before rounding.
  bool addsFloat() const { return isStored(zeroPoint) && !addsInteger(); }

  APFloat quotient(const Number &x, const APFloat &scale) const;
  APFloat product(APFloat x, const APFloat &factor) const;
  APFloat roundToPrecision(const APFloat &t,
                           const llvm::fltSemantics &target) const;
  APFloat toFloatStorage(const APFloat &t) const;
  std::optional<APSInt> toCode(const APFloat &rounded) const;
  std::optional<APSInt> toCode(APSInt v) const;
  std::optional<APSInt> nanCode() const;
  APSInt clamp(const APSInt &v) const {
    unsigned bits = std::max(v.getBitWidth(), 64u);
    return std::clamp(resize(v, bits), wideInt(storage.lo, bits),
                      wideInt(storage.hi, bits));
  }
};
} // namespace

/// Divides f32 by the processor, which rounds once, too, where neither operand
/// nor quotient is one that its modes may flush.
static void divide(APFloat &value, const APFloat &divisor) {
  if (&value.getSemantics() == &APFloat::IEEEsingle() && value.isNormal() &&
      divisor.isNormal()) {
    APFloat quotient(value.convertToFloat() / divisor.convertToFloat());
    if (quotient.isNormal()) {
      value = quotient;
      return;
    }
  }
  value.divide(divisor, kNearest);
}

APFloat QuantizeEvaluator::quotient(const Number &x,
                                    const APFloat &scale) const {
  APFloat value = toFloat(x, format());
  APFloat divisor = roundToFormat(scale, format());
  if (isExpressed(zeroPoint))
    value.subtract(toFloat(*zeroPoint.value, format()), kNearest);
  switch (semantics.division) {
  case Division::Exact:
    divide(value, divisor);
    if (addsFloat())
      value.add(toFloat(*zeroPoint.value, format()), kNearest);
    return value;
  case Division::Reciprocal: {
    APFloat reciprocal = APFloat::getOne(format());
    reciprocal.divide(divisor, kNearest);
    return product(value, reciprocal);
  }
  }
  llvm_unreachable("unknown division");
}

APFloat QuantizeEvaluator::product(APFloat x, const APFloat &factor) const {
  if (!addsFloat()) {
    x.multiply(factor, kNearest);
    return x;
  }
  APFloat addend = toFloat(*zeroPoint.value, format());
  if (semantics.fusion == Fusion::FMA) {
    x.fusedMultiplyAdd(factor, addend, kNearest);
    return x;
  }
  x.multiply(factor, kNearest);
  x.add(addend, kNearest);
  return x;
}

std::optional<APSInt> QuantizeEvaluator::nanCode() const {
  switch (semantics.nan) {
  case NaNCode::Lowest:
    return wideInt(storage.lo, kWideBits);
  case NaNCode::Highest:
    return wideInt(storage.hi, kWideBits);
  case NaNCode::Zero:
    return clamp(wideInt(0, kWideBits));
  case NaNCode::ZeroPoint: {
    if (!isStored(zeroPoint))
      return clamp(wideInt(0, kWideBits));
    if (const APSInt *integer = integerZeroPoint())
      return clamp(resize(*integer, kWideBits));
    APFloat z =
        roundReal(semantics, toFloat(*zeroPoint.value, format()), index);
    if (z.isNaN())
      return wideInt(storage.lo, kWideBits);
    if (z.isInfinity())
      return wideInt(z.isNegative() ? storage.lo : storage.hi, kWideBits);
    return clamp(toInteger(z));
  }
  case NaNCode::Undefined:
    if (semantics.overflow == Overflow::Saturate)
      return wideInt(storage.lo, kWideBits);
    return std::nullopt;
  }
  llvm_unreachable("unknown NaN code");
}

std::optional<APSInt> QuantizeEvaluator::toCode(const APFloat &rounded) const {
  bool isWrap = semantics.overflow == Overflow::Wrap;
  if (rounded.isNaN() || (rounded.isInfinity() && isWrap))
    return nanCode();
  if (rounded.isInfinity()) {
    if (semantics.overflow == Overflow::Undefined)
      return std::nullopt;
    return wideInt(rounded.isNegative() ? storage.lo : storage.hi, kWideBits);
  }
  APSInt v = toInteger(rounded);
  if (!addsInteger())
    return toCode(v);
  auto [sum, z] = widen(v, *integerZeroPoint());
  return toCode(sum += z);
}

std::optional<APSInt> QuantizeEvaluator::toCode(APSInt v) const {
  switch (semantics.overflow) {
  case Overflow::Saturate:
    break;
  case Overflow::Wrap: {
    v = APSInt(v.trunc(storage.getWidth()), /*isUnsigned=*/!storage.isSigned);
    v = resize(v, getSumBits(countBits(v)));
    break;
  }
  case Overflow::Undefined: {
    APSInt low(v.trunc(storage.getWidth()), /*isUnsigned=*/!storage.isSigned);
    if (!APSInt::isSameValue(low, v))
      return std::nullopt;
    break;
  }
  }
  return clamp(v);
}

/// The mode of APFloat that rounds a value of this sign so, or nothing.
static std::optional<llvm::RoundingMode> getAPFloatMode(Rounding rounding,
                                                        bool isNegative) {
  switch (rounding) {
  case Rounding::NearestEven:
    return APFloat::rmNearestTiesToEven;
  case Rounding::NearestAway:
    return APFloat::rmNearestTiesToAway;
  case Rounding::NearestUp:
  case Rounding::NearestDown:
    return std::nullopt;
  case Rounding::TowardZero:
    return APFloat::rmTowardZero;
  case Rounding::Floor:
    return APFloat::rmTowardNegative;
  case Rounding::Ceil:
    return APFloat::rmTowardPositive;
  case Rounding::AwayFromZero:
    return isNegative ? APFloat::rmTowardNegative : APFloat::rmTowardPositive;
  case Rounding::ToOdd:
  case Rounding::Stochastic:
    return std::nullopt;
  }
  llvm_unreachable("unknown rounding");
}

/// A finite value rounded to the precision of `target`, in IEEE quad: an
/// integer multiple of the unit around it.
APFloat
QuantizeEvaluator::roundToPrecision(const APFloat &t,
                                    const llvm::fltSemantics &target) const {
  int exponent = std::max(ilogb(t), APFloat::semanticsMinExponent(target));
  int unit = exponent - int(APFloat::semanticsPrecision(target)) + 1;
  APFloat scaled =
      scalbn(roundToFormat(t, APFloat::IEEEquad()), -unit, kNearest);
  return scalbn(roundReal(semantics, scaled, index), unit, kNearest);
}

APFloat QuantizeEvaluator::toFloatStorage(const APFloat &t) const {
  auto type = cast<FloatType>(storage.type);
  const llvm::fltSemantics &target = type.getFloatSemantics();
  bool isNegative = t.isNegative();
  APFloat limit = APFloat::getLargest(target, isNegative);
  auto isBeyond = [&](const APFloat &value) {
    return abs(roundToFormat(value, APFloat::IEEEquad())) >
           abs(roundToFormat(limit, APFloat::IEEEquad()));
  };
  bool isFiniteOnly = hasOnlyFiniteValues(type);
  if (isFiniteOnly && t.isNaN())
    return APFloat::getLargest(target);
  // Whatever the mode, a value between the largest one and what follows does
  // not come back into the range.
  if ((semantics.floatOverflow == FloatOverflow::Saturate || isFiniteOnly) &&
      isBeyond(t))
    return limit;
  auto mode = getAPFloatMode(semantics.rounding, isNegative);
  if (mode || !t.isFinite() || t.isZero()) {
    bool losesInfo;
    APFloat value = t;
    value.convert(target, mode.value_or(kNearest), &losesInfo);
    return value;
  }
  APFloat rounded = roundToPrecision(t, target);
  if (semantics.rounding == Rounding::ToOdd && isBeyond(rounded))
    return limit;
  return roundToFormat(rounded, target);
}

/// The code in the type of the storage.
static std::optional<Number> toNumber(const std::optional<APSInt> &code,
                                      const Storage &storage) {
  if (!code)
    return std::nullopt;
  return Number(APSInt(code->trunc(storage.getWidth()),
                       /*isUnsigned=*/!storage.isSigned));
}

std::optional<Number>
mlir::qdq::evaluateQuantize(const Semantics &semantics, const Storage &storage,
                            const Number &x, const APFloat &scale,
                            const ZeroPointNumber &zeroPoint, uint64_t index) {
  APFloat quotient = evaluateQuotient(semantics, storage, x, scale, zeroPoint);
  return evaluateCodeOfQuotient(semantics, storage, quotient, zeroPoint, index);
}

APFloat mlir::qdq::evaluateQuotient(const Semantics &semantics,
                                    const Storage &storage, const Number &x,
                                    const APFloat &scale,
                                    const ZeroPointNumber &zeroPoint) {
  QuantizeEvaluator evaluator{semantics, storage, zeroPoint, /*index=*/0};
  return evaluator.quotient(x, scale);
}

std::optional<Number> mlir::qdq::evaluateCodeOfQuotient(
    const Semantics &semantics, const Storage &storage, const APFloat &quotient,
    const ZeroPointNumber &zeroPoint, uint64_t index) {
  QuantizeEvaluator evaluator{semantics, storage, zeroPoint, index};
  if (storage.isFloat())
    return Number(evaluator.toFloatStorage(quotient));
  return toNumber(evaluator.toCode(roundReal(semantics, quotient, index)),
                  storage);
}

std::optional<Number> mlir::qdq::evaluateCodeOfProduct(
    const Semantics &semantics, const Storage &storage, const APFloat &x,
    const APFloat &factor, const ZeroPointNumber &zeroPoint) {
  QuantizeEvaluator evaluator{semantics, storage, zeroPoint, 0};
  APFloat t = evaluator.product(x, factor);
  return toNumber(evaluator.toCode(roundReal(semantics, t, 0)), storage);
}

std::optional<Number> mlir::qdq::evaluateCode(const Semantics &semantics,
                                              const Storage &storage,
                                              const APSInt &v) {
  QuantizeEvaluator evaluator{semantics, storage, ZeroPointNumber(), 0};
  return toNumber(evaluator.toCode(resize(v, getSumBits(countBits(v)))),
                  storage);
}

APFloat mlir::qdq::evaluateDequantize(const Semantics &semantics,
                                      FloatType expressed, const Number &q,
                                      const APFloat &scale,
                                      const ZeroPointNumber &zeroPoint) {
  FloatType compute = semantics.compute;
  const llvm::fltSemantics &format = compute.getFloatSemantics();
  const APSInt *code = std::get_if<APSInt>(&q);
  const APSInt *z =
      zeroPoint.value ? std::get_if<APSInt>(&*zeroPoint.value) : nullptr;

  // The difference, in the type in which it is made.
  const llvm::fltSemantics &real = semantics.subtract == Subtract::Output
                                       ? expressed.getFloatSemantics()
                                       : format;
  auto getDifference = [&] {
    auto [minuend, subtrahend] = widen(*code, *z);
    return minuend - subtrahend;
  };
  auto subtract = [&] {
    bool isInteger = code && z;
    switch (isInteger ? semantics.subtract : Subtract::Float) {
    case Subtract::Wide:
      return toFloat(getDifference(), format);
    case Subtract::Wrap32:
      return toFloat(APSInt(getDifference().trunc(32), /*isUnsigned=*/false),
                     format);
    case Subtract::Float:
    case Subtract::Output: {
      APFloat difference = toFloat(q, real);
      difference.subtract(toFloat(*zeroPoint.value, real), kNearest);
      return difference;
    }
    }
    llvm_unreachable("unknown subtraction");
  };
  APFloat value = roundToFormat(
      isStored(zeroPoint) ? subtract() : toFloat(q, real), format);

  APFloat factor = roundToFormat(scale, format);
  if (!isExpressed(zeroPoint)) {
    value.multiply(factor, kNearest);
  } else {
    APFloat bias = toFloat(*zeroPoint.value, format);
    if (semantics.fusion == Fusion::FMA) {
      value.fusedMultiplyAdd(factor, bias, kNearest);
    } else {
      value.multiply(factor, kNearest);
      value.add(bias, kNearest);
    }
  }
  return roundToFormat(value, expressed.getFloatSemantics());
}
