// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums whose neighbors come from neighbors in their operands.

#include "ResultLanes.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/ElementwiseBody.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Fewer results are no vector.
static constexpr int64_t kMinLanes = 4;

/// The innermost loop of results that share the elements of all lanes; if there
/// is none, of those that are no lanes.
static std::optional<unsigned> findRow(linalg::GenericOp op,
                                       ArrayRef<int64_t> strides) {
  AffineMap map = op.getIndexingMapsArray().back();
  auto sharesLanes = [&](AffineExpr result) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    for (auto [input, stride] :
         llvm::zip_equal(op.getDpsInputOperands(), strides))
      if (stride > 0 && op.getMatchingIndexingMap(input).isFunctionOfDim(loop))
        return false;
    return true;
  };
  ArrayRef<AffineExpr> others = map.getResults().drop_back();
  if (others.empty())
    return std::nullopt;
  auto rows = llvm::reverse(others);
  auto found = llvm::find_if(rows, sharesLanes);
  return cast<AffineDimExpr>(found == rows.end() ? others.back() : *found)
      .getPosition();
}

std::optional<ResultLanes> ResultLanes::get(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || op.getNumDpsInputs() == 0 ||
      llvm::is_contained(op.getStaticLoopRanges(), 0))
    return std::nullopt;
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0]);
  if (!sum.isInteger(8) && !sum.isInteger(32) && !sum.isInteger(64) &&
      !sum.isF32())
    return std::nullopt;
  if (!llvm::all_of(op->getOperandTypes(), hasWholeBytes))
    return std::nullopt;
  AffineMap result = op.getIndexingMapsArray().back();
  Operation *last =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!result.isProjectedPermutation() || result.getNumResults() == 0 ||
      result.getNumResults() != op.getNumParallelLoops() || !last ||
      last->getBlock() != op.getBody())
    return std::nullopt;
  ResultLanes lanes;
  lanes.op = op;
  lanes.lane = result.getDimPosition(result.getNumResults() - 1);
  int64_t numLanes = op.getStaticLoopRanges()[lanes.lane];
  if (!ShapedType::isDynamic(numLanes) && numLanes < kMinLanes)
    return std::nullopt;
  if (!isElementwiseBody(op, lanes.lane))
    return std::nullopt;
  bool varies = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<int64_t> stride =
        getLaneStride(op.getMatchingIndexingMap(input), lanes.lane);
    if (!stride)
      return std::nullopt;
    varies |= *stride > 0;
    lanes.strides.push_back(*stride);
  }
  if (!varies)
    return std::nullopt;
  lanes.row = findRow(op, lanes.strides);
  return lanes;
}
