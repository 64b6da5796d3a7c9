// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of which a part of a loop reads a slice.

#include "ConstantSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

/// True for a multiple of `of`, and for the index of a loop that begins at one
/// and steps by one.
static bool isMultiple(OpFoldResult index, int64_t of) {
  if (std::optional<int64_t> value = getConstantIntValue(index))
    return *value % of == 0;
  auto argument = dyn_cast<BlockArgument>(cast<Value>(index));
  auto loop = dyn_cast_if_present<LoopLikeOpInterface>(
      argument ? argument.getOwner()->getParentOp() : nullptr);
  unsigned dim = argument ? argument.getArgNumber() : 0;
  if (!loop || dim >= loop.getLoopInductionVars()->size())
    return false;
  return isMultiple((*loop.getLoopLowerBounds())[dim], of) &&
         isMultiple((*loop.getLoopSteps())[dim], of);
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
