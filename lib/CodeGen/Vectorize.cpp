// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise linalg.generic ops to vector ops: tiled to one vector; what does
// not fill the last one stays a loop.

#include "qdq/CodeGen/Vectorize.h"
#include "Analysis/MayTrap.h"
#include "Dots/ByteTiling.h"
#include "Plan/Tiles.h"
#include "Sums/PartialSums.h"
#include "Sums/ReductionTiles.h"
#include "Sums/ResultLanes.h"
#include "Sums/SubByteReductions.h"
#include "Vectorize/BlockTiles.h"
#include "Vectorize/CodeBytes.h"
#include "Vectorize/LaneLoops.h"
#include "Vectorize/SubByteTiles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// Elementwise over at least one loop, every operand indexed by a projected
/// permutation, and nothing loaded in the body.
static bool isVectorizable(linalg::GenericOp op) {
  if (op.getNumLoops() > 0 && countsFields(op, op.getNumLoops() - 1))
    return false;
  auto isElement = [](Operation &nested) {
    StringRef dialect = nested.getName().getDialectNamespace();
    return (dialect == "arith" || dialect == "math" ||
            isa<EncodeOp, linalg::YieldOp, linalg::IndexOp>(nested)) &&
           llvm::all_of(nested.getOperandTypes(),
                        [](Type type) { return type.isIntOrIndexOrFloat(); });
  };
  return op.getNumLoops() > 0 && op.getNumLoops() == op.getNumParallelLoops() &&
         op.hasPureTensorSemantics() &&
         llvm::all_of(op->getOperandTypes(), hasWholeBytes) &&
         llvm::all_of(
             op.getIndexingMapsArray(),
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         llvm::all_of(*op.getBody(), isElement);
}

/// The lanes of one vector: full, or the whole innermost loop.
static int64_t getLanes(linalg::GenericOp op, int64_t vectorBits) {
  int64_t lanes = getFullLanes(op, vectorBits);
  int64_t innermost = op.getStaticLoopRanges().back();
  return ShapedType::isDynamic(innermost)
             ? lanes
             : std::clamp<int64_t>(innermost, 1, lanes);
}

/// True if `op` makes f32 or wider of floats of 8 bits.
static bool widensBytes(linalg::GenericOp op) {
  return llvm::any_of(
      op.getBody()->getOps<arith::ExtFOp>(), [](arith::ExtFOp cast) {
        return cast.getIn().getType().getIntOrFloatBitWidth() == 8 &&
               cast.getType().getIntOrFloatBitWidth() >= 32;
      });
}

/// The bits of the vectors of `op`: more than `vectorBits` where the options
/// ask for it, and whole ones fill the innermost loop.
static int64_t getVectorBits(linalg::GenericOp op,
                             const VectorizationOptions &options) {
  unsigned narrowest = 32;
  // No lane of the result is empty.
  if (options.wideQuotients && !op.getBody()->getOps<EncodeOp>().empty())
    narrowest = getElementTypeOrSelf(op.getResultTypes().front())
                    .getIntOrFloatBitWidth();
  else if (options.wideFloats && widensBytes(op))
    narrowest = 16;
  int64_t bits = options.vectorBits * std::max(32u / narrowest, 1u);
  int64_t innermost = op.getStaticLoopRanges().back();
  if (ShapedType::isDynamic(innermost) || innermost == 0)
    return options.vectorBits;
  while (bits > options.vectorBits && innermost % getFullLanes(op, bits) != 0)
    bits /= 2;
  return bits;
}

/// Tiles `op` to vectors, and peels off what does not fill the last one. What
/// cannot be tiled stays.
static void tileToVectors(TileRewriter &rewriter, linalg::GenericOp op,
                          int64_t vectorBits) {
  SmallVector<int64_t> sizes(op.getNumLoops(), 1);
  sizes.back() = getLanes(op, vectorBits);
  rewriter.setPlan(op, {TileStrategy::Elementwise});
  FailureOr<SmallVector<scf::ForOp>> nest = tileGeneric(rewriter, op, sizes);
  if (failed(nest)) {
    rewriter.dropPlan(op);
    return;
  }
  if (scf::ForOp remainder = peelRemainder(rewriter, nest->back()))
    for (linalg::GenericOp tile :
         rewriter.getTiles(remainder, TileStrategy::Elementwise))
      rewriter.dropPlan(tile);
}

/// A value that is collapsed and inserted is written to its place. Upstream's
/// elimination of empty tensors does not look through the reshape.
static void writeInPlace(IRRewriter &rewriter, Operation *root) {
  DominanceInfo dominance(root);
  root->walk([&](tensor::InsertSliceOp insert) {
    auto reshape = insert.getSource().getDefiningOp<tensor::CollapseShapeOp>();
    auto op = reshape && reshape->hasOneUse()
                  ? reshape.getSrc().getDefiningOp<linalg::GenericOp>()
                  : linalg::GenericOp();
    if (!op || !op->hasOneUse() ||
        !dominance.properlyDominates(insert.getDest(), op))
      return;
    OpOperand *init = op.getTiedOpOperand(cast<OpResult>(reshape.getSrc()));
    auto empty = init->get().getDefiningOp<tensor::EmptyOp>();
    SmallVector<Value> where(insert->getOperands().drop_front(2));
    if (!empty || !mayComputeBefore(where, op, dominance) ||
        failed(moveValueDefinitions(rewriter, where, op, dominance)))
      return;
    rewriter.setInsertionPoint(op);
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, insert.getLoc(), insert.getSourceType(), insert.getDest(),
        insert.getMixedOffsets(), insert.getMixedSizes(),
        insert.getMixedStrides());
    Value place = tensor::ExpandShapeOp::create(
        rewriter, reshape.getLoc(), empty.getType(), slice,
        reshape.getReassociationIndices(), empty.getMixedSizes());
    rewriter.modifyOpInPlace(op, [&] { init->set(place); });
  });
}

