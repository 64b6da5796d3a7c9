// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp, tanh and erf of f32 as polynomials in f64, in place of calls of libm.

#include "../LowerToTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

/// Value nearest to `x` in [low, high], both values of f32. NaN stays.
static Scalar clamp(Scalar x, double low, double high) {
  Scalar most = x.constant(high);
  x = select(x > most, most, x);
  Scalar least = x.constant(low);
  return select(x < least, least, x);
}

static Scalar extend(const Scalar &x) {
  return x.to(x.getBuilder().getF64Type());
}
static Scalar truncate(const Scalar &x) {
  return x.to(x.getBuilder().getF32Type());
}

/// x * y + z, rounded once or twice: the results in f32 are the same.
static Scalar mulAdd(const Scalar &x, const Scalar &y, const Scalar &z) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  auto contract = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(b, x, y, contract);
  return Scalar(b, arith::AddFOp::create(b, product, z, contract));
}

/// coefficients[0] + coefficients[1] * x + …, by Horner's rule.
static Scalar polynomial(const Scalar &x, ArrayRef<double> coefficients) {
  Scalar sum = x.constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = mulAdd(sum, x, x.constant(coefficient));
  return sum;
}

/// exp(x) in f64 for |x| <= 104.5: 2^n * exp(r), r = x - n * log(2), where n is
/// the integer nearest to x / log(2). Relative error: 2^-51.
static Scalar expOfWide(const Scalar &x) {
  // exp(r) for |r| <= log(2) / 2. Minimax fit, relative error 2^-51.6.
  constexpr double coefficients[] = {
      1.0,
      1.0,
      0x1.ffffffffffed4p-2,
      0x1.55555555507d6p-3,
      0x1.5555555588a9ep-5,
      0x1.11111125ae36cp-7,
      0x1.6c16c0c96dd9dp-10,
      0x1.a0198d70d7690p-13,
      0x1.a01b79b48a82ap-16,
      0x1.72e8fd78480a9p-19,
      0x1.27094eca2f749p-22,
  };
  // log(2) in two parts: a product of n and the upper one is exact.
  constexpr double log2Upper = 0x1.62e42fefa3800p-1;
  constexpr double log2Lower = 0x1.ef35793c76730p-45;
  constexpr double log2Inverse = 0x1.71547652b82fep+0;
  // The last bit of a sum with this number is worth 1: n, in its lowest bits.
  Scalar shift = x.constant(0x1.8p52);
  Scalar shifted = mulAdd(x, x.constant(log2Inverse), shift);
  Scalar n = shifted - shift;
  Scalar r = mulAdd(n, n.constant(-log2Upper), x);
  r = mulAdd(n, n.constant(-log2Lower), r);
  Type i64 = x.getBuilder().getI64Type();
  Scalar power = ((shifted.bitcast(i64) << 52) + 0x3ff0000000000000)
                     .bitcast(x.getElement());
  return polynomial(r, coefficients) * power;
}

/// exp(x). The bounds give infinity and 0 in f32.
static Scalar expand(math::ExpOp, const Scalar &x) {
  return truncate(expOfWide(extend(clamp(x, -104.5, 89.0))));
}

/// tanh(x): (1 - e) / (1 + e), e = exp(-2 |x|), with the sign of x. Below
/// 2^-10, where 1 - e loses digits, x * (1 - x^2 / 3).
static Scalar expand(math::TanhOp, const Scalar &x) {
  Scalar wide = extend(clamp(x, -10.0, 10.0)), magnitude = abs(wide);
  Scalar e = expOfWide(magnitude * -2.0), one = e.constant(1);
  Scalar large = ((one - e) / (one + e)).apply<math::CopySignOp>(wide);
  Scalar square = wide * wide;
  Scalar small = wide * mulAdd(square, one.constant(-1.0 / 3), one);
  Scalar isSmall = magnitude < 0x1p-10;
  return truncate(select(isSmall, small, large));
}

/// erf(x): x * P(x^2) / Q(x^2) up to 3.92, from where on it is 1 in f32.
static Scalar expand(math::ErfOp, const Scalar &x) {
  // Minimax fit, relative error 2^-41.3.
  constexpr double numerator[] = {
      0x1.20dd75042a21ap+0,  0x1.8de6e7e6a217cp-3,  0x1.ddc0eb45fb5dcp-5,
      0x1.3eb79c1bbbb75p-8,  0x1.20375ceba3360p-11, 0x1.8db3dce6a8a0cp-16,
      0x1.311ccd1618a46p-20, 0x1.1f99fe36b3dcap-27, -0x1.1310ad6e35882p-36,
  };
  constexpr double denominator[] = {
      1.0,
      0x1.02d314427dd87p-1,
      0x1.ec4c3bd124a22p-4,
      0x1.20de258c63711p-6,
      0x1.cb32e6f1f9e12p-10,
      0x1.fa33bacf8129ap-14,
      0x1.743b30e13a4b1p-18,
      0x1.3329e285b30f0p-23,
  };
  Scalar wide = extend(clamp(x, -3.92, 3.92)), square = wide * wide;
  Scalar dividend = wide * polynomial(square, numerator);
  return truncate(dividend / polynomial(square, denominator));
}

template <typename OpTy>
static LogicalResult expandFunction(OpTy op, PatternRewriter &rewriter) {
  Value x = op.getOperand();
  Type type = x.getType();
  if (isa<TensorType>(type) || !getElementTypeOrSelf(type).isF32())
    return rewriter.notifyMatchFailure(op, "is not on f32 in registers");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOp(op, Value(expand(op, Scalar(b, x))));
  return success();
}

LogicalResult mlir::qdq::lowerFunctions(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add(expandFunction<math::ExpOp>);
  patterns.add(expandFunction<math::TanhOp>);
  patterns.add(expandFunction<math::ErfOp>);
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}
