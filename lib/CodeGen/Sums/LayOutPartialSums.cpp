// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of sums in partial sums, laid out for these.

#include "../Analysis/SumOfProducts.h"
#include "../Dots/Transposition.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/LaneLoops.h"
#include "PartialSums.h"
#include "SplitLoops.h"
#include "SumLanes.h"

using namespace mlir;
using namespace mlir::qdq;

/// As many results share a factor, at least, as pay for its transposition,
/// where lanes are terms, and where they are results.
static constexpr int64_t kFewestResults = 16, kFewestColumns = 1024;

/// The dimensions of an operand in their new order; nothing if they stay.
static SmallVector<int64_t> getOrder(linalg::GenericOp op,
                                     const SumLanes &lanes, AffineMap map) {
  SmallVector<int64_t> first, ofLanes, others;
  bool isSubByte = countsFields(op, lanes.whole.back()) && !hasResultLanes(op);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (isSubByte && loop == lanes.whole.back())
      first.push_back(i);
    else if (llvm::is_contained(lanes.whole, loop))
      ofLanes.push_back(i);
    else
      others.push_back(i);
  }
  if (ofLanes.size() + first.size() != lanes.whole.size())
    return {};
  // Lanes that are results: partial sum by partial sum.
  SmallVector<int64_t> order;
  if (hasResultLanes(op)) {
    llvm::append_range(order, ofLanes);
    llvm::append_range(order, others);
  } else if (isSubByte) {
    llvm::append_range(order, others);
    llvm::append_range(order, first);
    llvm::append_range(order, ofLanes);
  }
  return llvm::is_sorted(order) ? SmallVector<int64_t>() : order;
}

linalg::GenericOp mlir::qdq::layOutPartialSums(IRRewriter &rewriter,
                                               linalg::GenericOp op) {
  std::optional<SumLanes> lanes = SumLanes::get(op, getNumPartialSums(op));
  bool isPlain = llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isProjectedPermutation();
  });
  bool isStatic = llvm::all_of(op.getStaticLoopRanges(), [](int64_t size) {
    return !ShapedType::isDynamic(size) && size != 0;
  });
  if (!lanes || lanes->isRagged || !isPlain || !isStatic ||
      op.getNumReductionLoops() == 0)
    return op;
  if (lanes->split) {
    int64_t size = op.getStaticLoopRanges()[*lanes->split];
    op = splitLoops(rewriter, op,
                    {{*lanes->split, {size / lanes->part, lanes->part}}});
    lanes = SumLanes::get(op, getNumPartialSums(op));
  }
  // A single term is in its order.
  if (lanes->split || lanes->whole.empty() ||
      lanes->whole.size() == op.getNumReductionLoops())
    return op;
  int64_t fewest = hasResultLanes(op) ? kFewestColumns : kFewestResults;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    // A weight [K, N] stays.
    bool isWeight =
        hasResultLanes(op) && map.isFunctionOfDim(getResultLoops(op).back());
    if (isWeight || countSharing(op, map, kFewestResults) < fewest ||
        !hasWholeBytes(operand->get().getType()))
      continue;
    SmallVector<int64_t> order = getOrder(op, *lanes, map);
    if (!order.empty())
      transposeOperand(rewriter, op, *operand, order);
  }
  return op;
}
