// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops over the terms of a tile of a reduction.

#include "ReductionLoops.h"
#include "../Plan/Tiles.h"

using namespace mlir;
using namespace mlir::qdq;

ReductionLoops::ReductionLoops(IRRewriter &rewriter, ImplicitLocOpBuilder &b,
                               linalg::GenericOp tile, const LaneLoops &lanes,
                               Operation *sum, int64_t tableBits)
    : TileNest(b, tile), rewriter(rewriter), lanes(lanes), sum(sum),
      tableBits(tableBits) {
  tile.getParallelDims(results);
  llvm::erase_if(results, [&](unsigned loop) { return lanes.isLane(loop); });
}

SmallVector<Term> ReductionLoops::computeTerms() {
  auto begin = llvm::map_to_vector(
      offsets, [&](OpFoldResult offset) { return createIndex(offset); });
  rewriter.restoreInsertionPoint(b.saveInsertionPoint());
  return computeTerm(rewriter, op, sum, lanes, begin, tableBits);
}

ReductionLoops::Sums
ReductionLoops::addUp(ValueRange sums, function_ref<Sums(ValueRange)> addTerms,
                      unsigned loop) {
  if (loop == op.getNumLoops())
    return addTerms(sums);
  auto addInner = [&](ValueRange carried) {
    return addUp(carried, addTerms, loop + 1);
  };
  int64_t step = lanes.isLane(loop) ? lanes.getSize(loop) : 1;
  return !isReductionLoop(op, loop) || getStaticSize(loop) == step
             ? addInner(sums)
             : createLoop(loop, step, sums, addInner);
}
