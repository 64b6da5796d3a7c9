// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Result shapes of all ops but those of packing, and when they cannot
// disagree with those of the operands.

#include "OpShapes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/TileBounds.h"

using namespace mlir;
using namespace mlir::qdq;

Speculation::Speculatability mlir::qdq::speculatableIf(bool shapesAgree) {
  return shapesAgree ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

bool mlir::qdq::isImpliedShape(ArrayRef<int64_t> expected, Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  return !shaped || llvm::all_of_zip(expected, shaped.getShape(),
                                     [](int64_t expected, int64_t promised) {
                                       return ShapedType::isDynamic(promised) ||
                                              ShapedType::isStatic(expected);
                                     });
}

SmallVector<OpFoldResult> mlir::qdq::toSizesOf(Type type, OpBuilder &b,
                                               Location loc,
                                               ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> result;
  for (auto [size, promised] :
       llvm::zip_equal(sizes, cast<ShapedType>(type).getShape()))
    result.push_back(ShapedType::isStatic(promised)
                         ? OpFoldResult(b.getIndexAttr(promised))
                         : getValueOrCreateConstantIndexOp(b, loc, size));
  return result;
}

/// True if the parameter has one element for every group of the input, whatever
/// the shapes are at run time.
static bool agrees(Value input, Value parameter,
                   const Granularity &granularity) {
  if (isSingleElement(parameter.getType()))
    return true;
  auto type = dyn_cast<ShapedType>(input.getType());
  auto parameterType = cast<ShapedType>(parameter.getType());
  if (!type.hasRank())
    return false;
  AffineMap map =
      granularity.getParameterShapeMap(type.getRank(), input.getContext());
  SmallVector<int64_t> expected =
      granularity.getParameterShape(type.getShape());
  SmallVector<Bound> sizes;
  if (isa<TensorType>(type))
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      sizes.emplace_back(input, dim);
  for (int64_t i = 0; i < parameterType.getRank(); ++i) {
    if (ShapedType::isStatic(expected[i]) && !parameterType.isDynamicDim(i))
      continue;
    if (!areEqual({parameter, i},
                  {map.getSubMap({static_cast<unsigned>(i)}), sizes}))
      return false;
  }
  return true;
}

Speculation::Speculatability mlir::qdq::getSpeculatabilityOf(
    Value input, Type result, ValueRange parameters,
    function_ref<Granularity(Value)> getGranularityOf) {
  auto type = dyn_cast<RankedTensorType>(input.getType());
  return speculatableIf((!type || isImpliedShape(type.getShape(), result)) &&
                        llvm::all_of(parameters, [&](Value parameter) {
                          return agrees(input, parameter,
                                        getGranularityOf(parameter));
                        }));
}

Speculation::Speculatability ChooseParamsOp::getSpeculatability() {
  Granularity granularity = getGranularity();
  auto type = dyn_cast<RankedTensorType>(getInput().getType());
  if (!type)
    return speculatableIf(granularity.isTensor());
  return speculatableIf(llvm::all_of(getResultTypes(), [&](Type result) {
    return isImpliedShape(granularity.getParameterShape(type.getShape()),
                          result);
  }));
}

LogicalResult mlir::qdq::reifyInputShape(Operation *op, Value input,
                                         OpBuilder &b,
                                         ReifiedRankedShapedTypeDims &shapes) {
  Type result = op->getResult(0).getType();
  if (!isa<RankedTensorType>(result))
    return failure();
  Location loc = op->getLoc();
  shapes.push_back(
      toSizesOf(result, b, loc, tensor::getMixedSizes(b, loc, input)));
  return success();
}

LogicalResult
ChooseParamsOp::reifyResultShapes(OpBuilder &b,
                                  ReifiedRankedShapedTypeDims &shapes) {
  auto inputType = dyn_cast<RankedTensorType>(getInput().getType());
  if (!inputType)
    return failure();
  SmallVector<OpFoldResult> sizes =
      affine::makeComposedFoldedMultiResultAffineApply(
          b, getLoc(),
          getGranularity().getParameterShapeMap(inputType.getRank(),
                                                getContext()),
          tensor::getMixedSizes(b, getLoc(), getInput()));
  for (Type type : getResultTypes())
    shapes.push_back(toSizesOf(type, b, getLoc(), sizes));
  return success();
}
