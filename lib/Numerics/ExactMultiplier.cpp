// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multipliers of `rescale = exact`, and the argument that they are right for
// every accumulator.
//
// Let N bound the magnitude of the accumulator, a = 0 .. N, and let t be
// 2 * M, the scale in half units. Whatever the rounding, the code of a * M
// depends on floor(a * t) and on whether a * t is an integer: a value strictly
// between two multiples of a half is rounded as all others there are, and so is
// its negative.
//
// l <= t < u are neighbors among the fractions with denominators of at most N.
// For a multiplier mu with t' = 2 * mu in [l, u), floor(a * t') = floor(a * l)
// for every such a, since k / a in (l, u) would be a fraction between
// neighbors.
//
// 1. l < t: no a * t is an integer but that of a = 0. Any t' strictly between l
//    and u gives no integer either: same cell, same code.
// 2. l = t, and M is a multiple of a power of two: mu = M.
// 3. l = t otherwise: a * t is an integer for the multiples a of l's
//    denominator d. With mu >= M, a * t' is at the integer or above it. That is
//    right where a value just above a tie or an integer is rounded as the tie
//    or integer itself. Otherwise the magnitude is cut to g binary places with
//    2^(g-1) >= d and N * (mu - M) < 2^-g: exact values lose what they gained,
//    others are at least 1 / (2 d) >= 2^-g above a multiple of a half, and stay
//    off it.

#include "RationalScale.h"
#include "qdq/Support/Reason.h"
#include <string>

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APInt;

namespace {
/// The neighbors of a ratio among the fractions with bounded denominators.
struct Neighbors {
  /// `lower <= ratio < upper`; upper may be 1 / 0.
  Ratio lower, upper;
  /// True if `lower` is the ratio.
  bool isHit;
};
} // namespace

/// Walks down the Stern-Brocot tree, as Euclid's algorithm on numerator and
/// denominator does.
static Neighbors getNeighbors(const Ratio &ratio, uint64_t maxDenominator) {
  unsigned width = ratio.num.getBitWidth();
  APInt zero(width, 0), one(width, 1), bound(width, maxDenominator);
  Ratio lower{zero, one}, upper{one, zero};
  // num * lower.den - lower.num * den, and upper.num * den - num * upper.den.
  APInt below = ratio.num, above = ratio.den;
  // The steps that the bound on denominators leaves for `from` towards `to`.
  auto getRoom = [&](const Ratio &from, const Ratio &to) {
    return to.den.isZero() ? APInt::getMaxValue(width)
                           : (bound - from.den).udiv(to.den);
  };
  auto step = [](Ratio &from, const Ratio &to, const APInt &count) {
    from.num += count * to.num;
    from.den += count * to.den;
  };
  do {
    APInt count =
        llvm::APIntOps::umin(below.udiv(above), getRoom(lower, upper));
    step(lower, upper, count);
    below -= count * above;
    count = getRoom(upper, lower);
    if (!below.isZero())
      count = llvm::APIntOps::umin((above - one).udiv(below), count);
    step(upper, lower, count);
    above -= count * below;
  } while ((lower.den + upper.den).ule(bound));
  return {lower, upper, below.isZero()};
}

/// True if a value just above a tie, or above an integer, rounds as the tie or
/// integer does. It is the magnitude that is above, so away from zero, and that
/// of a sum with a zero point where this is added first.
static bool roundsFromAbove(Rounding rounding, Order order, bool hasTies) {
  switch (rounding) {
  case Rounding::NearestAway:
    return !hasTies || order == Order::RoundThenAdd;
  case Rounding::TowardZero:
    return order == Order::RoundThenAdd;
  case Rounding::NearestEven:
  case Rounding::NearestUp:
  case Rounding::NearestDown:
    return !hasTies;
  case Rounding::Floor:
  case Rounding::Ceil:
  case Rounding::AwayFromZero:
  case Rounding::ToOdd:
  case Rounding::Stochastic:
    return false;
  }
  llvm_unreachable("unknown rounding");
}

