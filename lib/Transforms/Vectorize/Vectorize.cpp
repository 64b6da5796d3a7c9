// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise linalg.generic ops to vector ops: tiled to one vector; what does
// not fill the last one stays a loop.

#include "../ByteDots/ByteTiling.h"
#include "LaneLoops.h"
#include "ResultLanes.h"
#include "SlotTiles.h"
#include "SumTiles.h"
#include "Tiles.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// Marks the tiles of one op while it is tiled and peeled.
static constexpr StringLiteral kTileMarker = "qdq.tile";

/// Elementwise over at least one loop, every operand indexed by a projected
/// permutation, and nothing loaded in the body.
static bool isVectorizable(linalg::GenericOp op) {
  if (isSlotTile(op) ||
      (op.getNumLoops() > 0 && countsSlots(op, op.getNumLoops() - 1)))
    return false;
  auto isElement = [](Operation &nested) {
    StringRef dialect = nested.getName().getDialectNamespace();
    return (dialect == "arith" || dialect == "math" ||
            isa<linalg::YieldOp, linalg::IndexOp>(nested)) &&
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

/// Tiles `op` to vectors, and peels off what does not fill the last one. Full
/// tiles keep the marker. What cannot be tiled stays.
static void tileToVectors(IRRewriter &rewriter, linalg::GenericOp op,
                          int64_t vectorBits) {
  SmallVector<int64_t> sizes(op.getNumLoops(), 1);
  sizes.back() = getLanes(op, vectorBits);
  op->setAttr(kTileMarker, rewriter.getUnitAttr());
  FailureOr<SmallVector<scf::ForOp>> nest = tileGeneric(rewriter, op, sizes);
  if (failed(nest)) {
    op->removeAttr(kTileMarker);
    return;
  }
  if (scf::ForOp remainder = peelRemainder(rewriter, nest->back()))
    remainder.walk(
        [](linalg::GenericOp tile) { tile->removeAttr(kTileMarker); });
}

namespace {
struct VectorizePass : qdq::impl::VectorizePassBase<VectorizePass> {
  using VectorizePassBase::VectorizePassBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run() {
    if (vectorBits < 64 || !llvm::isPowerOf2_64(vectorBits))
      return getOperation()->emitError()
             << "vector-bits is " << vectorBits.getValue()
             << ": expected a power of two, at least 64";
    IRRewriter rewriter(&getContext());
    tileSlots(rewriter, getOperation(), vectorBits);
    tileSums(rewriter, getOperation(), vectorBits);
    // Registers of four to 16 lanes have instructions for bytes.
    int64_t byteBits = std::min<int64_t>(vectorBits, 512);
    bool usesByteDots = byteDots && byteBits >= 128;
    if (usesByteDots)
      tileByteProducts(rewriter, getOperation(), byteBits);
    tileResultLanes(rewriter, getOperation(), byteBits, usesByteDots);
    for (linalg::GenericOp op : collectGenerics(getOperation(), isVectorizable))
      tileToVectors(rewriter, op, vectorBits);
    // Gives the full tiles their static shapes.
    RewritePatternSet shapes =
        linalg::getLinalgTilingCanonicalizationPatterns(&getContext());
    getContext()
        .getLoadedDialect<tensor::TensorDialect>()
        ->getCanonicalizationPatterns(shapes);
    // A part of what is not written yet needs no buffer of the whole.
    tensor::populateFoldTensorEmptyPatterns(shapes);
    if (failed(applyPatternsGreedily(getOperation(), std::move(shapes))))
      return failure();

    vectorizeSlotTiles(rewriter, getOperation(), vectorBits);
    vectorizeSumTiles(rewriter, getOperation(), vectorBits);
    if (usesByteDots)
      vectorizeByteTiles(rewriter, getOperation(), byteBits);
    vectorizeResultLanes(rewriter, getOperation(), byteBits);
    auto isTile = [](linalg::GenericOp op) { return op->hasAttr(kTileMarker); };
    for (linalg::GenericOp tile : collectGenerics(getOperation(), isTile)) {
      tile->removeAttr(kTileMarker);
      rewriter.setInsertionPoint(tile);
      FailureOr<linalg::VectorizationResult> vectors =
          linalg::vectorize(rewriter, tile);
      // A body that upstream does not vectorize stays a loop.
      if (succeeded(vectors))
        rewriter.replaceOp(tile, vectors->replacements);
    }
    RewritePatternSet patterns(&getContext());
    vector::populateCastAwayVectorLeadingOneDimPatterns(patterns);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
