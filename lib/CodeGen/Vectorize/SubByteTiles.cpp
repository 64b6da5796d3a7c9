// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generics that unpack or pack, tiled to vectors of whole containers.

#include "../Analysis/MayTrap.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "ElementTiles.h"
#include "LaneBody.h"
#include "LaneValue.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"

using namespace mlir;
using namespace mlir::qdq;

/// Vectors of lanes that are computed together, as measured: with four, blocks
/// of 128 and codes of 2 bits are a quarter slower.
static constexpr int64_t kVectors = 2;

/// Parts of a word, at most: the bytes of the widest container.
static constexpr int64_t kMaxParts = 8;

/// True if vectors can move what the tiles read and write.
static bool movesVectors(linalg::GenericOp op, const LaneLoops &loops) {
  auto classify = [&](OpOperand &operand) {
    return *loops.classify(op.getMatchingIndexingMap(&operand));
  };
  bool isReduction = op.getNumReductionLoops() > 0;
  for (OpOperand &operand : op->getOpOperands()) {
    LaneOperand kind = classify(operand);
    if (getWordPart(op.getMatchingIndexingMap(&operand))) {
      int64_t parts = op.getShape(&operand).back();
      if (ShapedType::isDynamic(parts) || parts > kMaxParts)
        return false;
    }
    bool isWritten = op.isDpsInit(&operand);
    // Lanes are written as they are, or as the containers that they fill.
    bool isResult = isReduction ? kind == LaneOperand::PerContainer ||
                                      kind == LaneOperand::Scalar
                                : kind == LaneOperand::Full;
    if (isWritten && !isResult)
      return false;
    if ((isWritten || kind != LaneOperand::Scalar) &&
        !hasWholeBytes(operand.get().getType()))
      return false;
  }
  return true;
}

/// The remainder of the tiles stays a loop.
static void tileLanes(TileRewriter &rewriter, linalg::GenericOp op,
                      const LaneLoops &loops) {
  TilePlan plan{TileStrategy::SubByte};
  plan.laneLoops = loops.getNumLoops();
  rewriter.setPlan(op, plan);
  FailureOr<SmallVector<LoopLikeOpInterface>> nest = tileFused(
      rewriter, cast<linalg::LinalgOp>(op.getOperation()),
      getAsIndexOpFoldResult(rewriter.getContext(), loops.getTileSizes(op)),
      scf::SCFTilingOptions::LoopType::ForOp);
  if (failed(nest))
    return rewriter.dropPlan(op);
  if (nest->empty())
    return;
  auto last = cast<scf::ForOp>(nest->back().getOperation());
  if (scf::ForOp remainder = peelRemainder(rewriter, last))
    for (linalg::GenericOp tile :
         rewriter.getTiles(remainder, TileStrategy::SubByte))
      rewriter.dropPlan(tile);
}

void mlir::qdq::tileSubBytes(TileRewriter &rewriter, Operation *root,
                             const VectorizationOptions &options) {
  auto isCandidate = [](linalg::GenericOp op) {
    return llvm::any_of(llvm::seq(op.getNumLoops()),
                        [&](unsigned loop) { return countsFields(op, loop); });
  };
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isCandidate)) {
    if (!isLaneBody(op))
      continue;
    std::optional<LaneLoops> loops =
        LaneLoops::get(op, kVectors * getFullLanes(op, options.vectorBits));
    if (loops && movesVectors(op, *loops))
      tileLanes(rewriter, op, *loops);
  }
}

void mlir::qdq::expandBodyAffine(IRRewriter &rewriter, linalg::GenericOp tile) {
  SmallVector<affine::AffineApplyOp> applies(
      tile.getBody()->getOps<affine::AffineApplyOp>());
  for (affine::AffineApplyOp apply : applies) {
    // Upstream expands no division by a constant below 1.
    if (mayTrap(apply))
      continue;
    rewriter.setInsertionPoint(apply);
    auto expanded = affine::expandAffineMap(
        rewriter, apply.getLoc(), apply.getAffineMap(), apply.getOperands());
    rewriter.replaceOp(apply, *expanded);
  }
}

void mlir::qdq::vectorizeSubBytes(TileRewriter &rewriter, Operation *root,
                                  const VectorizationOptions &options) {
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::SubByte)) {
    TilePlan plan = *rewriter.getPlan(tile);
    SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
    // A tile whose size was not found out stays a loop.
    if (!areVectorSizes(ArrayRef(ranges).take_back(plan.laneLoops))) {
      rewriter.dropPlan(tile);
      continue;
    }
    expandBodyAffine(rewriter, tile);
    vectorizeLanes(rewriter, tile, LaneLoops::ofTile(tile, plan.laneLoops),
                   options.getTableBits());
  }
}
