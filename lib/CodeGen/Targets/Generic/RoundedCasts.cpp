// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith.truncf with a rounding mode to f16, bf16 and f32. LLVM's constrained
// intrinsics round by the mode of the processor, which is to nearest even.

#include "../../../Transforms/Legalize/RoundingMode.h"
#include "../LowerToTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/Numerics/FloatFormats.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::RoundingMode;

/// The f32 of `x`, an f64, from the one that is nearest: it, or its neighbor on
/// the other side of `x`.
static Value roundToF32(const Scalar &x, RoundingMode mode) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  Scalar nearest = x.to(b.getF32Type()), wide = nearest.to(x.getElement());
  Scalar isAbove = wide > x, isUnder = wide < x;
  Scalar bits = nearest.bitcast(b.getI32Type()), isNegative = bits < 0;
  // Magnitudes grow with the bits, up to those of an infinity.
  Scalar less = select(isNegative, bits.constant(1), -1);
  Scalar more = select(isNegative, bits.constant(-1), 1);
  auto step = [&](Scalar condition, Scalar::Operand by) {
    return select(condition, bits + by, bits).bitcast(b.getF32Type());
  };
  switch (mode) {
  case RoundingMode::to_nearest_even:
    return nearest;
  case RoundingMode::downward:
    return step(isAbove, less);
  case RoundingMode::upward:
    return step(isUnder, more);
  case RoundingMode::toward_zero:
    return step(select(isNegative, isUnder, isAbove), -1);
  case RoundingMode::to_nearest_away: {
    // A half that went to the even neighbor toward zero. Differences of
    // neighbors and what lies between them are exact.
    Scalar isInside = select(isNegative, isAbove, isUnder);
    Scalar farther = (bits + 1).bitcast(b.getF32Type());
    Scalar isHalf = equal(x - wide, farther.to(x.getElement()) - x);
    return step(isInside & isHalf, 1);
  }
  }
  llvm_unreachable("unknown rounding mode");
}

static LogicalResult lowerRoundedCast(arith::TruncFOp op,
                                      PatternRewriter &rewriter) {
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
    rounded = roundToF32({b, rounded}, mode);
  else if (mode != RoundingMode::to_nearest_even)
    rounded = emitRoundToFormat(b, rounded, to, how);
  if (rounded.getType() != op.getType())
    rounded = arith::TruncFOp::create(b, op.getType(), rounded);
  rewriter.replaceOp(op, rounded);
  return success();
}

LogicalResult mlir::qdq::lowerRoundedCasts(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<FunctionPattern<lowerRoundedCast>>(root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}
