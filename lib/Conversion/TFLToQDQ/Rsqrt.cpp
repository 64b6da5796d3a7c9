// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.rsqrt: of 8 bits a table of all codes, of 16 bits lines.

#include "Elementwise.h"
#include "KernelTables.h"
#include "Rescaling.h"
#include "Translations.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

/// a b / 2^31, to nearest, ties away from zero.
static int64_t multiplyHigh31(int64_t a, int64_t b) {
  int64_t product = a * b;
  int64_t nudged = product + (product < 0 ? 1 - (1 << 30) : 1 << 30);
  return nudged / (int64_t(1) << 31); // toward zero
}

/// x times multiplier / 2^31 times 2^exponent, each step rounded.
static int64_t multiply(int64_t x, int64_t multiplier, int exponent) {
  int64_t high =
      multiplyHigh31(x * (int64_t(1) << std::max(exponent, 0)), multiplier);
  return shiftRight(high, std::max(-exponent, 0));
}

namespace {
/// About `multiplier` / 2^31 times 2^exponent.
struct Multiplier31 {
  int64_t multiplier;
  int exponent;
};
} // namespace

/// 1 / sqrt(x), by five steps of Newton's method from 1, with 3 integer bits.
static Multiplier31 getInverseRoot(int64_t x) {
  if (x <= 1)
    return {INT32_MAX, 0};
  // x times 4^pairs lies in [2^27, 2^29).
  int pairs = (llvm::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  int64_t input = (x << (2 * pairs)) >> 1;
  int64_t half = (input + 1) >> 1;
  constexpr int64_t kThreeHalves = (int64_t(1) << 28) + (1 << 27);
  int64_t root = int64_t(1) << 28;
  // Products of numbers with 3 integer bits have 6, and of three have 9.
  for (int step = 0; step < 5; ++step) {
    int64_t cube = multiplyHigh31(multiplyHigh31(root, root), root) * (1 << 6);
    root = (multiplyHigh31(kThreeHalves, root) - multiplyHigh31(half, cube)) *
           (1 << 3);
  }
  constexpr int64_t kHalfRootOfTwo = 1518500250;
  return {multiplyHigh31(root, kHalfRootOfTwo), pairs - 11};
}

LogicalResult mlir::qdq::translateRsqrt(const ForeignOp &op, const Stamp &stamp,
                                        const Unary &n) {
  // LiteRT stops at a negative number; at 0 it gives the largest code.
  if (n.input.getStorage().isInteger(16)) {
    float largest = n.result.getFloatScale() * INT16_MAX;
    return replaceByLines(
        op, n, [=](float x) { return x > 0 ? 1.0f / std::sqrt(x) : largest; });
  }
  double real = 1.0 / (std::sqrt(n.input.getScale().convertToDouble()) *
                       n.result.getScale().convertToDouble());
  auto fixed = getFixedMultiplier(Rescale::Fixed31Double, real);
  int exponent = fixed ? 31 - fixed->shift : 0;
  // The root is taken in units of 2^-20.
  constexpr int kPlaces = 20;
  if (!fixed || !fixed->multiplier || exponent > kPlaces ||
      exponent < kPlaces - 31)
    return op.refuse("has scales whose multiplier is ", real,
                     ", which the integer arithmetic of its kernel does not "
                     "hold");
  return replaceByTable(op, n, [&](int64_t code) {
    int64_t difference = code - n.input.getZeroPoint();
    if (difference <= 0)
      return n.result.hi;
    Multiplier31 root = getInverseRoot(difference);
    int64_t units = multiply(1, root.multiplier, root.exponent + kPlaces);
    return multiply(units, fixed->multiplier, exponent - kPlaces) +
           n.result.getZeroPoint();
  });
}
