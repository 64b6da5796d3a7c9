// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The coefficients are those of ONNX Runtime's library MLAS, which has them
// from Eigen (tanh, logistic) and from public answers of N. Juffa (exp, erf).

#include "Functions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

static Scalar mulAdd(const Scalar &x, const Scalar &y, const Scalar &z,
                     bool isFused = true) {
  return isFused ? x.apply<math::FmaOp>(y, z) : x * y + z;
}

/// The polynomial whose leading coefficient comes first, by Horner's rule.
static Scalar polynomial(const Scalar &x, ArrayRef<double> coefficients,
                         bool isFused = true) {
  Scalar sum = x.constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = mulAdd(sum, x, x.constant(coefficient), isFused);
  return sum;
}

/// `limit` below it; NaN stays.
static Scalar clampBelow(const Scalar &x, double limit) {
  return select(x < limit, x.constant(limit), x);
}
static Scalar clampAbove(const Scalar &x, double limit) {
  return select(x > limit, x.constant(limit), x);
}

namespace {
/// x = rest + n * log(2) with the integer n nearest to x / log(2). `exponent`
/// is n in the place of a float's exponent.
struct Reduced {
  Scalar rest, exponent;
};
} // namespace

/// The bits of 1.0.
static constexpr int64_t kOne = 0x3f800000;

static Reduced reduce(const Scalar &x) {
  // The last bit of a sum with this number is worth 1: n, in its lowest bits.
  Scalar shift = x.constant(0x1.8p23);
  Scalar shifted = mulAdd(x, x.constant(1.44269504088896341), shift);
  Scalar n = shifted - shift;
  Scalar rest = mulAdd(n, x.constant(-6.93145752e-1), x);
  rest = mulAdd(n, x.constant(-1.42860677e-6), rest);
  Type bits = x.getBuilder().getI32Type();
  return {rest, shifted.bitcast(bits) << 23};
}

/// 2^n.
static Scalar toPower(const Scalar &exponent) {
  return (exponent + kOne).bitcast(exponent.getBuilder().getF32Type());
}

/// (e^x - 1) / x for |x| <= log(2) / 2.
static Scalar expTail(const Scalar &x) {
  return polynomial(x, {0x1.694000p-10, 0x1.125edcp-7, 0x1.555b5ap-5,
                        0x1.555450p-3, 0x1.fffff6p-2, 1.0});
}

Scalar Functions::exp(const Scalar &x) const {
  if (!areORT(x.getType()))
    return x.apply<math::ExpOp>();
  auto [rest, exponent] =
      reduce(clampBelow(clampAbove(x, 88.7762626647950), -103.9720840454));
  // Two powers reach the largest floats and the subnormal ones.
  Scalar normal = max(min(exponent, kOne), exponent.constant(-0x3f000000));
  Scalar first = toPower(exponent - normal), second = toPower(normal);
  return mulAdd(expTail(rest), rest * first, first) * second;
}

Scalar Functions::expOfNegative(const Scalar &x) const {
  if (!areORT(x.getType()))
    return x.apply<math::ExpOp>();
  auto [rest, exponent] = reduce(clampBelow(x, -88.3762626647949));
  return mulAdd(expTail(rest), rest, rest.constant(1)) * toPower(exponent);
}

Scalar Functions::tanh(const Scalar &input) const {
  if (!areORT(input.getType()))
    return input.apply<math::TanhOp>();
  double limit = isGRU ? 10 : 9;
  Scalar x = clampAbove(clampBelow(input, -limit), limit), square = x * x;
  Scalar dividend = polynomial(square,
                               {-2.76076847742355e-16, 2.00018790482477e-13,
                                -8.60467152213735e-11, 5.12229709037114e-08,
                                1.48572235717979e-05, 6.37261928875436e-04,
                                4.89352455891786e-03},
                               !isGRU) *
                    x;
  return dividend / polynomial(square,
                               {1.19825839466702e-06, 1.18534705686654e-04,
                                2.26843463243900e-03, 4.89352518554385e-03},
                               !isGRU);
}

Scalar Functions::logistic(const Scalar &input) const {
  if (!areORT(input.getType())) {
    Scalar one = input.constant(1);
    return one / (one + exp(-input));
  }
  Scalar x = clampAbove(clampBelow(input, -18), 18), square = x * x;
  Scalar dividend =
      polynomial(square, {4.37031012579801e-11, 1.15627324459942e-07,
                          6.08574864600143e-05, 8.51377133304701e-03,
                          2.48287947061529e-01}) *
      x;
  Scalar divisor =
      polynomial(square, {6.10247389755681e-13, 5.76102136993427e-09,
                          6.29106785017040e-06, 1.70198817374094e-03,
                          1.16817656904453e-01, 9.93151921023180e-01});
  return clampBelow(dividend / divisor + 0.5, 0);
}

/// x + x P(x^2) up to 0.921875; beyond, 1 - e^-(x + x Q(x)).
Scalar Functions::erf(const Scalar &input) const {
  if (!areORT(input.getType()))
    return input.apply<math::ErfOp>();
  Scalar x = clampAbove(abs(input), 3.925), one = x.constant(1);
  Scalar near =
      mulAdd(polynomial(x * x, {-5.99104969e-4, 4.99339588e-3, -2.67667342e-2,
                                1.12818025e-1, -3.76124859e-1, 1.28379151e-1}),
             x, x);
  Scalar power =
      mulAdd(polynomial(x, {1.72948930e-5, -3.83208680e-4, 3.88393435e-3,
                            -2.42545605e-2, 1.06777847e-1, 6.34846687e-1,
                            1.28717512e-1}),
             x, x);
  auto [rest, exponent] = reduce(clampBelow(-power, -88.3762626647949));
  Scalar tail = polynomial(rest, {1.38319808e-3, 8.37550033e-3, 4.16689515e-2,
                                  1.66664466e-1, 4.99999851e-1, 1, 1});
  Scalar far = one - tail * toPower(exponent);
  return select(x > 0.921875, far, near).apply<math::CopySignOp>(input);
}