namespace {
struct ExactMultiplier {
  APInt multiplier;
  int64_t shift;
  std::optional<int64_t> fraction;
};
} // namespace

/// `ceil(ratio * 2^shift)`.
static APInt scaleUp(const Ratio &ratio, unsigned shift) {
  return llvm::APIntOps::RoundingUDiv(ratio.num << shift, ratio.den,
                                      APInt::Rounding::UP);
}

/// The multiplier with the smallest shift of the cases above.
static std::optional<ExactMultiplier> choose(const Ratio &doubled,
                                             uint64_t magnitude,
                                             Rounding rounding, Order order) {
  Neighbors neighbors = getNeighbors(doubled, magnitude);
  const Ratio &lower = neighbors.lower, &upper = neighbors.upper;
  int64_t maxShift = getMaxShift(Rescale::Exact);
  bool isDyadic = neighbors.isHit && lower.den.isPowerOf2();
  if (isDyadic) {
    // M is lower / 2.
    int64_t shift = lower.den.logBase2() + 1;
    unsigned zeros = std::min<int64_t>(lower.num.countr_zero(), shift);
    return ExactMultiplier{lower.num.lshr(zeros), shift - zeros, std::nullopt};
  }
  // Half units are odd multiples of lower.num then, where it is odd.
  if (neighbors.isHit && !roundsFromAbove(rounding, order, lower.num[0])) {
    int64_t fraction = 1 + lower.den.ceilLogBase2();
    int64_t shift = fraction + APInt(64, magnitude).ceilLogBase2();
    if (shift > maxShift)
      return std::nullopt;
    return ExactMultiplier{scaleUp(lower, shift - 1), shift, fraction};
  }
  for (int64_t shift = 1; shift <= maxShift; ++shift) {
    // Above `lower`, or at it where it is hit: below `upper` is left to see.
    APInt multiplier = scaleUp(lower, shift - 1);
    if (!neighbors.isHit && multiplier * lower.den == lower.num << (shift - 1))
      ++multiplier;
    if ((multiplier * upper.den).ult(upper.num << (shift - 1)))
      return ExactMultiplier{multiplier, shift, std::nullopt};
  }
  return std::nullopt;
}

FailureOr<ExactMultipliers> mlir::qdq::chooseExactMultipliers(
    ArrayRef<RescaleScales> channels, uint64_t magnitude,
    std::optional<int64_t> reach, Rounding rounding, Order order,
    std::string &reason) {
  if (rounding == Rounding::Stochastic)
    return refuse(reason, "stochastic rounding has no exact code");
  ExactMultipliers result;
  uint64_t limit = 1;
  bool hasFraction = false;
  for (const RescaleScales &scales : channels) {
    if (!llvm::all_of(ArrayRef{scales.a, scales.b, scales.y}, isPositive)) {
      reason = "a scale is not finite and positive";
      return failure();
    }
    Ratio doubled = getDoubledScale(scales);
    // From this magnitude on, every code saturates.
    uint64_t needed = std::max<uint64_t>(magnitude, 1);
    if (reach) {
      unsigned width = doubled.num.getBitWidth();
      APInt enough = llvm::APIntOps::RoundingUDiv(
          APInt(width, *reach + 1) * doubled.den * APInt(width, 2), doubled.num,
          APInt::Rounding::UP);
      needed = std::max<uint64_t>(1, enough.getLimitedValue(needed));
    }
    std::optional<ExactMultiplier> chosen =
        choose(doubled, needed, rounding, order);
    if (!chosen || chosen->multiplier.getActiveBits() > 63)
      return refuse(
          reason,
          "no multiplier of 64 bits is exact for accumulators of up to " +
              std::to_string(needed));
    limit = std::max(limit, needed);
    result.multipliers.push_back(chosen->multiplier.getZExtValue());
    result.shifts.push_back(chosen->shift);
    result.fractions.push_back(chosen->fraction.value_or(chosen->shift));
    hasFraction |= chosen->fraction.has_value();
  }
  if (!hasFraction)
    result.fractions.clear();
  result.limit = std::min<uint64_t>(limit, std::numeric_limits<int64_t>::max());
  return result;
}
