// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of an elementwise generic over some loops of a contraction.

#include "LoopOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/BuildGeneric.h"

using namespace mlir;
using namespace mlir::qdq;

/// The one element of a constant.
static TypedAttr getUniformElement(const LoopParameter &parameter) {
  auto constant = LoopConstant::get(parameter);
  if (!constant || !isSingle(parameter))
    return {};
  SmallVector<int64_t> first(parameter.map.getNumDims(), 0);
  return toAttribute(constant->at(first),
                     getElementTypeOrSelf(parameter.value));
}

void LoopOperands::add(ImplicitLocOpBuilder &b, LoopParameter parameter) {
  if (TypedAttr element = getUniformElement(parameter)) {
    scalars.push_back(arith::ConstantOp::create(b, element));
    return;
  }
  dropUnitDims(b, parameter.value, parameter.map);
  if (parameter.map.getNumResults() == 0) {
    if (isa<RankedTensorType>(parameter.value.getType()))
      parameter.value =
          tensor::ExtractOp::create(b, parameter.value, ValueRange());
    scalars.push_back(parameter.value);
    return;
  }
  SmallVector<AffineExpr> dims(numLoops, b.getAffineConstantExpr(0));
  for (auto [dim, loop] : llvm::enumerate(loops))
    dims[loop] = b.getAffineDimExpr(dim);
  addTensor(parameter.value,
            parameter.map.replaceDimsAndSymbols(dims, {}, loops.size(), 0));
}

void LoopOperands::addTensor(Value tensor, AffineMap map) {
  if (!map)
    map = AffineMap::getMultiDimIdentityMap(loops.size(), tensor.getContext());
  scalars.push_back({});
  tensors.push_back(tensor);
  maps.push_back(map);
}

Value LoopOperands::create(
    ImplicitLocOpBuilder &b, Type elementType,
    function_ref<Value(ImplicitLocOpBuilder &, ArrayRef<Value>)> body) {
  SmallVector<AffineMap> allMaps = maps;
  allMaps.push_back(b.getMultiDimIdentityMap(loops.size()));
  Value empty = tensor::EmptyOp::create(b, sizes, elementType);
  auto compute = [&](ImplicitLocOpBuilder &inner, ValueRange arguments) {
    SmallVector<Value> values = scalars;
    unsigned next = 0;
    for (Value &value : values)
      if (!value)
        value = arguments[next++];
    return body(inner, values);
  };
  return buildGeneric(b, tensors, empty, allMaps, compute).getResult(0);
}
