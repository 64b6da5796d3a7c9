// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.logistic and tfl.tanh of 16 bits: LiteRT interpolates in one table, since
// tanh(x) = 2 logistic(2 x) - 1.

#include "../ForeignOps/TensorOps.h"
#include "Elementwise.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// logistic(i / 24) in units of 2^-16, as LiteRT 2.3 has it: 44 of them are one
/// more than the nearest integer.
static constexpr uint16_t kLogistic[] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498,
    40149, 40794, 41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255,
    46817, 47369, 47911, 48443, 48964, 49475, 49975, 50464, 50942, 51409, 51865,
    52311, 52745, 53169, 53581, 53983, 54374, 54755, 55125, 55485, 55834, 56174,
    56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544, 58800, 59048, 59288,
    59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279, 61441,
    61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886,
    62990, 63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835,
    63903, 63968, 64030, 64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450,
    64494, 64536, 64576, 64614, 64652, 64687, 64721, 64754, 64786, 64816, 64845,
    64873, 64900, 64926, 64950, 64974, 64997, 65019, 65039, 65060, 65079, 65097,
    65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234, 65246, 65258,
    65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
    65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425,
    65429, 65433, 65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465,
    65468, 65471, 65474, 65476, 65479, 65481, 65483, 65485, 65488, 65489, 65491,
    65493, 65495, 65497, 65498, 65500, 65501, 65503, 65504, 65505, 65507, 65508,
    65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516, 65517, 65517, 65518,
    65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524, 65525,
    65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529,
    65529, 65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531,
    65532, 65532, 65532, 65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533,
    65533, 65533, 65533, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534,
    65534, 65534, 65535};

namespace {
/// Brings a code to units of 1 / (24 * 512): times `multiplier`,
/// shifted right by `shift`, to nearest, ties up.
struct InputScale {
  int32_t multiplier, shift;
  /// LiteRT's optimized kernel has another arithmetic for this scale.
  bool isPowerOfTwo;
};
} // namespace

/// The exponent of what is nearly a power of two, as LiteRT decides it.
static std::optional<int> getExponent(float scale) {
  float exponent = std::log(scale) * (1.0f / std::log(2.0f));
  float rounded = std::round(exponent);
  if (!(std::fabs(exponent - rounded) < 1e-3f))
    return std::nullopt;
  return static_cast<int>(rounded);
}

static InputScale getInputScale(float scale, bool isTanh) {
  if (std::optional<int> exponent = getExponent(scale)) {
    int shift = *exponent + 12;
    if (shift == 0 || (isTanh && shift == 1))
      return {3 << shift, 0, true};
  }
  double multiplier = double(scale) * 4096.0 * 3.0;
  int32_t shift = 0;
  for (; multiplier <= 32767.0 / 2.0 && shift <= 30; ++shift)
    multiplier *= 2;
  return {static_cast<int32_t>(multiplier), shift, false};
}

/// The entries around |number|, `places` bits below an index, in one number
/// with as many places more.
static Scalar interpolate(Value table, Scalar magnitude, int places,
                          int64_t saturated) {
  Scalar whole = magnitude.apply<arith::ShRUIOp>(places);
  Scalar last = whole.constant(int64_t(std::size(kLogistic)) - 1);
  Scalar below = whole.apply<arith::MinUIOp>(std::size(kLogistic) - 2);
  Scalar low = readEntry(table, below), high = readEntry(table, below + 1);
  Scalar slope = (magnitude & ((1 << places) - 1)) * (high - low);
  Scalar sum = (low << places) + slope;
  return select(isBelow(whole, last), sum, saturated);
}

static Scalar evaluate(Value table, Scalar code, const InputScale &scale,
                       bool isTanh) {
  B &b = code.getBuilder();
  Scalar number = code.to(b.getI32Type()) * scale.multiplier;
  if (scale.shift)
    number = (number + (int64_t(1) << (scale.shift - 1))) >> scale.shift;
  Scalar magnitude = abs(number);
  // tanh reads at twice the number, with one place fewer.
  Scalar sum = isTanh ? interpolate(table, magnitude, 8, 0xffff << 8)
                      : interpolate(table, magnitude, 9, 0x7fff << 10);
  Scalar isPositive = number >= 0;
  // A half, with which the shift rounds to nearest.
  int64_t half = isTanh ? 1 << 7 : 1 << 9, one = isTanh ? 1 << 23 : 1 << 25;
  Scalar up = sum + (isTanh ? half - one : half);
  Scalar down = (one + half - 1) - sum;
  return (select(isPositive, up, down) >> (isTanh ? 8 : 10)).to(b.getI16Type());
}

LogicalResult mlir::qdq::translateSigmoid16(const ForeignOp &op,
                                            const Stamp &stamp, const Unary &n,
                                            bool isTanh) {
  float resultScale = n.result.getFloatScale();
  if (n.input.getZeroPoint() || n.result.getZeroPoint() ||
      getExponent(resultScale) != -15)
    return op.refuse("has the zero points ", n.input.getZeroPoint(), " and ",
                     n.result.getZeroPoint(), " and a result of scale ",
                     resultScale,
                     ": expected no zero points, and the scale 1/32768, as "
                     "LiteRT's kernel of 16 bits does");
  float inputScale = n.input.getFloatScale();
  InputScale scale = getInputScale(inputScale, isTanh);
  if (scale.multiplier > INT16_MAX)
    return op.refuse("has the input scale ", inputScale,
                     ", whose multiplier the 16 bits of its kernel do not "
                     "hold");
  if (scale.isPowerOfTwo && stamp.getProfile() == Profile::XNNPACK)
    return op.refuse("has the input scale ", inputScale,
                     ", a power of two for which LiteRT's default kernel has "
                     "another arithmetic; profile=tflite has this one");

  B b(op.getLoc(), op.getRewriter());
  SmallVector<int32_t> entries(std::begin(kLogistic), std::end(kLogistic));
  auto type = RankedTensorType::get(entries.size(), b.getI32Type());
  Value table = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef(entries)));
  return replaceWithStorage(
      op,
      mapElements(b, {n.input.getCodes(op)}, b.getI16Type(), [&](Scalar code) {
        return evaluate(table, code, scale, isTanh);
      }));
}
