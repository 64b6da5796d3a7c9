// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith casts from and to small floats to integer ops.

#include "qdq/Transforms/Legalize/ExpandFloats.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/Numerics/FloatFormats.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_EXPANDFLOATSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

static FloatType getFormat(Value v) {
  return cast<FloatType>(getElementTypeOrSelf(v));
}

static Rounding toRounding(arith::RoundingMode mode) {
  switch (mode) {
  case arith::RoundingMode::to_nearest_even:
    return Rounding::NearestEven;
  case arith::RoundingMode::downward:
    return Rounding::Floor;
  case arith::RoundingMode::upward:
    return Rounding::Ceil;
  case arith::RoundingMode::toward_zero:
    return Rounding::TowardZero;
  case arith::RoundingMode::to_nearest_away:
    return Rounding::NearestAway;
  }
  llvm_unreachable("unknown rounding mode");
}

/// True if the cast is one step: from f32, or to f32 or bf16.
static bool isStep(arith::TruncFOp op) {
  auto mode = op.getRoundingmode();
  return getFormat(op.getIn()).isF32() &&
         (!mode || mode == arith::RoundingMode::to_nearest_even);
}
static bool isStep(arith::ExtFOp op) {
  FloatType type = getFormat(op.getOut());
  return type.isF32() || type.isBF16();
}

/// `v` as f32, or vector of f32, which holds its values.
static Value extendToF32(ImplicitLocOpBuilder &b, Value v) {
  Type f32 = b.getF32Type();
  if (auto vector = dyn_cast<VectorType>(v.getType()))
    f32 = vector.clone(f32);
  return arith::ExtFOp::create(b, f32, v);
}

static Value emitSteps(ImplicitLocOpBuilder &b, arith::TruncFOp op) {
  // No two casts in a row, which a driver that folds would join again.
  FloatType from = getFormat(op.getIn());
  if (!op.getRoundingmode() && from.getWidth() < 32)
    return emitEncode(b, extendToF32(b, op.getIn()), getFormat(op.getOut()));
  FormatRounding how;
  if (op.getRoundingmode())
    how.rounding = toRounding(*op.getRoundingmode());
  return emitCastToFormat(b, op.getIn(), getFormat(op.getOut()), how);
}
static Value emitSteps(ImplicitLocOpBuilder &b, arith::ExtFOp op) {
  // As above.
  Value wide = emitDecode(b, op.getIn(), b.getF32Type());
  if (getFormat(op.getOut()).getWidth() > 32)
    return arith::ExtFOp::create(b, op.getType(), wide);
  return arith::TruncFOp::create(b, op.getType(), wide);
}

static Value emitStep(ImplicitLocOpBuilder &b, arith::TruncFOp op) {
  return emitEncode(b, op.getIn(), getFormat(op.getOut()));
}
static Value emitStep(ImplicitLocOpBuilder &b, arith::ExtFOp op) {
  return emitDecode(b, op.getIn(), getFormat(op.getOut()));
}

namespace {
/// A cast from or to a small float.
template <typename OpTy>
struct CastPattern : OpRewritePattern<OpTy> {
  CastPattern(MLIRContext *ctx, const ExpandFloatsOptions &options,
              PatternBenefit benefit)
      : OpRewritePattern<OpTy>(ctx, benefit), options(options) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "is on a tensor");
    if (!isExpanded(getFormat(op.getIn())) &&
        !isExpanded(getFormat(op.getOut())))
      return rewriter.notifyMatchFailure(op, "has no small float");
    if (getFormat(op.getIn()).getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "is from a float wider than f64");
    return rewrite(op, rewriter);
  }

protected:
  virtual LogicalResult rewrite(OpTy op, PatternRewriter &rewriter) const = 0;

private:
  bool isExpanded(FloatType type) const {
    return type.getWidth() < 16 || (options.includeF16 && type.isF16());
  }

  ExpandFloatsOptions options;
};

/// To casts of one step each.
template <typename OpTy>
struct SplitCast : CastPattern<OpTy> {
  using CastPattern<OpTy>::CastPattern;

  LogicalResult rewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (isStep(op))
      return rewriter.notifyMatchFailure(op, "is one step");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitSteps(b, op));
    return success();
  }
};

/// One step to integer ops.
template <typename OpTy>
struct ExpandStep : CastPattern<OpTy> {
  using CastPattern<OpTy>::CastPattern;

  LogicalResult rewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!isStep(op))
      return rewriter.notifyMatchFailure(op, "is more than one step");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitStep(b, op));
    return success();
  }
};

struct ExpandFloatsPass : qdq::impl::ExpandFloatsPassBase<ExpandFloatsPass> {
  using ExpandFloatsPassBase::ExpandFloatsPassBase;

  void runOnOperation() override {
    // A walk does not visit what it creates, and a greedy driver would fold
    // casts of NaN and infinities, which upstream gets wrong.
    apply(arith::populateExpandScalingExtTruncPatterns);
    apply([&](RewritePatternSet &patterns) {
      patterns.add<SplitCast<arith::ExtFOp>, SplitCast<arith::TruncFOp>>(
          &getContext(), ExpandFloatsOptions{includeF16}, 1);
    });
    apply([&](RewritePatternSet &patterns) {
      patterns.add<ExpandStep<arith::ExtFOp>, ExpandStep<arith::TruncFOp>>(
          &getContext(), ExpandFloatsOptions{includeF16}, 1);
    });
  }

private:
  void apply(function_ref<void(RewritePatternSet &)> populate) {
    RewritePatternSet patterns(&getContext());
    populate(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void mlir::qdq::populateExpandFloatsPatterns(RewritePatternSet &patterns,
                                             const ExpandFloatsOptions &options,
                                             PatternBenefit benefit) {
  patterns.add<SplitCast<arith::ExtFOp>, SplitCast<arith::TruncFOp>,
               ExpandStep<arith::ExtFOp>, ExpandStep<arith::TruncFOp>>(
      patterns.getContext(), options, benefit);
}
