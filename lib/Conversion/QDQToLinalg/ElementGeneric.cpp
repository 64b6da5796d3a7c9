// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linalg.generic of an op that makes one element of each element.

#include "ElementGeneric.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Numerics/Storage.h"

using namespace mlir;
using namespace mlir::qdq;

SmallVector<OpFoldResult> mlir::qdq::getSizes(ImplicitLocOpBuilder &b,
                                              Value tensor) {
  Value made = tensor;
  while (auto bitcast = made.getDefiningOp<tensor::BitcastOp>())
    made = bitcast.getSource();
  auto generic = made.getDefiningOp<linalg::GenericOp>();
  auto empty = generic ? generic.getTiedOpOperand(cast<OpResult>(made))
                             ->get()
                             .getDefiningOp<tensor::EmptyOp>()
                       : tensor::EmptyOp();
  if (!empty)
    return tensor::getMixedSizes(b, b.getLoc(), tensor);
  SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
  for (OpFoldResult &size : sizes) {
    auto value = dyn_cast<Value>(size);
    auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    if (std::optional<int64_t> index =
            dim ? dim.getConstantIndex() : std::nullopt)
      size = tensor::DimOp::create(b, dim.getSource(), *index).getResult();
  }
  return sizes;
}

ElementGeneric::ElementGeneric(ImplicitLocOpBuilder &b, Operation *op,
                               const IterationSpace &space)
    : op(op), space(space) {
  Value expanded =
      space.expand(b, asSignless(b, b.getLoc(), op->getOperand(0)));
  operands.push_back({expanded, b.getMultiDimIdentityMap(space.getNumLoops())});
  extents = getSizes(b, expanded);
}

Value ElementGeneric::create(ImplicitLocOpBuilder &b, Body body) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const MappedParameter &operand : operands) {
    inputs.push_back(operand.tensor);
    maps.push_back(operand.map);
  }
  maps.push_back(b.getMultiDimIdentityMap(space.getNumLoops()));
  Type ownType = op->getResult(0).getType();
  auto resultType = cast<RankedTensorType>(toSignless(ownType));
  Value init = tensor::EmptyOp::create(b, extents, resultType.getElementType());
  auto generic = buildGeneric(b, inputs, init, maps,
                              [&](ImplicitLocOpBuilder &inner, ValueRange x) {
                                return body(inner, x.front(), x);
                              });
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  // The static sizes of operand and result may differ.
  auto inputType = cast<RankedTensorType>(op->getOperand(0).getType());
  Value result = space.collapse(b, generic.getResult(0),
                                inputType.clone(resultType.getElementType()));
  if (result.getType() != resultType)
    result = tensor::CastOp::create(b, resultType, result);
  return castElementType(b, b.getLoc(), result, ownType);
}
