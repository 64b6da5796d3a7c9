// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops over the terms of a tile of sums.

#include "ReductionLoops.h"
#include "../Vectorize/LaneBody.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::qdq;

ReductionLoops::ReductionLoops(IRRewriter &rewriter, linalg::GenericOp tile,
                               const LaneLoops &lanes, arith::AddFOp sum,
                               int64_t vectorBits)
    : rewriter(rewriter), loc(tile.getLoc()), tile(tile), lanes(lanes),
      sum(sum), vectorBits(vectorBits), sizes(tile.getStaticLoopRanges()),
      ranges(cast<linalg::LinalgOp>(tile.getOperation())
                 .createLoopRanges(rewriter, loc)),
      offsets(tile.getNumLoops(), createIndex(0)) {}

Value ReductionLoops::createIndex(int64_t value) {
  return arith::ConstantIndexOp::create(rewriter, loc, value);
}

static bool isReduction(linalg::GenericOp op, unsigned loop) {
  return linalg::isReductionIterator(op.getIteratorTypesArray()[loop]);
}

void ReductionLoops::forEachResult(function_ref<void()> visit, unsigned loop) {
  if (loop == tile.getNumLoops())
    return visit();
  if (isReduction(tile, loop) || lanes.isLane(loop))
    return forEachResult(visit, loop + 1);
  for (int64_t i = 0; i < sizes[loop]; ++i) {
    offsets[loop] = createIndex(i);
    forEachResult(visit, loop + 1);
  }
}

SmallVector<Value> ReductionLoops::getOrigin() {
  AffineMap map = tile.getMatchingIndexingMap(&tile.getDpsInitsMutable()[0]);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return offsets[cast<AffineDimExpr>(expr).getPosition()];
  });
}

ReductionLoops::Sums ReductionLoops::computeTerms() {
  return computeTerm(rewriter, tile, sum, lanes, offsets, vectorBits);
}

ReductionLoops::Sums
ReductionLoops::addUp(ValueRange sums, function_ref<Sums(ValueRange)> addTerms,
                      unsigned loop) {
  if (loop == tile.getNumLoops())
    return addTerms(sums);
  int64_t step = lanes.isLane(loop) ? lanes.getSize(loop) : 1;
  if (!isReduction(tile, loop) || sizes[loop] == step)
    return addUp(sums, addTerms, loop + 1);
  Value end = getValueOrCreateConstantIndexOp(rewriter, loc, ranges[loop].size);
  auto nest = scf::ForOp::create(
      rewriter, loc, createIndex(0), end, createIndex(step), sums,
      [&](OpBuilder &, Location, Value index, ValueRange carried) {
        offsets[loop] = index;
        scf::YieldOp::create(rewriter, loc, addUp(carried, addTerms, loop + 1));
      });
  offsets[loop] = createIndex(0);
  return llvm::to_vector_of<Value>(nest.getResults());
}
