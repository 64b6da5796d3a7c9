// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp, tanh and erf of f32 as polynomials in f64, in place of calls of libm.

#include "../LowerToTarget.h"
#include "RoundToOdd.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::CmpFPredicate;

namespace {
/// Arithmetic on floats of one shape. Constants are splats of that shape.
class Floats {
public:
  Floats(ImplicitLocOpBuilder &b, Type shape) : b(b), shape(shape) {}

  Value constant(Type element, double value) const {
    return splat(b.getFloatAttr(element, value));
  }
  Value wide(double value) const { return constant(b.getF64Type(), value); }
  Value bits(int64_t value) const { return splat(b.getI64IntegerAttr(value)); }

  /// Value nearest to `x` in [low, high], both values of f32. NaN stays.
  Value clamp(Value x, double low, double high) const {
    Type f32 = b.getF32Type();
    x = select(CmpFPredicate::OGT, x, constant(f32, high));
    return select(CmpFPredicate::OLT, x, constant(f32, low));
  }
  Value extend(Value x) const {
    return arith::ExtFOp::create(b, cloneWith(shape, b.getF64Type()), x);
  }
  Value truncate(Value x) const {
    return arith::TruncFOp::create(b, cloneWith(shape, b.getF32Type()), x);
  }
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, x, y); }

  /// x * y + z, rounded once or twice: the results in f32 are the same.
  Value mulAdd(Value x, Value y, Value z) const {
    auto contract = arith::FastMathFlags::contract;
    Value product = arith::MulFOp::create(b, x, y, contract);
    return arith::AddFOp::create(b, product, z, contract);
  }
  /// coefficients[0] + coefficients[1] * x + …, by Horner's rule.
  Value polynomial(Value x, ArrayRef<double> coefficients) const {
    Value sum = wide(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = mulAdd(sum, x, wide(coefficient));
    return sum;
  }
  Value bitcast(Type element, Value x) const {
    return arith::BitcastOp::create(b, cloneWith(shape, element), x);
  }

  /// `limit` where `x` compares so with it, else `x`.
  Value select(CmpFPredicate predicate, Value x, Value limit) const {
    Value beyond = arith::CmpFOp::create(b, predicate, x, limit);
    return arith::SelectOp::create(b, beyond, limit, x);
  }

  ImplicitLocOpBuilder &b;

private:
  Value splat(TypedAttr element) const {
    if (auto shaped = dyn_cast<ShapedType>(cloneWith(shape, element.getType())))
      element = DenseElementsAttr::get(shaped, element);
    return arith::ConstantOp::create(b, element);
  }

  Type shape;
};
} // namespace

/// exp(x) in f64 for |x| <= 104.5: 2^n * exp(r), r = x - n * log(2), where n is
/// the integer nearest to x / log(2). Relative error: 2^-51.
static Value expOfWide(const Floats &f, Value x) {
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
  Value shift = f.wide(0x1.8p52);
  Value shifted = f.mulAdd(x, f.wide(log2Inverse), shift);
  Value n = f.sub(shifted, shift);
  Value r = f.mulAdd(n, f.wide(-log2Upper), x);
  r = f.mulAdd(n, f.wide(-log2Lower), r);
  Value bits = f.bitcast(f.b.getI64Type(), shifted);
  bits = arith::ShLIOp::create(f.b, bits, f.bits(52));
  bits = arith::AddIOp::create(f.b, bits, f.bits(0x3ff0000000000000));
  Value power = f.bitcast(f.b.getF64Type(), bits);
  return f.mul(f.polynomial(r, coefficients), power);
}

/// exp(x). The bounds give infinity and 0 in f32.
static Value expand(const Floats &f, math::ExpOp, Value x) {
  return f.truncate(expOfWide(f, f.extend(f.clamp(x, -104.5, 89.0))));
}

/// tanh(x): (1 - e) / (1 + e), e = exp(-2 |x|), with the sign of x. Below
/// 2^-10, where 1 - e loses digits, x * (1 - x^2 / 3).
static Value expand(const Floats &f, math::TanhOp, Value x) {
  Value wide = f.extend(f.clamp(x, -10.0, 10.0));
  Value magnitude = math::AbsFOp::create(f.b, wide);
  Value e = expOfWide(f, f.mul(magnitude, f.wide(-2.0)));
  Value one = f.wide(1.0);
  Value large = f.div(f.sub(one, e), f.add(one, e));
  large = math::CopySignOp::create(f.b, large, wide);
  Value square = f.mul(wide, wide);
  Value small = f.mul(wide, f.mulAdd(square, f.wide(-1.0 / 3), one));
  Value isSmall = arith::CmpFOp::create(f.b, CmpFPredicate::OLT, magnitude,
                                        f.wide(0x1p-10));
  return f.truncate(arith::SelectOp::create(f.b, isSmall, small, large));
}

/// erf(x): x * P(x^2) / Q(x^2) up to 3.92, from where on it is 1 in f32.
static Value expand(const Floats &f, math::ErfOp, Value x) {
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
  Value wide = f.extend(f.clamp(x, -3.92, 3.92));
  Value square = f.mul(wide, wide);
  Value dividend = f.mul(wide, f.polynomial(square, numerator));
  return f.truncate(f.div(dividend, f.polynomial(square, denominator)));
}

template <typename OpTy>
static LogicalResult expandFunction(OpTy op, PatternRewriter &rewriter) {
  Value x = op.getOperand();
  Type type = x.getType();
  if (isa<TensorType>(type) || !getElementTypeOrSelf(type).isF32())
    return rewriter.notifyMatchFailure(op, "is not on f32 in registers");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOp(op, expand(Floats(b, type), op, x));
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
