// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requantize on constants: products and quotients of integers of unbounded
// width, where the emitter has masks and shifts.

#include "EvaluatorParts.h"
#include "qdq/Numerics/Rescale.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

/// Holds every sum and product, and twice their remainders.
static constexpr unsigned kBits = 512;

static APSInt widen(const APSInt &value) {
  APSInt wide = value.extend(kBits);
  wide.setIsSigned(true);
  return wide;
}

/// `numerator / denominator`, a positive one, to an integer.
static APSInt divideAndRound(const APSInt &numerator, const APSInt &denominator,
                             Rounding rounding) {
  APSInt magnitude(numerator.abs(), /*isUnsigned=*/false);
  APSInt whole = magnitude / denominator;
  APSInt twice = (magnitude - whole * denominator) * wideInt(2, kBits);
  bool isNegative = numerator.isNegative();
  bool isTie = twice == denominator, isInexact = !twice.isZero();
  bool isAbove = twice > denominator;
  bool isUp = false;
  switch (rounding) {
  case Rounding::NearestEven:
    isUp = isAbove || (isTie && whole[0]);
    break;
  case Rounding::NearestAway:
    isUp = isAbove || isTie;
    break;
  case Rounding::NearestUp:
    isUp = isAbove || (isTie && !isNegative);
    break;
  case Rounding::NearestDown:
    isUp = isAbove || (isTie && isNegative);
    break;
  case Rounding::TowardZero:
    break;
  case Rounding::Floor:
    isUp = isInexact && isNegative;
    break;
  case Rounding::Ceil:
    isUp = isInexact && !isNegative;
    break;
  case Rounding::AwayFromZero:
    isUp = isInexact;
    break;
  case Rounding::ToOdd:
    isUp = isInexact && !whole[0];
    break;
  case Rounding::Stochastic:
    llvm_unreachable("requantize does not draw");
  }
  if (isUp)
    ++whole;
  return isNegative ? -whole : whole;
}

static APSInt powerOfTwo(int64_t exponent) {
  return APSInt(APInt::getOneBitSet(kBits, exponent), /*isUnsigned=*/false);
}

/// A shift or fraction within [0, high].
static int64_t getBounded(const APSInt &value, int64_t high) {
  return std::clamp<int64_t>(value.getExtValue(), 0, high);
}

/// The sum of the rounded product and the zero point `z`.
static APSInt evaluateFixed(const Semantics &semantics,
                            const RescaleNumbers &numbers, const APSInt &input,
                            const APSInt &z) {
  APSInt x = widen(input);
  if (numbers.limit)
    x = std::clamp(x, -wideInt(*numbers.limit, kBits),
                   wideInt(*numbers.limit, kBits));
  APSInt product = x * widen(std::get<APSInt>(numbers.multipliers.front()));
  int64_t shift = getBounded(*numbers.shift, getMaxShift(numbers.rescale));
  switch (numbers.rescale) {
  case Rescale::Fixed31Double: {
    int64_t first = std::min<int64_t>(shift, 31);
    APSInt high =
        divideAndRound(product, powerOfTwo(first), Rounding::NearestUp);
    return z + divideAndRound(high, powerOfTwo(shift - first),
                              Rounding::NearestAway);
  }
  case Rescale::Fixed31Single:
  case Rescale::Fixed15:
    return z + divideAndRound(product, powerOfTwo(shift), Rounding::NearestUp);
  case Rescale::Exact: {
    int64_t places = shift;
    if (numbers.fraction) {
      places = getBounded(*numbers.fraction, shift);
      product = divideAndRound(product, powerOfTwo(shift - places),
                               Rounding::TowardZero);
    }
    APSInt one = powerOfTwo(places);
    if (semantics.order == Order::AddThenRound)
      return divideAndRound(product + z * one, one, semantics.rounding);
    return z + divideAndRound(product, one, semantics.rounding);
  }
  case Rescale::QDQ:
  case Rescale::F32:
  case Rescale::F64:
  case Rescale::Separate:
    break;
  }
  llvm_unreachable("the multiplier is a float");
}

/// The format in which the scales of `f64` give M: their own, or one that holds
/// them all.
static const llvm::fltSemantics &getScaleFormat(ArrayRef<Number> scales) {
  auto format = [](const Number &scale) -> const llvm::fltSemantics & {
    return std::get<APFloat>(scale).getSemantics();
  };
  const llvm::fltSemantics &first = format(scales.front());
  bool isOne = llvm::all_of(
      scales, [&](const Number &scale) { return &format(scale) == &first; });
  if (isOne && APFloat::semanticsSizeInBits(first) > 8)
    return first;
  bool isDouble = llvm::any_of(scales, [&](const Number &scale) {
    return &format(scale) == &APFloat::IEEEdouble();
  });
  return isDouble ? APFloat::IEEEdouble() : APFloat::IEEEsingle();
}

static std::optional<Number> evaluateFloat(const Semantics &semantics,
                                           const Storage &storage,
                                           const RescaleNumbers &numbers,
                                           const APSInt &input,
                                           const ZeroPointNumber &zeroPoint) {
  ArrayRef<Number> scales = numbers.multipliers;
  bool isDouble = numbers.rescale == Rescale::F64 ||
                  (numbers.rescale == Rescale::QDQ &&
                   &std::get<APFloat>(scales.front()).getSemantics() ==
                       &APFloat::IEEEdouble());
  const llvm::fltSemantics &format =
      isDouble ? APFloat::IEEEdouble() : APFloat::IEEEsingle();
  APFloat x = toFloat(Number(input), format);
  auto getScale = [&](unsigned i) { return std::get<APFloat>(scales[i]); };
  if (numbers.rescale == Rescale::QDQ) {
    x.multiply(roundToFormat(getScale(0), format), kNearest);
    return evaluateQuantize(semantics, storage, Number(x), getScale(1),
                            zeroPoint, /*index=*/0);
  }
  Semantics own = semantics;
  MLIRContext *ctx = storage.type.getContext();
  own.compute =
      isDouble ? FloatType(Float64Type::get(ctx)) : Float32Type::get(ctx);
  APFloat factor = APFloat::getOne(format);
  if (numbers.rescale == Rescale::Separate) {
    x.multiply(roundToFormat(getScale(0), format), kNearest);
    x.multiply(roundToFormat(getScale(1), format), kNearest);
    factor.divide(roundToFormat(getScale(2), format), kNearest);
  } else if (scales.size() == 1) {
    factor = roundToFormat(getScale(0), format);
  } else {
    factor = roundToFormat(
        getFloatMultiplier(
            getScale(0), getScale(1), getScale(2),
            numbers.rescale == Rescale::F32 ? format : getScaleFormat(scales)),
        format);
  }
  return evaluateCodeOfProduct(own, storage, x, factor, zeroPoint);
}

std::optional<Number> mlir::qdq::evaluateRequantize(
    const Semantics &semantics, const Storage &storage,
    const RescaleNumbers &numbers, const APSInt &input,
    const ZeroPointNumber &zeroPoint) {
  if (!isFixedPoint(numbers.rescale))
    return evaluateFloat(semantics, storage, numbers, input, zeroPoint);
  APSInt z = wideInt(0, kBits);
  if (zeroPoint.value)
    z = widen(std::get<APSInt>(*zeroPoint.value));
  return evaluateCode(semantics, storage,
                      evaluateFixed(semantics, numbers, input, z));
}
