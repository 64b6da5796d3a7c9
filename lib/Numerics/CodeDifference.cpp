// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The largest difference between the codes of one kind of rescaling and those
// of real numbers.
//
// Both never fall where the accumulator rises: each is a composition of steps
// that do not (conversion, product with a positive number, rounding, sum,
// bounds). The exact codes form one run of accumulators a code, whose ends are
// a division of rational numbers away. Within a run, the other code is lowest
// at its first accumulator and highest at its last, so these two tell its
// worst.

#include "qdq/Numerics/CodeDifference.h"
#include "RationalScale.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

static constexpr int64_t kMaxCodes = int64_t(1) << 20;

namespace {
/// Where real numbers begin that round to `integer` or more.
struct Threshold {
  int64_t halves;
  bool isIncluded;
};
} // namespace

static Threshold getThreshold(int64_t integer, Rounding rounding) {
  // Beyond the integer below, at the middle, and at the integer itself.
  Threshold beyond{2 * integer - 2, false}, here{2 * integer, true};
  auto middle = [&](bool isIncluded) {
    return Threshold{2 * integer - 1, isIncluded};
  };
  bool isOdd = integer & 1, isAboveZero = integer > 0;
  switch (rounding) {
  case Rounding::NearestEven:
    return middle(!isOdd);
  case Rounding::NearestAway:
    return middle(isAboveZero);
  case Rounding::NearestUp:
    return middle(true);
  case Rounding::NearestDown:
    return middle(false);
  case Rounding::TowardZero:
    return isAboveZero ? here : beyond;
  case Rounding::Floor:
    return here;
  case Rounding::Ceil:
    return beyond;
  case Rounding::AwayFromZero:
    return isAboveZero ? beyond : here;
  case Rounding::ToOdd:
    return isOdd ? beyond : here;
  case Rounding::Stochastic:
    break;
  }
  llvm_unreachable("requantize does not draw");
}

/// The least integer a with `a * doubled` at the threshold or above it, at most
/// `bound` in magnitude.
static int64_t getFirst(const Ratio &doubled, Threshold threshold,
                        int64_t bound) {
  unsigned width = doubled.num.getBitWidth();
  APInt halves(width, threshold.halves, /*isSigned=*/true);
  APInt dividend = halves * doubled.den;
  // Rounded down; then the next one where that is below the threshold.
  APInt quotient = llvm::APIntOps::RoundingSDiv(dividend, doubled.num,
                                                APInt::Rounding::DOWN);
  bool isHit = quotient * doubled.num == dividend;
  if (!isHit || !threshold.isIncluded)
    ++quotient;
  APInt limit(width, bound);
  if (quotient.sgt(limit))
    return bound + 1;
  return quotient.slt(-limit) ? -bound : quotient.getSExtValue();
}

/// True if codes saturate and never fall where the accumulator rises.
static bool isMonotone(const Semantics &semantics,
                       const RescaleNumbers &numbers,
                       const RescaleScales &scales) {
  return semantics.overflow == Overflow::Saturate &&
         llvm::all_of(ArrayRef{scales.a, scales.b, scales.y}, isPositive) &&
         llvm::all_of(numbers.multipliers, [](const Number &multiplier) {
           auto *real = std::get_if<APFloat>(&multiplier);
           return real ? isPositive(*real)
                       : std::get<APSInt>(multiplier).isNonNegative();
         });
}

std::optional<CodeDifference> mlir::qdq::measureCodeDifference(
    const Semantics &semantics, const Storage &storage,
    const RescaleNumbers &numbers, const RescaleScales &scales,
    const ZeroPointNumber &zeroPoint, uint64_t magnitude) {
  // The evaluator's function of Python asks about floats, too.
  if (!isMonotone(semantics, numbers, scales) || storage.isFloat() ||
      storage.getSpan() >= kMaxCodes)
    return std::nullopt;
  int64_t z = 0;
  if (zeroPoint.value)
    z = std::get<APSInt>(*zeroPoint.value).getExtValue();
  Ratio doubled = getDoubledScale(scales);
  int64_t bound = std::min<uint64_t>(magnitude, INT64_MAX - 1);
  CodeDifference worst;
  auto compare = [&](int64_t accumulator, int64_t code) {
    std::optional<Number> other = evaluateRequantize(
        semantics, storage, numbers, APSInt::get(accumulator), zeroPoint);
    int64_t difference =
        std::abs(std::get<APSInt>(*other).getExtValue() - code);
    if (difference > worst.difference)
      worst = {difference, accumulator};
  };
  bool addsFirst = semantics.order == Order::AddThenRound;
  int64_t first = -bound;
  for (int64_t code = storage.lo; code <= storage.hi; ++code) {
    int64_t next = bound + 1;
    if (code < storage.hi) {
      // Of the sum with the zero point, or of the product alone.
      Threshold threshold =
          getThreshold(code + 1 - (addsFirst ? 0 : z), semantics.rounding);
      if (addsFirst)
        threshold.halves -= 2 * z;
      next = getFirst(doubled, threshold, bound);
    }
    if (next <= first)
      continue;
    compare(first, code);
    compare(next - 1, code);
    first = next;
  }
  return worst;
}
