// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops, the fills that they start from, and the elementwise op that alone uses
// their result, tiled together.

#include "ConsumerFusion.h"
#include "Tiles.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

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

/// The ops and the fills that they start from, users first.
static SmallVector<Operation *>
collectProducers(ArrayRef<linalg::LinalgOp> ops) {
  llvm::SetVector<Operation *> producers;
  for (linalg::LinalgOp op : ops) {
    producers.insert(op);
    for (Value init : op.getDpsInits())
      if (auto fill = init.getDefiningOp<linalg::FillOp>();
          fill && fill->getBlock() == op->getBlock())
        producers.insert(fill);
  }
  SmallVector<Operation *> sorted = producers.takeVector();
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  return sorted;
}

FailureOr<SmallVector<LoopLikeOpInterface>>
mlir::qdq::tileFused(TileRewriter &rewriter, ArrayRef<linalg::LinalgOp> ops,
                     ArrayRef<OpFoldResult> sizes,
                     scf::SCFTilingOptions::LoopType loopType) {
  linalg::LinalgOp root = ops.front();
  SmallVector<Operation *> producers = collectProducers(ops);
  llvm::erase(producers, root);
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setLoopType(loopType);
  options.tilingOptions.setTileSizes(sizes);
  using Fused = scf::SCFTileAndFuseOptions::ControlFnResult;
  options.setFusionControlFn([&](tensor::ExtractSliceOp, OpResult producer,
                                 bool) -> std::optional<Fused> {
    if (llvm::is_contained(producers, producer.getOwner()))
      return Fused();
    return std::nullopt;
  });
  if (!llvm::all_of(ops, canTile))
    return failure();
  rewriter.setInsertionPoint(root);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(root.getOperation()), options);
  if (failed(tiled))
    return failure();
  // The root's tile comes first. Of the others, only ops of one name have
  // plans.
  ArrayRef<Operation *> tiles = tiled->tiledAndFusedOps.getArrayRef();
  rewriter.copyPlans(root, tiles.front());
  for (linalg::LinalgOp op : ops.drop_front())
    for (Operation *tile : tiles.drop_front())
      if (rewriter.getPlan(op) && tile->getName() == op->getName())
        rewriter.copyPlans(op, tile);
  for (OpResult result : root->getResults())
    rewriter.replaceAllUsesWith(result, tiled->replacements[result]);
  rewriter.eraseOp(root);
  // Slices of what the tiles compute themselves are left, and its sizes.
  for (Operation *producer : producers) {
    Value init = cast<DestinationStyleOpInterface>(producer).getDpsInits()[0];
    for (Operation *user : llvm::make_early_inc_range(producer->getUsers()))
      if (isa<tensor::DimOp>(user))
        rewriter.modifyOpInPlace(user, [&] { user->setOperand(0, init); });
      else if (isOpTriviallyDead(user))
        rewriter.eraseOp(user);
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
  return tileFused(rewriter, {user, op}, userSizes, loopType);
}

SmallVector<scf::ForOp> mlir::qdq::tileAndPeel(TileRewriter &rewriter,
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
  FailureOr<SmallVector<LoopLikeOpInterface>> loops;
  if (linalg::GenericOp user = getElementwiseConsumer(op))
    loops = tileWithConsumer(rewriter, op, user, all, isForOp);
  else
    loops = tileFused(rewriter, {op}, all, isForOp);
  if (failed(loops))
    return {};
  SmallVector<scf::ForOp> remainders;
  for (LoopLikeOpInterface loop : *loops)
    if (scf::ForOp remainder =
            peelRemainder(rewriter, cast<scf::ForOp>(loop.getOperation())))
      remainders.push_back(remainder);
  return remainders;
}

void mlir::qdq::tileColumns(TileRewriter &rewriter, linalg::GenericOp op,
                            ArrayRef<OpOperand *> operands, unsigned column,
                            int64_t width) {
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  for (OpOperand *operand : operands)
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (!isReductionLoop(op, loop))
        sizes[loop] = loop == column ? width : 1;
    }
  tileAndPeel(rewriter, op, sizes);
}
