// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terms of a sum, and the partial sums that they go to.

#include "SumLanes.h"
#include "../Plan/Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qdq/Transforms/DeclareSumOrder.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::qdq;

Attribute mlir::qdq::getPartialSumsAttr(linalg::GenericOp op) {
  for (Value yielded : op.getBody()->getTerminator()->getOperands())
    if (Operation *sum = yielded.getDefiningOp())
      if (Attribute count = sum->getAttr(kPartialSumsAttr))
        return count;
  return {};
}

int64_t mlir::qdq::getNumPartialSums(linalg::GenericOp op) {
  return cast<IntegerAttr>(getPartialSumsAttr(op)).getInt();
}

SmallVector<unsigned> mlir::qdq::getResultLoops(linalg::GenericOp op) {
  return llvm::map_to_vector(
      op.getIndexingMapsArray().back().getResults(),
      [](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); });
}

LogicalResult mlir::qdq::checkPartialSums(linalg::GenericOp op) {
  Attribute attribute = getPartialSumsAttr(op);
  auto count = dyn_cast<IntegerAttr>(attribute);
  if (!count || !count.getType().isSignlessIntOrIndex() ||
      count.getValue().getActiveBits() > 7 || !count.getValue().isPowerOf2()) {
    std::string found;
    llvm::raw_string_ostream(found) << attribute;
    if (count)
      found = llvm::toString(count.getValue(), /*Radix=*/10, /*Signed=*/true);
    return op.emitError() << kPartialSumsAttr << " is " << found
                          << ": expected a power of two, up to 64";
  }
  AffineMap result = op.getIndexingMapsArray().back();
  // A reduction of one term may have no loop.
  bool isSum = op.getNumResults() == 1 && result.isProjectedPermutation() &&
               result.getNumResults() == op.getNumParallelLoops();
  if (isSum) {
    Value out = op.getRegionOutputArgs().front();
    Operation *sum =
        op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
    auto fma = dyn_cast<math::FmaOp>(sum);
    isSum = out.hasOneUse() && *out.user_begin() == sum &&
            (fma ? fma.getC() == out : isa<arith::AddFOp>(sum));
  }
  if (!isSum)
    return op.emitError()
           << kPartialSumsAttr
           << " needs a sum of floats on tensors with one result, which has a "
              "dimension for each parallel loop";
  if (!separatesTerms(op))
    return op.emitError() << kPartialSumsAttr << " with an index of terms "
                          << "and results, as a convolution has it";
  return success();
}

bool mlir::qdq::hasResultLanes(linalg::GenericOp op) {
  SmallVector<unsigned> results = getResultLoops(op);
  if (results.empty())
    return false;
  auto isFactor = [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    bool hasTerms = false;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      hasTerms |= isReductionLoop(op, loop) && map.isFunctionOfDim(loop);
    return hasTerms && map.getNumResults() > 1 &&
           map.getResults().back() ==
               getAffineDimExpr(results.back(), op.getContext());
  };
  return llvm::any_of(op.getDpsInputOperands(), isFactor);
}

std::optional<SumLanes> SumLanes::get(linalg::GenericOp op, int64_t count) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SumLanes lanes;
  int64_t left = count;
  while (!reductions.empty()) {
    int64_t size = ranges[reductions.back()];
    if (ShapedType::isDynamic(size) || left % size != 0)
      break;
    left /= size;
    lanes.whole.insert(lanes.whole.begin(), reductions.pop_back_val());
  }
  if (left == 1 || reductions.empty())
    return lanes;
  lanes.split = reductions.pop_back_val();
  lanes.part = left;
  int64_t size = ranges[*lanes.split];
  lanes.isRagged = ShapedType::isDynamic(size) || size % left != 0;
  if (!lanes.canSplit(op) ||
      (lanes.isRagged && llvm::any_of(reductions, [&](unsigned loop) {
         return ranges[loop] != 1;
       })))
    return std::nullopt;
  return lanes;
}

/// True if reshapes of the operands split the loop.
bool SumLanes::canSplit(linalg::GenericOp op) const {
  bool isPlain = false;
  for (OpOperand *operand : op.getDpsInputOperands())
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      if (!expr.isFunctionOfDim(*split))
        continue;
      if (isa<AffineDimExpr>(expr))
        isPlain = true;
      else if (isRagged)
        return false;
    }
  return isPlain;
}
