// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums in a declared number of partial sums: their tiles, and their tree.

#include "PartialSums.h"
#include "../Analysis/SumOfProducts.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/ElementTiles.h"
#include "../Vectorize/LaneLoops.h"
#include "SumLanes.h"
#include "SumTiles.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_PARTIALSUMSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// Results in a tile whose lanes are terms.
static constexpr int64_t kResults = 16, kTermRows = 4;

namespace {
/// Vectors of results in a tile whose lanes are results, and rows of them.
struct VectorTile {
  int64_t vectors, rows;
};
} // namespace

/// With few terms, memory of the partial sums is what a tile waits for: fewer
/// vectors leave room in the first cache, more rows share a vector of terms.
static constexpr int64_t kFewTerms = 256;
static constexpr VectorTile kManyTermsTile = {16, 4}, kFewTermsTile = {8, 8};

/// The results of a tile.
static SmallVector<int64_t> getPartialSumTile(linalg::GenericOp op,
                                              int64_t vectorBits) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  SmallVector<unsigned> results = getResultLoops(op);
  for (unsigned loop : results)
    sizes[loop] = 1;
  if (vectorBits == 0 || results.empty() || op.getNumReductionLoops() == 0)
    return sizes;
  unsigned last = results.pop_back_val();
  // The rows of a tile, about `wanted`.
  auto chooseRows = [&](int64_t wanted) -> int64_t {
    if (results.empty())
      return 1;
    unsigned row = results.back();
    sizes[row] = getEvenPart(ranges[row], wanted);
    return ShapedType::isDynamic(ranges[row])
               ? sizes[row]
               : std::min(sizes[row], ranges[row]);
  };
  if (!hasResultLanes(op)) {
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    // Elements of one storage word are vectors of their own.
    int64_t count =
        countsFields(op, reductions.back()) ? kResults / 2 : kResults;
    int64_t rows = chooseRows(kTermRows);
    sizes[last] =
        getEvenPart(ranges[last], std::min(count / rows, kResults / 2));
    return sizes;
  }
  int64_t lanes = std::max<int64_t>(
      vectorBits /
          getElementTypeOrSelf(op.getDpsInits()[0]).getIntOrFloatBitWidth(),
      1);
  // Elements that share a storage word stay together.
  int64_t elements = 1;
  if (countsFields(op, last) && !results.empty()) {
    sizes[last] = 0;
    elements = std::max<int64_t>(ranges[last], 1);
    last = results.pop_back_val();
  }
  const VectorTile &tile =
      countTerms(op, kFewTerms) < kFewTerms && elements == 1 ? kFewTermsTile
                                                             : kManyTermsTile;
  int64_t rows = chooseRows(tile.rows);
  int64_t vectors = std::max<int64_t>(tile.vectors / rows / elements, 1);
  if (!ShapedType::isDynamic(ranges[last]))
    vectors = getEvenPart(llvm::divideCeil(ranges[last], lanes), vectors);
  sizes[last] = lanes * vectors;
  return sizes;
}

/// Tiles of one result each along the loop that is left over.
static void tileToOne(TileRewriter &rewriter, linalg::GenericOp tile) {
  SmallVector<unsigned> results = getResultLoops(tile);
  bool keepsLanes = hasResultLanes(tile);
  SmallVector<int64_t> sizes(tile.getNumLoops(), 0);
  SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
  for (unsigned loop : results)
    if (ShapedType::isDynamic(ranges[loop]) &&
        !(keepsLanes && loop == results.back()))
      sizes[loop] = 1;
  (void)tileLoops(rewriter, tile, sizes);
}

static void tileSum(TileRewriter &rewriter, linalg::GenericOp op,
                    int64_t vectorBits) {
  rewriter.setPlan(op, {TileStrategy::PartialSums});
  for (scf::ForOp remainder :
       tileAndPeel(rewriter, op, getPartialSumTile(op, vectorBits)))
    for (linalg::GenericOp tile :
         rewriter.getTiles(remainder, TileStrategy::PartialSums))
      tileToOne(rewriter, tile);
}

LogicalResult mlir::qdq::lowerPartialSums(TileRewriter &rewriter,
                                          Operation *root, int64_t vectorBits) {
  SmallVector<linalg::GenericOp> sums =
      collectGenerics(root, [](linalg::GenericOp op) {
        return getPartialSumsAttr(op) != nullptr;
      });
  if (sums.empty())
    return success();
  for (linalg::GenericOp op : sums)
    if (failed(checkPartialSums(op)))
      return failure();
  for (linalg::GenericOp op : sums) {
    // No term, no partial sum.
    if (llvm::is_contained(op.getStaticLoopRanges(), 0)) {
      rewriter.replaceOp(op, op.getDpsInits());
      continue;
    }
    tileSum(rewriter, vectorBits == 0 ? op : layOutPartialSums(rewriter, op),
            vectorBits);
  }
  if (failed(rewriter.simplify(root, getTileShapePatterns(root->getContext()))))
    return failure();
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::PartialSums)) {
    rewriter.dropPlan(tile);
    expandBodyAffine(rewriter, tile);
    writeOutPartialSums(rewriter, tile, vectorBits);
  }
  return rewriter.simplify(root, getTileShapePatterns(root->getContext()));
}

namespace {
struct PartialSumsPass : qdq::impl::PartialSumsPassBase<PartialSumsPass> {
  void runOnOperation() override {
    TileRewriter rewriter(&getContext());
    if (failed(lowerPartialSums(rewriter, getOperation(), /*vectorBits=*/0)))
      signalPassFailure();
  }
};
} // namespace