LogicalResult
mlir::qdq::vectorizeGenerics(OpBuilder::Listener *listener, Operation *root,
                             const VectorizationOptions &options) {
  int64_t vectorBits = options.vectorBits;
  MLIRContext *context = root->getContext();
  if (failed(checkVectorBits(root, vectorBits)))
    return failure();
  TileRewriter rewriter(context, listener);
  storeCodesInBytes(rewriter, root);
  writeInPlace(rewriter, root);

  if (failed(lowerPartialSums(rewriter, root, vectorBits)) ||
      failed(tileBlocks(rewriter, root)))
    return failure();
  tileSubBytes(rewriter, root, vectorBits);
  tileSubByteReductions(rewriter, root, vectorBits);
  int64_t tableBits = options.lookupTables ? vectorBits : 0;
  tileSums(rewriter, root, vectorBits, tableBits);
  // Registers of four to 16 lanes have instructions for bytes.
  int64_t byteBits = std::min<int64_t>(vectorBits, 512);
  int64_t dotBits = std::min(byteBits, options.byteDotBits);
  bool usesByteDots = options.byteDots && dotBits >= 128;
  if (usesByteDots)
    tileByteProducts(rewriter, root, dotBits, options.registers);
  tileResultLanes(rewriter, root, byteBits, usesByteDots);
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isVectorizable))
    tileToVectors(rewriter, op, getVectorBits(op, options));

  RewritePatternSet shapes = getTileShapePatterns(context);
  // A part of what is not written yet needs no buffer of the whole.
  tensor::populateFoldTensorEmptyPatterns(shapes);
  if (failed(rewriter.simplify(root, std::move(shapes))))
    return failure();

  vectorizeSubBytes(rewriter, root, tableBits);
  vectorizeSubByteReductions(rewriter, root, tableBits);
  vectorizeReductionTiles(rewriter, root, vectorBits, tableBits);
  if (usesByteDots)
    vectorizeByteTiles(rewriter, root, dotBits, options.bytePairs);
  vectorizeResultLanes(rewriter, root, byteBits);
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::Elementwise)) {
    rewriter.setInsertionPoint(tile);
    FailureOr<linalg::VectorizationResult> vectors =
        linalg::vectorize(rewriter, tile);
    // A body that upstream does not vectorize stays a loop.
    if (succeeded(vectors))
      rewriter.replaceOp(tile, vectors->replacements);
  }
  RewritePatternSet patterns(context);
  vector::populateCastAwayVectorLeadingOneDimPatterns(patterns);
  return rewriter.simplify(root, std::move(patterns));
}

namespace {
struct VectorizePass : qdq::impl::VectorizePassBase<VectorizePass> {
  using VectorizePassBase::VectorizePassBase;

  void runOnOperation() override {
    if (failed(vectorizeGenerics(
            /*listener=*/nullptr, getOperation(),
            {vectorBits, byteDots, byteDotBits, registers, bytePairs,
             wideQuotients, wideFloats, lookupTables})))
      signalPassFailure();
  }
};
} // namespace
