// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-motion: data movement on codes, or on reals.

#include "qdq/Transforms/Motion.h"
#include "MotionPatterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_MOTIONPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

template <typename ConvertOp>
LogicalResult mlir::qdq::checkMotion(ConvertOp op, Operation *movement,
                                     PositionChange change,
                                     PatternRewriter &rewriter) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(op.getType());
  if (!input || !result)
    return rewriter.notifyMatchFailure(op, "is not on a ranked tensor");
  if (input.getShape() != result.getShape())
    return rewriter.notifyMatchFailure(
        op, "a size is known of the input or the result only");
  if (op->getBlock() != movement->getBlock())
    return rewriter.notifyMatchFailure(
        op, "and the movement lie in different blocks");
  if constexpr (std::is_same_v<ConvertOp, QuantizeOp>) {
    if (!op.mayDraw() || change == PositionChange::Part)
      return success();
    if (change == PositionChange::Any)
      return rewriter.notifyMatchFailure(
          op, op.getSemanticsFields().rounding
                  ? "rounds stochastically: its draws follow the positions"
                  : "leaves its rounding open, which may become stochastic");
    if (op.hasPosition())
      return rewriter.notifyMatchFailure(
          op, "is a part of a whole, and may draw by its position in it");
  }
  return success();
}
template LogicalResult mlir::qdq::checkMotion(QuantizeOp, Operation *,
                                              PositionChange,
                                              PatternRewriter &);
template LogicalResult mlir::qdq::checkMotion(DequantizeOp, Operation *,
                                              PositionChange,
                                              PatternRewriter &);

void mlir::qdq::placePart(RewriterBase &rewriter, Operation *op,
                          OffsetSizeAndStrideOpInterface slice,
                          Operation *part) {
  auto whole = dyn_cast<QuantizeOp>(op);
  if (!whole || !whole.mayDraw())
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(part);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, op->getLoc(), whole.getInput());
  rewriter.modifyOpInPlace(part, [&] {
    cast<QuantizeOp>(part).setPositionOfPart(rewriter, slice.getMixedOffsets(),
                                             sizes);
  });
}

template <typename ConvertOp>
Value mlir::qdq::convert(RewriterBase &rewriter, ConvertOp op, Value input,
                         Value scale, Value zeroPoint,
                         const Granularity &granularity) {
  IRMapping mapping;
  auto copy = cast<ConvertOp>(op->clone(mapping));
  // Not inserted yet: nobody has to be told of changes.
  copy.getInputMutable().assign(input);
  copy.getScaleMutable().assign(scale);
  if (zeroPoint)
    copy.getZeroPointMutable().assign(zeroPoint);
  copy.removeAxisAttr();
  copy.removeBlockShapeAttr();
  // A position has the dimensions of the whole.
  if constexpr (std::is_same_v<ConvertOp, QuantizeOp>)
    if (!copy.mayDraw())
      copy.clearPosition();
  if (granularity.isAxis())
    copy.setAxis(granularity.getAxis());
  if (granularity.isBlock())
    copy.setBlockShape(granularity.getBlockShape());
  copy.getResult().setType(
      withElementType(input.getType(), getElementTypeOrSelf(op.getType())));
  rewriter.insert(copy.getOperation());
  return copy.getResult();
}
template Value mlir::qdq::convert(RewriterBase &, QuantizeOp, Value, Value,
                                  Value, const Granularity &);
template Value mlir::qdq::convert(RewriterBase &, DequantizeOp, Value, Value,
                                  Value, const Granularity &);

void mlir::qdq::populateMotionPatterns(RewritePatternSet &patterns,
                                       MovedValues moved,
                                       PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createMotionPass());
  populateReshapeMotionPatterns(patterns, moved, benefit);
  populateTransposeMotionPatterns(patterns, moved, benefit);
  populateSliceMotionPatterns(patterns, moved, benefit);
  populatePadMotionPatterns(patterns, moved, benefit);
  if (moved == MovedValues::Reals)
    return;
  populateMaxPoolMotionPatterns(patterns, benefit);
  populateElementwiseMotionPatterns(patterns, benefit);
}

namespace {
struct MotionPass : qdq::impl::MotionPassBase<MotionPass> {
  using MotionPassBase::MotionPassBase;

  void runOnOperation() override {
    // A folder of another dialect may remove a quantize/dequantize pair.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    RewritePatternSet patterns(&getContext());
    populateMotionPatterns(patterns, moved);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
