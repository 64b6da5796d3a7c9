// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// math rounding ops to arith: adding and subtracting 2^23 (2^52 in f64) rounds
// a smaller magnitude to an integer, to nearest even.

#include "qdq/Transforms/Legalize/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/Numerics/Scalar.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// `base + amount` where the condition holds, else `base`.
static Scalar stepIf(Scalar condition, Scalar base, double amount) {
  return select(condition, base + amount, base);
}

namespace {
/// Sign and magnitude of a float, and integral values of the magnitude.
class Magnitude {
public:
  explicit Magnitude(const Scalar &v)
      : type(cast<FloatType>(v.getElement())),
        bitsType(IntegerType::get(type.getContext(), type.getWidth())),
        bits(v.bitcast(bitsType)),
        sign(bits & APInt::getSignMask(type.getWidth())),
        value((bits & ~APInt::getSignMask(type.getWidth())).bitcast(type)) {}

  Scalar get() const { return value; }

  /// To nearest, ties to even. From `shift` on, everything is integral; NaN and
  /// infinities are kept.
  Scalar roundEven() const {
    FloatType own = type;
    Scalar shift =
        value.constant(std::ldexp(1.0, own.getFPMantissaWidth() - 1));
    Scalar rounded = value + shift - shift;
    return select(value < shift, rounded, value);
  }

  Scalar floor() const {
    Scalar nearest = roundEven();
    return stepIf(nearest > value, nearest, -1.0);
  }

  Scalar roundHalfUp() const {
    Scalar below = floor(), fraction = value - below;
    return stepIf(fraction >= 0.5, below, 1.0);
  }

  /// `magnitude` with the sign of the original.
  Scalar withSign(Scalar magnitude) const {
    return (magnitude.bitcast(bitsType) | sign).bitcast(type);
  }

private:
  FloatType type;
  Type bitsType;
  Scalar bits, sign, value;
};
} // namespace

static Scalar expand(math::AbsFOp, const Magnitude &m, Scalar) {
  return m.get();
}
static Scalar expand(math::RoundEvenOp, const Magnitude &m, Scalar) {
  return m.withSign(m.roundEven());
}
static Scalar expand(math::RoundOp, const Magnitude &m, Scalar) {
  return m.withSign(m.roundHalfUp());
}
static Scalar expand(math::TruncOp, const Magnitude &m, Scalar) {
  return m.withSign(m.floor());
}
static Scalar expand(math::FloorOp, const Magnitude &m, Scalar v) {
  Scalar nearest = m.withSign(m.roundEven());
  return stepIf(nearest > v, nearest, -1.0);
}
static Scalar expand(math::CeilOp, const Magnitude &m, Scalar v) {
  Scalar nearest = m.withSign(m.roundEven());
  // The sign again: from -1, the step to zero is a step to -0.
  return m.withSign(stepIf(nearest < v, nearest, 1.0));
}

template <typename OpTy>
static LogicalResult expandRounding(OpTy op, PatternRewriter &rewriter) {
  Value v = op.getOperand();
  if (isa<TensorType>(v.getType()))
    return rewriter.notifyMatchFailure(op, "is on a tensor");
  if (!isa<Float32Type, Float64Type>(getElementTypeOrSelf(v)))
    return rewriter.notifyMatchFailure(op, "is not on f32 or f64");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Scalar x(b, v);
  rewriter.replaceOp(op, Value(expand(op, Magnitude(x), x)));
  return success();
}

namespace {
struct ExpandMathPass : qdq::impl::ExpandMathPassBase<ExpandMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void mlir::qdq::populateExpandMathPatterns(RewritePatternSet &patterns,
                                           PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createExpandMathPass());
  auto add = [&](auto... ops) {
    patterns.add<FunctionPattern<expandRounding<decltype(ops)>>...>(
        patterns.getContext(), benefit);
  };
  add(math::AbsFOp(), math::RoundEvenOp(), math::RoundOp(), math::TruncOp(),
      math::FloorOp(), math::CeilOp());
}
