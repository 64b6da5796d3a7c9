// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of LiteRT's softmax. Fixed-point numbers are i64 here, in units
// that each comment says.

#include "KernelTables.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

/// a b / 2^31, to nearest, ties up.
static int64_t multiplyHigh(int64_t a, int64_t b) {
  return (a * b + (int64_t(1) << 30)) >> 31;
}

/// exp(a) in units of 2^-31, for a in [-1/4, 0) in units of 2^-31: the series
/// around -1/8 up to its fourth power.
static int64_t expOfQuarter(int64_t a) {
  constexpr int64_t kExpOfMinusEighth = 1895147668, kThird = 715827883;
  int64_t x = a + (int64_t(1) << 28);
  int64_t x2 = multiplyHigh(x, x), x3 = multiplyHigh(x2, x);
  int64_t fourth = shiftRight(multiplyHigh(x2, x2), 2);
  int64_t tail = shiftRight(multiplyHigh(fourth + x3, kThird) + x2, 1);
  return kExpOfMinusEighth + multiplyHigh(kExpOfMinusEighth, x + tail);
}

/// exp(a) in units of 2^-31, for a <= 0 in units of 2^-26: that of what lies
/// below a quarter, times exp(-2^k) for the bits above.
static int64_t expOfNegative(int64_t a) {
  if (a == 0)
    return INT32_MAX;
  constexpr int kPlaces = 26;
  constexpr int64_t kQuarter = int64_t(1) << (kPlaces - 2);
  int64_t low = (a & (kQuarter - 1)) - kQuarter;
  int64_t result = expOfQuarter(low * (1 << (31 - kPlaces)));
  // exp(-1/4), exp(-1/2), ... exp(-16).
  constexpr int64_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                  39332535,   720401,     242};
  int64_t rest = low - a;
  for (auto [bit, factor] : llvm::enumerate(kFactors))
    if ((rest >> (kPlaces - 2 + bit)) & 1)
      result = multiplyHigh(result, factor);
  return result;
}

SmallVector<int32_t> mlir::qdq::getFixedExpTable(double step) {
  // The multiplier of differences: `fixed` / 2^31 times 2^exponent, in units of
  // 2^-26.
  double real = std::min(step * (1 << 26), 2147483647.0);
  int exponent;
  int64_t fixed = std::llround(std::ldexp(std::frexp(real, &exponent), 31));
  if (fixed == int64_t(1) << 31) {
    fixed /= 2;
    ++exponent;
  }
  // Differences whose multiple needs more than 5 integer bits are left out.
  double radius = std::floor(31.0 * (1 << 26) / std::ldexp(1.0, exponent));
  SmallVector<int32_t> table(kDifferences, 0);
  for (int64_t difference = 0; difference < kDifferences; ++difference)
    if (difference <= radius)
      table[difference] = expOfNegative(multiplyHigh(
          -difference * (int64_t(1) << std::max(exponent, 0)), fixed));
  return table;
}

SmallVector<float> mlir::qdq::getFloatExpTable(float step) {
  SmallVector<float> table;
  for (int64_t difference = 0; difference < kDifferences; ++difference)
    table.push_back(std::exp(-step * static_cast<float>(difference)));
  return table;
}
