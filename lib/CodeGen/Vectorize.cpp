// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on tensors to vector ops: each strategy plans and tiles what it knows,
// then the tiles become vectors.

#include "qdq/CodeGen/Vectorize.h"
#include "Dots/DotTiles.h"
#include "Plan/RowGroup.h"
#include "Plan/Tiles.h"
#include "Sums/SumTiles.h"
#include "Vectorize/ElementTiles.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The vectors of one kind of ops.
struct VectorStrategy {
  using Step = void (*)(TileRewriter &rewriter, Operation *root,
                        const VectorizationOptions &options);
  /// Plans the ops that have no plan yet, and tiles them.
  Step tile;
  /// Replaces its tiles, whose shapes are static by now.
  Step vectorize;
};
} // namespace

/// Each takes what those before it leave.
static constexpr VectorStrategy strategies[] = {
    {tileSubBytes, vectorizeSubBytes},
    {tileSubByteReductions, vectorizeSubByteReductions},
    {tileReductions, vectorizeReductions},
    {tileExtremes, vectorizeExtremes},
    {tileRowSums, vectorizeRowSums},
    {tileByteProducts, vectorizeByteTiles},
    {tileResultLanes, vectorizeResultLanes},
    {tileElementwise, vectorizeElementwise},
};

LogicalResult
mlir::qdq::vectorizeGenerics(OpBuilder::Listener *listener, Operation *root,
                             const VectorizationOptions &options) {
  MLIRContext *context = root->getContext();
  if (failed(checkVectorBits(root, options.vectorBits)))
    return failure();
  TileRewriter rewriter(context, listener);
  root->walk([&](linalg::GenericOp op) { expandBodyAffine(rewriter, op); });
  tileRowGroups(rewriter, root);
  storeCodesInBytes(rewriter, root);

  if (failed(lowerPartialSums(rewriter, root, options.vectorBits)))
    return failure();
  lowerCodeProducts(rewriter, root, options);
  // Registers that hold a table decode as quickly as memory is read.
  if (!options.lookupTables)
    decodeFactors(rewriter, root);
  if (failed(tileBlocks(rewriter, root)))
    return failure();
  for (const VectorStrategy &strategy : strategies)
    strategy.tile(rewriter, root, options);

  RewritePatternSet shapes = getTileShapePatterns(context);
  // A part of what is not written yet needs no buffer of the whole.
  tensor::populateFoldTensorEmptyPatterns(shapes);
  if (failed(rewriter.simplify(root, std::move(shapes))))
    return failure();

  for (const VectorStrategy &strategy : strategies)
    strategy.vectorize(rewriter, root, options);

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
            {vectorBits, byteDots, byteDotBits, registers, wideVectors,
             lookupTables})))
      signalPassFailure();
  }
};
} // namespace
