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
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/Walk.h"
#include "qdq/Transforms/Legalize/ExpandFloats.h"

using namespace mlir;
using namespace mlir::qdq;

/// The number of lane loops of a tile.
static constexpr StringLiteral kLanesMarker = "qdq.lane_loops";
/// What a reduction starts from: its tiles need not read it.
static constexpr StringLiteral kInitMarker = "qdq.init";

/// Vectors of lanes that are computed together, as measured: with four, blocks
/// of 128 and codes of 2 bits are a quarter slower.
static constexpr int64_t kVectors = 2;

/// The most iterations of a loop around a tile that become one after another.
static constexpr int64_t kFewIterations = 4;

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
static Attribute getInit(linalg::GenericOp op) {
  auto fill = op.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  Attribute value;
  if (op.getNumReductionLoops() > 0 && fill &&
      matchPattern(fill.value(), m_Constant(&value)))
    return value;
  return {};
}

/// What is left over by the tiles stays a loop, and starts from its init.
static void restoreRemainder(IRRewriter &rewriter, linalg::GenericOp tile) {
  removeNote(rewriter, tile, kLanesMarker);
  auto init = tile->getAttrOfType<TypedAttr>(kInitMarker);
  if (!init)
    return;
  removeNote(rewriter, tile, kInitMarker);
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
        return map.isFunctionOfDim(loop) || countsSlots(user, loop);
      });
  return cutsWords ? user : linalg::GenericOp();
}

/// Tiles `op`, with `user`, if that is not null, in the same loops.
static FailureOr<SmallVector<scf::ForOp>>
tileWithWordUser(IRRewriter &rewriter, linalg::GenericOp op,
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

/// Marks `user`, which cuts the words of `op`, to be tiled with it in the same
/// lanes. Fails if vectors cannot move what it reads and writes.
static LogicalResult markUser(IRRewriter &rewriter, linalg::GenericOp user,
                              const LaneLoops &ofWords) {
  int64_t parts = user.getStaticLoopRanges().back();
  if (ShapedType::isDynamic(parts))
    return failure();
  std::optional<LaneLoops> loops =
      LaneLoops::get(user, parts * ofWords.getNumContainers());
  if (!loops || loops->getNumContainers() != ofWords.getNumContainers() ||
      !movesVectors(user, *loops))
    return failure();
  setNote(rewriter, user, kLanesMarker,
          rewriter.getI64IntegerAttr(loops->getNumLoops()));
  return success();
}

/// Tiles `op`, with `user` if there is one, which is marked.
static void tileLanes(IRRewriter &rewriter, linalg::GenericOp op,
                      linalg::GenericOp user, const LaneLoops &loops) {
  setNote(rewriter, op, kLanesMarker,
          rewriter.getI64IntegerAttr(loops.getNumLoops()));
  if (Attribute init = getInit(op)) {
    setNote(rewriter, op, kInitMarker, init);
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
    remainder.walk(
        [&](linalg::GenericOp tile) { restoreRemainder(rewriter, tile); });
}

/// Casts of floats that share bytes, as integer ops on their codes.
static void expandFloats(IRRewriter &rewriter, linalg::GenericOp op) {
  auto hasShared = [](Operation *nested) {
    auto isShared = [](Type type) {
      return isa<FloatType>(type) && sharesByte(type);
    };
    return llvm::any_of(nested->getOperandTypes(), isShared) ||
           llvm::any_of(nested->getResultTypes(), isShared);
  };
  if (!hasAny(op, hasShared))
    return;
  RewritePatternSet patterns(op.getContext());
  populateExpandFloatsPatterns(patterns, {});
  walkAndApplyPatterns(
      op, std::move(patterns),
      dyn_cast_if_present<RewriterBase::Listener>(rewriter.getListener()));
}

void mlir::qdq::tileSlots(IRRewriter &rewriter, Operation *root,
                          int64_t vectorBits) {
  auto isCandidate = [](linalg::GenericOp op) {
    return op.hasPureTensorSemantics() &&
           llvm::any_of(llvm::seq(op.getNumLoops()),
                        [&](unsigned loop) { return countsSlots(op, loop); });
  };
  SmallVector<linalg::GenericOp> candidates =
      collectGenerics(root, isCandidate);
  DenseSet<Operation *> done;
  for (linalg::GenericOp op : candidates) {
    if (done.contains(op))
      continue;
    expandFloats(rewriter, op);
    if (!isLaneBody(op))
      continue;
    std::optional<LaneLoops> loops =
        LaneLoops::get(op, kVectors * getFullLanes(op, vectorBits));
    if (!loops || !movesVectors(op, *loops))
      continue;
    linalg::GenericOp user = getWordUser(op);
    if (user && failed(markUser(rewriter, user, *loops)))
      user = {};
    done.insert(user);
    tileLanes(rewriter, op, user, *loops);
  }
}

bool mlir::qdq::isSubByteTile(linalg::GenericOp op) {
  return op->hasAttr(kLanesMarker);
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

/// Unrolls a loop of few iterations around a tile, such as that over the blocks
/// whose zero points share a container. LLVM finds the bodies too long.
static void unrollFew(scf::ForOp loop) {
  std::optional<llvm::APInt> count = loop.getStaticTripCount();
  if (count && !count->isZero() && count->ule(kFewIterations))
    (void)loopUnrollByFactor(loop, count->getZExtValue());
}

void mlir::qdq::vectorizeSubByteTiles(IRRewriter &rewriter, Operation *root,
                                      int64_t vectorBits) {
  llvm::SetVector<Operation *> loops;
  for (linalg::GenericOp tile : collectGenerics(root, isSubByteTile)) {
    if (auto loop = dyn_cast<scf::ForOp>(tile->getParentOp()))
      loops.insert(loop);
    auto count = tile->getAttrOfType<IntegerAttr>(kLanesMarker).getInt();
    SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
    // A tile whose size was not found out stays a loop.
    if (!areVectorSizes(ArrayRef(ranges).take_back(count))) {
      restoreRemainder(rewriter, tile);
      continue;
    }
    expandBodyAffine(rewriter, tile);
    vectorizeLanes(rewriter, tile, LaneLoops::ofTile(tile, count),
                   tile->getAttrOfType<TypedAttr>(kInitMarker), vectorBits);
  }
  for (Operation *loop : loops)
    unrollFew(cast<scf::ForOp>(loop));
}
