// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of which a part of a loop reads a slice.

#include "ConstantSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

/// Where a loop of this index begins, and its step.
static std::optional<std::pair<OpFoldResult, OpFoldResult>>
getStartAndStep(Value index) {
  if (scf::ForOp loop = scf::getForInductionVarOwner(index))
    return std::pair(OpFoldResult(loop.getLowerBound()),
                     OpFoldResult(loop.getStep()));
  scf::ForallOp loop = scf::getForallOpThreadIndexOwner(index);
  if (!loop)
    return std::nullopt;
  unsigned dim = cast<BlockArgument>(index).getArgNumber();
  return std::pair(loop.getMixedLowerBound()[dim], loop.getMixedStep()[dim]);
}

static bool isMultiple(OpFoldResult index, int64_t of) {
  if (std::optional<int64_t> value = getConstantIntValue(index))
    return *value % of == 0;
  auto loop = getStartAndStep(cast<Value>(index));
  if (!loop)
    return false;
  std::optional<int64_t> first = getConstantIntValue(loop->first);
  std::optional<int64_t> step = getConstantIntValue(loop->second);
  return first && step && *first % of == 0 && *step % of == 0;
}

std::optional<ConstantSlice> ConstantSlice::get(ImplicitLocOpBuilder &b,
                                                Value operand, AffineMap map,
                                                unsigned loop, int64_t unit) {
  OpFoldResult first = b.getIndexAttr(0);
  // A tile of a part is a slice of a slice.
  while (auto slice = operand.getDefiningOp<tensor::ExtractSliceOp>()) {
    operand = slice.getSource();
    if (!slice.hasUnitStride() ||
        slice.getType().getRank() != slice.getSourceType().getRank())
      return std::nullopt;
    for (auto [expr, offset, size, whole] : llvm::zip_equal(
             map.getResults(), slice.getMixedOffsets(), slice.getMixedSizes(),
             slice.getSourceType().getShape())) {
      if (cast<AffineDimExpr>(expr).getPosition() == loop) {
        if (!isMultiple(offset, unit))
          return std::nullopt;
        first = affine::makeComposedFoldedAffineApply(
            b, slice.getLoc(), b.getAffineDimExpr(0) + b.getAffineDimExpr(1),
            {first, offset});
      } else if (!isZeroInteger(offset) || getConstantIntValue(size) != whole)
        return std::nullopt;
    }
  }
  TypedAttr elements = getShapedConstant(operand);
  if (!elements || !isa<RankedTensorType>(elements.getType()))
    return std::nullopt;
  return ConstantSlice{elements, first};
}
