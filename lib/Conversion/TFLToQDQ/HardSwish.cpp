// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.hard_swish of 8 bits: x min(max(x + 3, 0), 6) / 6, as a table of all
// codes.

#include "Elementwise.h"
#include "KernelTables.h"
#include "Rescaling.h"
#include "Translations.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// The kernel's numbers of 16 bits
//===----------------------------------------------------------------------===//

namespace {
/// About `multiplier` / 2^15 times 2^exponent.
struct Multiplier16 {
  int64_t multiplier;
  int exponent;
};
} // namespace

static std::optional<Multiplier16> getMultiplier(float real) {
  auto fixed = getFixedMultiplier(Rescale::Fixed15, real);
  if (!fixed)
    return std::nullopt;
  return Multiplier16{fixed->multiplier, static_cast<int>(15 - fixed->shift)};
}

static int64_t saturate(int64_t x) {
  return std::clamp<int64_t>(x, INT16_MIN, INT16_MAX);
}

/// a b / 2^15, to nearest, ties up.
static int64_t multiplyHigh16(int64_t a, int64_t b) {
  return (a * b + (1 << 14)) >> 15;
}

/// The code of a difference, less the zero point. `output` rescales it, and
/// `unit` makes the part of it that counts a number from 0 to 1.
static int64_t evaluate(int64_t difference, Multiplier16 output,
                        Multiplier16 unit) {
  int64_t x = difference * (1 << 7);
  int64_t part = x;
  // Saturation before the last bit has no part in the result.
  if (unit.exponent > 0)
    part = saturate(part * (1 << std::min(unit.exponent - 1, 16)));
  part = multiplyHigh16(part, unit.multiplier);
  if (unit.exponent > 0)
    part = saturate(2 * part);
  else
    part = shiftRight(part, -unit.exponent);
  part = (part + (1 << 15)) >> 1;
  // Toward zero.
  int64_t product = part * multiplyHigh16(x, output.multiplier) / (1 << 15);
  return shiftRight(product, -output.exponent);
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateHardSwish(const ForeignOp &op,
                                            const Stamp &stamp,
                                            const Unary &n) {
  if (!n.input.getStorage().isInteger(8))
    return op.refuse("has the input ", n.input.type, ": expected 8 bits");
  // In f32, as the kernel has it: 7 bits to spare, and 3 as 2^15.
  float spare = (1.0f / 128) * n.input.getFloatScale();
  auto output = getMultiplier(spare / n.result.getFloatScale());
  auto unit = getMultiplier(spare / (3.0f / 32768));
  if (!output || !unit || output->exponent > 0 || output->exponent < -31 ||
      unit->exponent < -31)
    return op.refuse("has scales of ", n.input.getFloatScale(), " and ",
                     n.result.getFloatScale(),
                     ", which the 16 bits of its kernel do not hold");

  return replaceByTable(op, n, [&](int64_t code) {
    return evaluate(code - n.input.getZeroPoint(), *output, *unit) +
           n.result.getZeroPoint();
  });
}
