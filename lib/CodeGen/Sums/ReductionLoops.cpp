// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops over the terms of a tile of a reduction.

#include "ReductionLoops.h"
#include "../Plan/Tiles.h"

using namespace mlir;
using namespace mlir::qdq;

ReductionLoops::ReductionLoops(IRRewriter &rewriter, ImplicitLocOpBuilder &b,
                               linalg::GenericOp tile, const LaneLoops &lanes,
                               Operation *sum, int64_t tableBits)
    : TileNest(b, tile), rewriter(rewriter), tile(tile), lanes(lanes), sum(sum),
      tableBits(tableBits), ranges(tile.getStaticLoopRanges()) {}

void ReductionLoops::forEachResult(function_ref<void()> visit, unsigned loop) {
  if (loop == tile.getNumLoops())
    return visit();
  if (isReductionLoop(tile, loop) || lanes.isLane(loop))
    return forEachResult(visit, loop + 1);
  for (int64_t i = 0; i < ranges[loop]; ++i) {
    offsets[loop] = b.getIndexAttr(i);
    forEachResult(visit, loop + 1);
  }
}

SmallVector<Value> ReductionLoops::getOrigin() {
  return createIndices(
      tile.getMatchingIndexingMap(&tile.getDpsInitsMutable()[0]));
}

SmallVector<Term> ReductionLoops::computeTerms() {
  auto begin = llvm::map_to_vector(
      offsets, [&](OpFoldResult offset) { return createIndex(offset); });
  rewriter.restoreInsertionPoint(b.saveInsertionPoint());
  return computeTerm(rewriter, tile, sum, lanes, begin, tableBits);
}

ReductionLoops::Sums
ReductionLoops::addUp(ValueRange sums, function_ref<Sums(ValueRange)> addTerms,
                      unsigned loop) {
  if (loop == tile.getNumLoops())
    return addTerms(sums);
  auto addInner = [&](ValueRange carried) {
    return addUp(carried, addTerms, loop + 1);
  };
  int64_t step = lanes.isLane(loop) ? lanes.getSize(loop) : 1;
  return !isReductionLoop(tile, loop) || ranges[loop] == step
             ? addInner(sums)
             : createLoop(loop, step, sums, addInner);
}
