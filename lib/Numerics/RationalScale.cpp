// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales of accumulators as rational numbers.

#include "RationalScale.h"
#include "EvaluatorParts.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

/// Holds twice the product of two f64 over a third, with room for 64-bit
/// factors and shifts of up to 126.
static constexpr unsigned kWidth = 4096;
static constexpr unsigned kNarrowWidth = 768;

namespace {
/// A finite positive float as `significand * 2^exponent`, the significand odd.
struct Binary {
  APInt significand;
  int64_t exponent;
};
} // namespace

static Binary toBinary(APFloat value) {
  bool isExact;
  value = roundToFormat(value, APFloat::IEEEquad());
  int exponent = ilogb(value) - 112;
  APSInt integer(128, /*isUnsigned=*/true);
  scalbn(value, -exponent, APFloat::rmNearestTiesToEven)
      .convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  unsigned zeros = integer.countr_zero();
  return {integer.lshr(zeros), exponent + static_cast<int64_t>(zeros)};
}

bool mlir::qdq::isPositive(const APFloat &value) {
  return value.isFiniteNonZero() && !value.isNegative();
}

APFloat mlir::qdq::multiplyExactly(APFloat a, APFloat b) {
  APFloat product = roundToFormat(a, APFloat::IEEEquad());
  product.multiply(roundToFormat(b, APFloat::IEEEquad()), kNearest);
  return product;
}

std::optional<CommonUnit> mlir::qdq::getCommonUnit(ArrayRef<APFloat> numbers) {
  SmallVector<Binary> parts;
  int64_t least = 0;
  for (const APFloat &number : numbers) {
    if (!isPositive(number))
      return std::nullopt;
    parts.push_back(toBinary(number));
    least = parts.size() == 1 ? parts.back().exponent
                              : std::min(least, parts.back().exponent);
  }
  APFloat one(APFloat::IEEEquad(), 1);
  CommonUnit result{{}, scalbn(one, least, APFloat::rmNearestTiesToEven)};
  for (const Binary &part : parts) {
    int64_t shift = part.exponent - least;
    if (part.significand.getActiveBits() + shift > 63)
      return std::nullopt;
    result.multiples.push_back(part.significand.getZExtValue() << shift);
  }
  return result;
}

/// In as few bits as every later step needs.
Ratio mlir::qdq::getDoubledScale(const RescaleScales &scales) {
  Binary a = toBinary(scales.a), b = toBinary(scales.b), y = toBinary(scales.y);
  int64_t exponent = a.exponent + b.exponent - y.exponent + 1;
  unsigned width = std::abs(exponent) < 256 ? kNarrowWidth : kWidth;
  Ratio ratio{a.significand.zext(width) * b.significand.zext(width),
              y.significand.zext(width)};
  (exponent > 0 ? ratio.num : ratio.den) <<= std::abs(exponent);
  return ratio;
}
