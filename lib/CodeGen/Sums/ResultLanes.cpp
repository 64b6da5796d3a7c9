// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums whose neighbors come from neighbors in their operands.

#include "ResultLanes.h"
#include "../Analysis/MayTrap.h"
#include "../Plan/Tiles.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Fewer results are no vector.
static constexpr int64_t kMinLanes = 4;

/// How far `expr` moves with a step of `loop`; nothing if that depends on where
/// the loops are.
static std::optional<int64_t> getStride(AffineExpr expr, unsigned loop,
                                        unsigned numLoops) {
  MLIRContext *context = expr.getContext();
  AffineExpr dim = getAffineDimExpr(loop, context);
  AffineExpr step =
      simplifyAffineExpr(expr.replace(dim, dim + 1) - expr, numLoops, 0);
  auto constant = dyn_cast<AffineConstantExpr>(step);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

/// How far apart the elements of two lanes are in an operand of this map.
static std::optional<int64_t> getLaneStride(AffineMap map, unsigned lane) {
  int64_t stride = 0;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    std::optional<int64_t> step = getStride(expr, lane, map.getNumDims());
    bool isInnermost = i + 1 == map.getNumResults();
    if (!step || *step < 0 || *step > (isInnermost ? 2 : 0))
      return std::nullopt;
    stride = *step;
  }
  return stride;
}

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
  if (!sum.isInteger(8) && !sum.isInteger(32) && !sum.isF32())
    return std::nullopt;
  // All operands are numbers in bytes of their own, and all ops elementwise.
  // They run on lanes that do not exist, too.
  auto isElementwise = [](Operation &nested) {
    return isa<linalg::YieldOp, linalg::IndexOp>(nested) ||
           nested.hasTrait<OpTrait::ConstantLike>() ||
           (OpTrait::hasElementwiseMappableTraits(&nested) &&
            !mayTrap(&nested) &&
            llvm::all_of(nested.getOperandTypes(), [](Type type) {
              return type.isSignlessInteger() || type.isIndex() ||
                     isa<Float16Type, BFloat16Type, Float32Type>(type);
            }));
  };
  if (!llvm::all_of(op->getOperandTypes(), hasWholeBytes) ||
      !llvm::all_of(*op.getBody(), isElementwise))
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
  // Lanes have no index of their own.
  if (llvm::any_of(
          op.getBody()->getOps<linalg::IndexOp>(),
          [&](linalg::IndexOp index) { return index.getDim() == lanes.lane; }))
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
