// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith.truncf with a rounding mode to f16, bf16 and f32. LLVM's constrained
// intrinsics round by the mode of the processor, which is to nearest even.

#include "../../../Transforms/Legalize/RoundingMode.h"
#include "../LowerToTarget.h"
#include "RoundToOdd.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/Numerics/FloatFormats.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::CmpFPredicate, arith::CmpIPredicate, arith::RoundingMode;

/// The f32 of `x`, an f64, from the one that is nearest: it, or its neighbor on
/// the other side of `x`.
static Value roundToF32(ImplicitLocOpBuilder &b, Value x, RoundingMode mode) {
  Type type = x.getType(), f32 = cloneWith(type, b.getF32Type());
  Type i32 = cloneWith(type, b.getI32Type());
  auto constant = [&](int32_t value) -> Value {
    TypedAttr attr = b.getI32IntegerAttr(value);
    if (auto shaped = dyn_cast<ShapedType>(i32))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(b, attr);
  };
  auto compare = [&](CmpFPredicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, predicate, lhs, rhs);
  };
  auto widen = [&](Value v) { return arith::ExtFOp::create(b, type, v); };
  auto select = [&](Value condition, Value then, Value otherwise) -> Value {
    return arith::SelectOp::create(b, condition, then, otherwise);
  };
  Value nearest = arith::TruncFOp::create(b, f32, x);
  Value wide = widen(nearest);
  Value isAbove = compare(CmpFPredicate::OGT, wide, x);
  Value isBelow = compare(CmpFPredicate::OLT, wide, x);
  Value bits = arith::BitcastOp::create(b, i32, nearest);
  Value isNegative =
      arith::CmpIOp::create(b, CmpIPredicate::slt, bits, constant(0));
  // Magnitudes grow with the bits, up to those of an infinity.
  Value less = select(isNegative, constant(1), constant(-1));
  Value more = select(isNegative, constant(-1), constant(1));
  auto step = [&](Value condition, Value by) -> Value {
    Value moved = arith::AddIOp::create(b, bits, by);
    return arith::BitcastOp::create(b, f32, select(condition, moved, bits));
  };
  switch (mode) {
  case RoundingMode::to_nearest_even:
    return nearest;
  case RoundingMode::downward:
    return step(isAbove, less);
  case RoundingMode::upward:
    return step(isBelow, more);
  case RoundingMode::toward_zero: {
    Value isBeyond = select(isNegative, isBelow, isAbove);
    return step(isBeyond, constant(-1));
  }
  case RoundingMode::to_nearest_away: {
    // A half that went to the even neighbor toward zero. Differences of
    // neighbors and what lies between them are exact.
    Value isInside = select(isNegative, isAbove, isBelow);
    Value farther = arith::BitcastOp::create(
        b, f32, arith::AddIOp::create(b, bits, constant(1)));
    Value isHalf =
        compare(CmpFPredicate::OEQ, arith::SubFOp::create(b, x, wide),
                arith::SubFOp::create(b, widen(farther), x));
    return step(arith::AndIOp::create(b, isInside, isHalf), constant(1));
  }
  }
  llvm_unreachable("unknown rounding mode");
}

namespace {
struct RoundedCastLowering : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getRoundingmode())
      return rewriter.notifyMatchFailure(op, "has no rounding mode");
    auto from = cast<FloatType>(getElementTypeOrSelf(op.getIn()));
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if (isa<TensorType>(op.getType()) || from.getWidth() > 64 ||
        !isa<Float16Type, BFloat16Type, Float32Type>(to))
      return rewriter.notifyMatchFailure(op, "is none to f16, bf16 or f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RoundingMode mode = *op.getRoundingmode();
    Value rounded = op.getIn();
    FormatRounding how;
    how.rounding = toRounding(mode);
    if (to.isF32())
      rounded = roundToF32(b, rounded, mode);
    else if (mode != RoundingMode::to_nearest_even)
      rounded = emitRoundToFormat(b, rounded, to, how);
    if (rounded.getType() != op.getType())
      rounded = arith::TruncFOp::create(b, op.getType(), rounded);
    rewriter.replaceOp(op, rounded);
    return success();
  }
};
} // namespace

LogicalResult mlir::qdq::lowerRoundedCasts(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<RoundedCastLowering>(root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}
