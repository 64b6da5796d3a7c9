// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generics that unpack or pack, tiled to vectors of whole containers.

#include "SubByteTiles.h"
#include "../Analysis/MayTrap.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "LaneBody.h"
#include "LaneValue.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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

/// The constant that fills the destination of a reduction.
static TypedAttr getInit(linalg::GenericOp op) {
  auto fill = op.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  TypedAttr value;
  if (op.getNumReductionLoops() > 0 && fill &&
      matchPattern(fill.value(), m_Constant(&value)))
    return value;
  return {};
}

/// The remainder of the tiles stays a loop, and starts from its init.
static void restoreRemainder(TileRewriter &rewriter, linalg::GenericOp tile) {
  TypedAttr init = rewriter.getPlan(tile)->init;
  rewriter.dropPlan(tile);
  if (!init)
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(tile);
  Value zero = arith::ConstantOp::create(rewriter, tile.getLoc(), init);
  OpOperand &destination = tile.getDpsInitsMutable()[0];
  auto fill =
      linalg::FillOp::create(rewriter, tile.getLoc(), zero, destination.get());
  rewriter.modifyOpInPlace(tile, [&] { destination.set(fill.getResult(0)); });
}

linalg::GenericOp mlir::qdq::getWordUser(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || !op->hasOneUse())
    return {};
  OpOperand &use = *op->use_begin();
  auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!user || user->getBlock() != op->getBlock() ||
      !user.hasPureTensorSemantics() || !user.isDpsInput(&use) ||
      user.getNumLoops() != user.getNumParallelLoops() || !isLaneBody(user))
    return {};
  AffineMap map = user.getMatchingIndexingMap(&use);
  bool cutsWords =
      map.isProjectedPermutation() &&
      llvm::all_of(llvm::seq(user.getNumLoops()), [&](unsigned loop) {
        return map.isFunctionOfDim(loop) || countsFields(user, loop);
      });
  return cutsWords ? user : linalg::GenericOp();
}

/// Tiles `op`, with `user`, if that is not null, in the same loops.
static FailureOr<SmallVector<scf::ForOp>>
tileWithWordUser(TileRewriter &rewriter, linalg::GenericOp op,
                 linalg::GenericOp user, const LaneLoops &loops) {
  SmallVector<int64_t> sizes = loops.getTileSizes(op);
  if (!user)
    return tileGeneric(rewriter, op, sizes);
  if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
    return SmallVector<scf::ForOp>();
  FailureOr<SmallVector<LoopLikeOpInterface>> nest = tileWithConsumer(
      rewriter, op, user, getAsIndexOpFoldResult(rewriter.getContext(), sizes),
      scf::SCFTilingOptions::LoopType::ForOp);
  if (failed(nest))
    return failure();
  return llvm::map_to_vector(*nest, [](LoopLikeOpInterface loop) {
    return cast<scf::ForOp>(loop.getOperation());
  });
}

/// Plans `user`, which cuts the words of `op`, to be tiled with it in the same
/// lanes. Fails if vectors cannot move what it reads and writes.
static LogicalResult planUser(TileRewriter &rewriter, linalg::GenericOp user,
                              const LaneLoops &ofWords) {
  int64_t parts = user.getStaticLoopRanges().back();
  if (ShapedType::isDynamic(parts))
    return failure();
  std::optional<LaneLoops> loops =
      LaneLoops::get(user, parts * ofWords.getNumContainers());
  if (!loops || loops->getNumContainers() != ofWords.getNumContainers() ||
      !movesVectors(user, *loops))
    return failure();
  TilePlan plan{TileStrategy::SubByte};
  plan.laneLoops = loops->getNumLoops();
  rewriter.setPlan(user, plan);
  return success();
}

/// Tiles `op`, with `user` if there is one, which has its plan.
static void tileLanes(TileRewriter &rewriter, linalg::GenericOp op,
                      linalg::GenericOp user, const LaneLoops &loops) {
  TilePlan plan{TileStrategy::SubByte};
  plan.laneLoops = loops.getNumLoops();
  plan.init = getInit(op);
  rewriter.setPlan(op, plan);
  if (plan.init) {
    OpOperand &destination = op.getDpsInitsMutable()[0];
    auto fill = destination.get().getDefiningOp<linalg::FillOp>();
    rewriter.modifyOpInPlace(op, [&] { destination.set(fill.output()); });
  }
  FailureOr<SmallVector<scf::ForOp>> nest =
      tileWithWordUser(rewriter, op, user, loops);
  if (failed(nest)) {
    restoreRemainder(rewriter, op);
    if (user)
      restoreRemainder(rewriter, user);
    return;
  }
  if (nest->empty())
    return;
  if (scf::ForOp remainder = peelRemainder(rewriter, nest->back()))
    for (linalg::GenericOp tile :
         rewriter.getTiles(remainder, TileStrategy::SubByte))
      restoreRemainder(rewriter, tile);
}

void mlir::qdq::tileSubBytes(TileRewriter &rewriter, Operation *root,
                             const VectorizationOptions &options) {
  auto isCandidate = [](linalg::GenericOp op) {
    return op.hasPureTensorSemantics() &&
           llvm::any_of(llvm::seq(op.getNumLoops()),
                        [&](unsigned loop) { return countsFields(op, loop); });
  };
  SmallVector<linalg::GenericOp> candidates =
      collectUnplanned(rewriter, root, isCandidate);
  DenseSet<Operation *> done;
  for (linalg::GenericOp op : candidates) {
    if (done.contains(op))
      continue;
    if (!isLaneBody(op))
      continue;
    std::optional<LaneLoops> loops =
        LaneLoops::get(op, kVectors * getFullLanes(op, options.vectorBits));
    if (!loops || !movesVectors(op, *loops))
      continue;
    linalg::GenericOp user = getWordUser(op);
    if (user && failed(planUser(rewriter, user, *loops)))
      user = {};
    done.insert(user);
    tileLanes(rewriter, op, user, *loops);
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
      restoreRemainder(rewriter, tile);
      continue;
    }
    expandBodyAffine(rewriter, tile);
    vectorizeLanes(rewriter, tile, LaneLoops::ofTile(tile, plan.laneLoops),
                   plan.init, options.getTableBits());
  }
}
