// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops, the fill that they start from, and the elementwise op that alone uses
// their result, tiled together.

#include "ConsumerFusion.h"
#include "Tiles.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::qdq;

linalg::GenericOp mlir::qdq::getElementwiseConsumer(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || !op->hasOneUse())
    return {};
  OpOperand &use = *op->use_begin();
  auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
  bool fits = user && user->getBlock() == op->getBlock() &&
              user.hasPureTensorSemantics() && user.isDpsInput(&use) &&
              user.getNumLoops() == user.getNumParallelLoops() &&
              user.getMatchingIndexingMap(&use).isPermutation() &&
              hasLinearIndices(user) &&
              op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0])
                  .isProjectedPermutation();
  return fits ? user : linalg::GenericOp();
}

static linalg::FillOp getFill(linalg::LinalgOp op) {
  return op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
}

/// Replaces `root` by tiles in loops, and in the same loops `op`, which is the
/// root or its producer, and the fill that `op` starts from.
static FailureOr<SmallVector<LoopLikeOpInterface>>
tileFused(TileRewriter &rewriter, linalg::LinalgOp root, linalg::LinalgOp op,
          ArrayRef<OpFoldResult> sizes,
          scf::SCFTilingOptions::LoopType loopType) {
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setLoopType(loopType);
  options.tilingOptions.setTileSizes(sizes);
  linalg::FillOp fill = getFill(op);
  using Fused = scf::SCFTileAndFuseOptions::ControlFnResult;
  options.setFusionControlFn([&](tensor::ExtractSliceOp, OpResult producer,
                                 bool) -> std::optional<Fused> {
    Operation *owner = producer.getOwner();
    if (owner == op.getOperation() || (fill && owner == fill.getOperation()))
      return Fused();
    return std::nullopt;
  });
  if (!canTile(op) || !canTile(root))
    return failure();
  rewriter.setInsertionPoint(root);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(root.getOperation()), options);
  if (failed(tiled))
    return failure();
  // The root's tile comes first, and only the op itself has its name.
  ArrayRef<Operation *> tiles = tiled->tiledAndFusedOps.getArrayRef();
  rewriter.copyPlans(root, tiles.front());
  if (op != root)
    for (Operation *tile : tiles.drop_front())
      if (tile->getName() == op->getName())
        rewriter.copyPlans(op, tile);
  for (OpResult result : root->getResults())
    rewriter.replaceAllUsesWith(result, tiled->replacements[result]);
  rewriter.eraseOp(root);
  // Slices of what the tiles compute themselves are left, and its sizes.
  SmallVector<DestinationStyleOpInterface> producers;
  if (op != root)
    producers.push_back(cast<DestinationStyleOpInterface>(op.getOperation()));
  if (fill)
    producers.push_back(fill);
  for (DestinationStyleOpInterface producer : producers) {
    for (Operation *dim : llvm::make_early_inc_range(producer->getUsers()))
      if (isa<tensor::DimOp>(dim))
        rewriter.modifyOpInPlace(
            dim, [&] { dim->setOperand(0, producer.getDpsInits()[0]); });
    for (Operation *slice : llvm::make_early_inc_range(producer->getUsers()))
      if (isOpTriviallyDead(slice))
        rewriter.eraseOp(slice);
    if (producer->use_empty())
      rewriter.eraseOp(producer);
  }
  return tiled->loops;
}

FailureOr<SmallVector<LoopLikeOpInterface>> mlir::qdq::tileWithConsumer(
    TileRewriter &rewriter, linalg::LinalgOp op, linalg::GenericOp user,
    ArrayRef<OpFoldResult> sizes, scf::SCFTilingOptions::LoopType loopType) {
  // A result of the op is a dimension, and a loop of the user.
  SmallVector<OpFoldResult> userSizes(user.getNumLoops(),
                                      rewriter.getIndexAttr(0));
  AffineMap read = user.getMatchingIndexingMap(&*op->use_begin());
  AffineMap written = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  for (auto [from, to] :
       llvm::zip_equal(written.getResults(), read.getResults()))
    userSizes[cast<AffineDimExpr>(to).getPosition()] =
        sizes[cast<AffineDimExpr>(from).getPosition()];
  return tileFused(rewriter, cast<linalg::LinalgOp>(user.getOperation()), op,
                   userSizes, loopType);
}

SmallVector<scf::ForOp> mlir::qdq::tileWithConsumer(TileRewriter &rewriter,
                                                    linalg::GenericOp op,
                                                    ArrayRef<int64_t> wanted) {
  SmallVector<int64_t> sizes(wanted);
  for (auto [size, range] : llvm::zip_equal(sizes, op.getStaticLoopRanges()))
    if (!ShapedType::isDynamic(range) && size >= range)
      size = 0;
  if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
    return {};
  SmallVector<OpFoldResult> all =
      getAsIndexOpFoldResult(rewriter.getContext(), sizes);
  auto isForOp = scf::SCFTilingOptions::LoopType::ForOp;
  auto self = cast<linalg::LinalgOp>(op.getOperation());
  FailureOr<SmallVector<LoopLikeOpInterface>> loops;
  if (linalg::GenericOp user = getElementwiseConsumer(op))
    loops = tileWithConsumer(rewriter, op, user, all, isForOp);
  else
    loops = tileFused(rewriter, self, self, all, isForOp);
  if (failed(loops))
    return {};
  return llvm::map_to_vector(*loops, [](LoopLikeOpInterface loop) {
    return cast<scf::ForOp>(loop.getOperation());
  });
}
