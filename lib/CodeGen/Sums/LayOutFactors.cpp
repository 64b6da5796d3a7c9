// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of float sums, laid out for lanes that are results.

#include "LayOutFactors.h"
#include "../Analysis/SumOfProducts.h"
#include "../Dots/Transposition.h"
#include "../Plan/Tiles.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

/// Rows that repay the transposition of what they read, also where that is
/// larger than the caches.
static constexpr int64_t kMinRows = 5;

/// The same of a constant if the order of the sum is free: lanes along the
/// reduction read the weight faster for fewer rows.
static constexpr int64_t kMinRowsOfConstants = 3;

/// The rows that read the same elements of an operand. An open number counts
/// as enough.
static int64_t countRows(linalg::GenericOp op, OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  int64_t rows = 1;
  for (unsigned row : parallel) {
    int64_t size = op.getStaticLoopRanges()[row];
    if (!map.isFunctionOfDim(row))
      rows *= ShapedType::isDynamic(size) ? kMinRows : size;
  }
  return rows;
}

/// The order of dimensions in which the innermost one of the result is the last
/// of `map`, where that is a reduction now; nothing where the order may stay.
static std::optional<SmallVector<int64_t>> getOrder(linalg::GenericOp op,
                                                    AffineMap map) {
  AffineMap result = op.getIndexingMapsArray().back();
  if (!map.isProjectedPermutation() || !result.isProjectedPermutation() ||
      map.getNumResults() < 2 || result.getNumResults() == 0 ||
      linalg::isParallelIterator(op.getIteratorTypesArray()[map.getDimPosition(
          map.getNumResults() - 1)]))
    return std::nullopt;
  std::optional<unsigned> lanes =
      map.getResultPosition(result.getResults().back());
  if (!lanes)
    return std::nullopt;
  SmallVector<int64_t> order;
  for (int64_t dim = 0, rank = map.getNumResults(); dim < rank; ++dim)
    if (dim != *lanes)
      order.push_back(dim);
  order.push_back(*lanes);
  return order;
}

/// True if the transposition of a factor costs nothing, or little beside what
/// it saves: many rows read it, or all iterations of a loop. Sums in any order
/// have lanes along the reduction for what has to be moved in each call.
static bool isWorthATransposition(linalg::GenericOp op, OpOperand *operand) {
  Value factor = operand->get();
  bool isConstant = getShapedConstant(factor) != nullptr;
  if (SumOfProducts::get(op)->isReassociable())
    return isConstant && isa<FloatType>(getElementTypeOrSelf(factor)) &&
           countRows(op, operand) >= kMinRowsOfConstants;
  if (isConstant)
    return true;
  if (!hasWholeBytes(factor.getType()))
    return false;
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  if (loop && loop.isDefinedOutsideOfLoop(factor))
    return true;
  return countRows(op, operand) >= kMinRows;
}

static void layOut(IRRewriter &rewriter, linalg::GenericOp op,
                   OpOperand *operand) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[operand->getOperandNumber()];
  std::optional<SmallVector<int64_t>> order = getOrder(op, map);
  if (!order || !isWorthATransposition(op, operand))
    return;
  rewriter.setInsertionPoint(op);
  Operation *written = operand->get().getDefiningOp();
  Value moved =
      createTransposition(rewriter, op.getLoc(), operand->get(), *order);
  map = permuteResults(map, *order);
  rewriter.modifyOpInPlace(op, [&] {
    operand->set(moved);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  while (written && isOpTriviallyDead(written)) {
    Operation *before = written->getNumOperands() == 0
                            ? nullptr
                            : written->getOperand(0).getDefiningOp();
    rewriter.eraseOp(written);
    written = before;
  }
}

void mlir::qdq::layOutFactors(IRRewriter &rewriter, Operation *root) {
  auto isFloatSum = [](linalg::GenericOp op) {
    std::optional<SumOfProducts> sum = SumOfProducts::get(op);
    return sum && sum->getFloatSum();
  };
  for (linalg::GenericOp op : collectGenerics(root, isFloatSum))
    for (OpOperand *operand : op.getDpsInputOperands())
      layOut(rewriter, op, operand);
}
