// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant factors of float sums, laid out for lanes that are results.

#include "LayOutConstants.h"
#include "../Analysis/SumOfProducts.h"
#include "../Dots/Transposition.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

/// True if the sum of floats has to be formed in the written order: no lanes
/// along the reduction.
static bool isSequentialSum(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  return sum && sum->getFloatSum() && !sum->isReassociable();
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

static void layOut(IRRewriter &rewriter, linalg::GenericOp op,
                   OpOperand *operand) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[operand->getOperandNumber()];
  ElementsAttr constant;
  if (!matchPattern(operand->get(), m_Constant(&constant)))
    return;
  std::optional<SmallVector<int64_t>> order = getOrder(op, map);
  TypedAttr transposed;
  if (order)
    transposed = transposeElements(constant, *order);
  if (!transposed)
    return;
  map = permuteResults(map, *order);
  rewriter.setInsertionPoint(op);
  Operation *written = operand->get().getDefiningOp();
  Value moved = arith::ConstantOp::create(rewriter, op.getLoc(), transposed);
  rewriter.modifyOpInPlace(op, [&] {
    operand->set(moved);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  if (isOpTriviallyDead(written))
    rewriter.eraseOp(written);
}

void mlir::qdq::layOutConstants(IRRewriter &rewriter, Operation *root) {
  root->walk([&](linalg::GenericOp op) {
    if (isSequentialSum(op))
      for (OpOperand *operand : op.getDpsInputOperands())
        layOut(rewriter, op, operand);
  });
}
