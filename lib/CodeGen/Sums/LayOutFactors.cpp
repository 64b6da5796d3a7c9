// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of float sums, laid out for lanes that are results.

#include "../Analysis/ConstantValue.h"
#include "../Analysis/SumOfProducts.h"
#include "../Dots/Transposition.h"
#include "../Plan/Tiles.h"
#include "SumLayouts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

/// Rows that repay the transposition of what they read, also where that is
/// larger than the caches.
static constexpr int64_t kMinRows = 5;

/// The rows whose lanes are results if the order of the sum is free and the
/// factor constant: lanes along the reduction read it faster for fewer rows.
static constexpr int64_t kMinRowsOfConstants = 3;

/// Terms of a sum in any order that cost more to join than to add, where lanes
/// are terms.
static constexpr int64_t kFewTermsInLanes = 256;

/// Fewer columns leave most of a vector empty, as lanes along the reduction do
/// not.
static constexpr int64_t kMinColumns = 5;

/// The rows that read the same elements of an operand. An open number counts
/// as enough.
static int64_t countRows(linalg::GenericOp op, OpOperand *operand) {
  return countSharing(op, op.getMatchingIndexingMap(operand), kMinRows);
}

/// The neighbors in the result. An open number counts as enough.
static int64_t countColumns(linalg::GenericOp op) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getDpsInits()[0].getType()).getShape();
  int64_t columns = shape.empty() ? 1 : shape.back();
  return ShapedType::isDynamic(columns) ? kMinColumns : columns;
}

/// The order of dimensions that ends with the innermost one of the result, or
/// with the innermost term; nothing where the last one is of that kind now.
static std::optional<SmallVector<int64_t>>
getOrder(linalg::GenericOp op, AffineMap map, bool endsWithTerms) {
  AffineMap result = op.getIndexingMapsArray().back();
  if (!map.isProjectedPermutation() || !result.isProjectedPermutation() ||
      map.getNumResults() < 2 || result.getNumResults() == 0 ||
      isReductionLoop(op, map.getDimPosition(map.getNumResults() - 1)) ==
          endsWithTerms)
    return std::nullopt;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  unsigned last = endsWithTerms
                      ? reductions.back()
                      : result.getDimPosition(result.getNumResults() - 1);
  return map.isFunctionOfDim(last) ? std::optional(moveLast(map, last))
                                   : std::nullopt;
}

/// True if the transposition of a factor costs little beside what it saves:
/// many rows read it, or all iterations of a loop.
static bool isWorthATransposition(linalg::GenericOp op, OpOperand *operand) {
  Value factor = operand->get();
  if (!hasWholeBytes(factor.getType()))
    return false;
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  if (loop && loop.isDefinedOutsideOfLoop(factor))
    return true;
  return countRows(op, operand) >= kMinRows;
}

/// The order of an operand, if it should have another one. Of a sum in any
/// order, constants are laid out, and others where lanes that are terms would
/// cost more; the rest is read where it is.
static std::optional<SmallVector<int64_t>>
chooseOrder(linalg::GenericOp op, OpOperand *operand, bool laysOutConstants) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  bool isConstant = getShapedConstant(operand->get()) != nullptr;
  bool isMoved = isConstant || isWorthATransposition(op, operand);
  if (!SumOfProducts::get(op)->isReassociable())
    return isMoved ? getOrder(op, map, /*endsWithTerms=*/false) : std::nullopt;
  // Scales beside codes have the layout that products of codes look for.
  if (!isMoved || !linalg::isaContractionOpInterface(op))
    return std::nullopt;
  bool hasFewColumns = countColumns(op) < kMinColumns;
  if (!isConstant)
    return hasFewColumns ||
                   countTerms(op, kFewTermsInLanes + 1) > kFewTermsInLanes
               ? std::nullopt
               : getOrder(op, map, /*endsWithTerms=*/false);
  if (!laysOutConstants)
    return std::nullopt;
  return getOrder(
      op, map, hasFewColumns || countRows(op, operand) < kMinRowsOfConstants);
}

static void layOut(IRRewriter &rewriter, linalg::GenericOp op,
                   OpOperand *operand, bool laysOutConstants) {
  std::optional<SmallVector<int64_t>> order =
      chooseOrder(op, operand, laysOutConstants);
  if (!order)
    return;
  Operation *written = operand->get().getDefiningOp();
  transposeOperand(rewriter, op, *operand, *order);
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
  bool laysOutConstants = mayLayOutConstants(root);
  for (linalg::GenericOp op : collectGenerics(root, isFloatSum))
    for (OpOperand *operand : op.getDpsInputOperands())
      layOut(rewriter, op, operand, laysOutConstants);
}
