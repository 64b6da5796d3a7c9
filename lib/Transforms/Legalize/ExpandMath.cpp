// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// math rounding ops to arith: adding and subtracting 2^23 (2^52 in f64) rounds
// a smaller magnitude to an integer, to nearest even.

#include "qdq/Transforms/Legalize/ExpandMath.h"
#include "../../Numerics/RealOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;
using arith::CmpFPredicate;

namespace {
/// Sign and magnitude of a float, and integral values of the magnitude.
class Magnitude {
public:
  Magnitude(ImplicitLocOpBuilder &b, Value v) : b(b), type(v.getType()) {
    auto element = cast<FloatType>(getElementTypeOrSelf(v));
    unsigned width = element.getWidth();
    bitsType = withShapeOf(b.getIntegerType(width), type);
    APInt signMask = APInt::getSignMask(width);
    Value bits = arith::BitcastOp::create(b, bitsType, v);
    sign = arith::AndIOp::create(
        b, bits, intConstant(b, signMask.getSExtValue(), bitsType));
    Value rest = arith::AndIOp::create(
        b, bits, intConstant(b, (~signMask).getSExtValue(), bitsType));
    value = arith::BitcastOp::create(b, type, rest);
    firstIntegral = std::ldexp(1.0, element.getFPMantissaWidth() - 1);
  }

  Value get() const { return value; }

  /// To nearest, ties to even. From `firstIntegral` on, everything is integral;
  /// NaN and infinities are kept.
  Value roundEven() const {
    Value shift = constant(firstIntegral);
    Value rounded =
        arith::SubFOp::create(b, arith::AddFOp::create(b, value, shift), shift);
    Value isSmall = arith::CmpFOp::create(b, CmpFPredicate::OLT, value, shift);
    return arith::SelectOp::create(b, isSmall, rounded, value);
  }

  Value floor() const {
    Value nearest = roundEven();
    return step(CmpFPredicate::OGT, nearest, value, nearest, -1.0);
  }

  Value roundHalfUp() const {
    Value below = floor();
    Value fraction = arith::SubFOp::create(b, value, below);
    return step(CmpFPredicate::OGE, fraction, constant(0.5), below, 1.0);
  }

  /// `base + amount` where the comparison holds, else `base`.
  Value step(CmpFPredicate predicate, Value lhs, Value rhs, Value base,
             double amount) const {
    Value condition = arith::CmpFOp::create(b, predicate, lhs, rhs);
    Value moved = arith::AddFOp::create(b, base, constant(amount));
    return arith::SelectOp::create(b, condition, moved, base);
  }

  /// `magnitude` with the sign of the original.
  Value withSign(Value magnitude) const {
    Value bits = arith::BitcastOp::create(b, bitsType, magnitude);
    return arith::BitcastOp::create(b, type,
                                    arith::OrIOp::create(b, bits, sign));
  }

private:
  Value constant(double v) const { return floatConstant(b, v, type); }

  ImplicitLocOpBuilder &b;
  Type type, bitsType;
  Value sign, value;
  double firstIntegral;
};

template <typename OpTy>
struct Expansion : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Value v = op.getOperand();
    if (isa<TensorType>(v.getType()))
      return rewriter.notifyMatchFailure(op, "is on a tensor");
    if (!isa<Float32Type, Float64Type>(getElementTypeOrSelf(v)))
      return rewriter.notifyMatchFailure(op, "is not on f32 or f64");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expand(op, Magnitude(b, v), v));
    return success();
  }

private:
  static Value expand(math::AbsFOp, const Magnitude &m, Value) {
    return m.get();
  }
  static Value expand(math::RoundEvenOp, const Magnitude &m, Value) {
    return m.withSign(m.roundEven());
  }
  static Value expand(math::RoundOp, const Magnitude &m, Value) {
    return m.withSign(m.roundHalfUp());
  }
  static Value expand(math::TruncOp, const Magnitude &m, Value) {
    return m.withSign(m.floor());
  }
  static Value expand(math::FloorOp, const Magnitude &m, Value v) {
    Value nearest = m.withSign(m.roundEven());
    return m.step(CmpFPredicate::OGT, nearest, v, nearest, -1.0);
  }
  static Value expand(math::CeilOp, const Magnitude &m, Value v) {
    Value nearest = m.withSign(m.roundEven());
    // The sign again: from -1, the step to zero is a step to -0.
    return m.withSign(m.step(CmpFPredicate::OLT, nearest, v, nearest, 1.0));
  }
};

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
  patterns.add<Expansion<math::AbsFOp>, Expansion<math::RoundEvenOp>,
               Expansion<math::RoundOp>, Expansion<math::TruncOp>,
               Expansion<math::FloorOp>, Expansion<math::CeilOp>>(
      patterns.getContext(), benefit);
}
