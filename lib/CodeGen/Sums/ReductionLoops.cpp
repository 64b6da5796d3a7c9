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

int64_t ReductionLoops::getNumResults() const {
  int64_t count = 1;
  for (unsigned loop : results)
    count *= *getStaticSize(loop);
  return count;
}

/// Adds what is at the offsets to all sums.
SmallVector<Value> ReductionLoops::addTerms(ValueRange sums) {
  SmallVector<Value> totals(sums);
  MutableArrayRef<Value> rest = totals;
  size_t count = sums.size() / getNumResults();
  forEachResult([&] {
    auto begin = llvm::map_to_vector(
        offsets, [&](OpFoldResult offset) { return createIndex(offset); });
    rewriter.restoreInsertionPoint(b.saveInsertionPoint());
    for (auto [i, term] : llvm::enumerate(
             computeTerm(rewriter, op, sum, lanes, begin, tableBits))) {
      Value &total = rest[i % count];
      total = addTerm(b, sum, total, term);
    }
    rest = rest.drop_front(count);
  });
  return totals;
}

SmallVector<Value> ReductionLoops::addUp(ValueRange sums, unsigned loop) {
  if (loop == op.getNumLoops())
    return addTerms(sums);
  auto addInner = [&](ValueRange carried) { return addUp(carried, loop + 1); };
  int64_t step = lanes.isLane(loop) ? lanes.getSize(loop) : 1;
  return !isReductionLoop(op, loop) || getStaticSize(loop) == step
             ? addInner(sums)
             : createLoop(loop, step, sums, addInner);
}
