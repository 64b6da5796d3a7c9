// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// runtime-checks: assertions that dynamic shapes agree.

#include "ElementGeneric.h"
#include "Lowerings.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

/// The size that a parameter must have in one of its dimensions.
static Value getExpectedSize(ImplicitLocOpBuilder &b,
                             const Granularity &granularity,
                             ArrayRef<OpFoldResult> sizes, int64_t dim) {
  if (granularity.isAxis())
    return getValueOrCreateConstantIndexOp(b, b.getLoc(),
                                           sizes[granularity.getAxis()]);
  int64_t length = granularity.getBlockShape()[dim];
  if (length == 0)
    return arith::ConstantIndexOp::create(b, 1);
  Value size = getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[dim]);
  return arith::CeilDivUIOp::create(b, size,
                                    arith::ConstantIndexOp::create(b, length));
}

void mlir::qdq::emitShapeChecks(ImplicitLocOpBuilder &b,
                                const Granularity &granularity, Value value,
                                ArrayRef<Value> parameters) {
  auto valueType = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> expectedShape =
      granularity.getParameterShape(valueType.getShape());
  SmallVector<OpFoldResult> sizes;
  for (Value parameter : parameters) {
    auto type = parameter ? dyn_cast<RankedTensorType>(parameter.getType())
                          : RankedTensorType();
    if (!type || type.getRank() == 0)
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim) && !ShapedType::isDynamic(expectedShape[dim]))
        continue;
      if (sizes.empty())
        sizes = getSizes(b, value);
      Value isExpected = arith::CmpIOp::create(
          b, arith::CmpIPredicate::eq, tensor::DimOp::create(b, parameter, dim),
          getExpectedSize(b, granularity, sizes, dim));
      cf::AssertOp::create(
          b, isExpected,
          ("qdq: dimension " + Twine(dim) +
           " of a scale or zero point does not match the value's shape")
              .str());
    }
  }
}

void mlir::qdq::emitContainerCheck(ImplicitLocOpBuilder &b,
                                   const BitLayout &layout, Value containers,
                                   ArrayRef<OpFoldResult> sizes) {
  Value needed = getValueOrCreateConstantIndexOp(
      b, b.getLoc(),
      affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), layout.getNumContainers(b.getAffineSymbolExpr(0)),
          {sizes[*layout.axis]}));
  Value count = tensor::DimOp::create(b, containers, *layout.axis);
  Value isEnough =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ule, needed, count);
  cf::AssertOp::create(b, isEnough,
                       "qdq: the containers are fewer than the sizes need");
}
