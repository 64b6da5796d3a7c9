// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors around the qdq ops of an operator.

#include "TensorOps.h"
#include "Broadcast.h"
#include "SizeSource.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Transforms/DeclareSumOrder.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

Value mlir::qdq::toValue(ImplicitLocOpBuilder &b, OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
}

bool mlir::qdq::isCode8(Type type) { return type.isInteger(8); }

Value mlir::qdq::reshape(ImplicitLocOpBuilder &b, Value tensor,
                         ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto target = RankedTensorType::get(shape, type.getElementType());
  if (type.getRank() == target.getRank())
    return type == target ? tensor : tensor::CastOp::create(b, target, tensor);
  // Upstream finds no groups in shapes without elements.
  if (target.hasStaticShape() && target.getNumElements() == 0)
    return tensor::EmptyOp::create(b, shape, type.getElementType());
  bool expands = type.getRank() < target.getRank();
  // A tensor of rank 1 has all elements.
  if (!type.hasStaticShape() && expands) {
    assert(type.getRank() == 1 && "an open size of a rank-1 tensor");
    type = type.clone(target.getNumElements());
    tensor = tensor::CastOp::create(b, type, tensor);
  }
  std::optional<SmallVector<ReassociationIndices>> groups =
      getReassociationIndicesForReshape(type, target);
  assert(groups && "one shape is a collapsed form of the other");
  if (expands)
    return tensor::ExpandShapeOp::create(b, target, tensor, *groups);
  return tensor::CollapseShapeOp::create(b, target, tensor, *groups);
}

Value mlir::qdq::onSignless(ImplicitLocOpBuilder &b, Value tensor,
                            function_ref<Value(Value)> make) {
  Type own = getElementTypeOrSelf(tensor);
  Value made = make(asSignless(b, b.getLoc(), tensor));
  return castElementType(b, b.getLoc(), made,
                         cast<RankedTensorType>(made.getType()).clone(own));
}

Value mlir::qdq::readPlaces(ImplicitLocOpBuilder &b, Value source,
                            ArrayRef<OpFoldResult> sizes,
                            ArrayRef<AffineExpr> places) {
  int64_t rank = sizes.size();
  Value init = tensor::EmptyOp::create(b, sizes, getElementTypeOrSelf(source));
  AffineMap maps[] = {AffineMap::get(rank, 0, places, b.getContext()),
                      b.getMultiDimIdentityMap(rank)};
  return createGeneric(b, source, init, maps, [](Scalar x) { return x; });
}

Value mlir::qdq::createFilled(ImplicitLocOpBuilder &b,
                              ArrayRef<OpFoldResult> sizes, TypedAttr value) {
  Value empty = tensor::EmptyOp::create(b, sizes, value.getType());
  Value element = arith::ConstantOp::create(b, value);
  return linalg::FillOp::create(b, element, empty).getResult(0);
}

Value mlir::qdq::placeDims(ImplicitLocOpBuilder &b, Value value,
                           ArrayRef<int64_t> places, int64_t rank) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(rank, 1), ones;
  for (auto [dim, place] : llvm::enumerate(places))
    shape[place] = type.getDimSize(dim);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(places, dim))
      ones.push_back(dim);
  // A constant stays one.
  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    if (TypedAttr reshaped = reshapeElements(constant, shape))
      return createConstant(b, b.getLoc(), reshaped);
  return insertUnitDims(b, value, ones);
}

Value mlir::qdq::addBias(ImplicitLocOpBuilder &b, Value values, Value bias,
                         Type elementType) {
  Type type = getElementTypeOrSelf(values);
  if (!bias && type == elementType)
    return values;
  SmallVector<Value> operands{values};
  if (bias)
    operands.push_back(bias);
  return mapElements(b, operands, elementType, [&](B &body, ValueRange x) {
    Scalar sum(body, x[0]);
    if (bias)
      sum = sum + Scalar(body, x[1]).to(type);
    return sum.to(elementType);
  });
}

Scalar mlir::qdq::addInOrder(Scalar sum, Scalar term) {
  ImplicitLocOpBuilder &b = sum.getBuilder();
  auto added = arith::AddFOp::create(b, sum, term);
  added->setAttr(kInOrderAttr, b.getUnitAttr());
  return Scalar(b, added);
}

Value mlir::qdq::contractLast(ImplicitLocOpBuilder &b, Value lhs,
                              AffineMap lhsMap, Value weight,
                              ArrayRef<OpFoldResult> sizes) {
  unsigned rank = sizes.size();
  AffineMap all = b.getMultiDimIdentityMap(rank + 1);
  AffineMap maps[] = {lhsMap, all.getMinorSubMap(2), all.getMajorSubMap(rank)};
  bool isWide = getElementTypeOrSelf(lhs).isF64();
  Value init = createZeros(
      b, sizes, isWide ? Type(b.getF64Type()) : Type(b.getF32Type()));
  return linalg::ContractOp::create(b, ValueRange{lhs, weight}, init,
                                    b.getAffineMapArrayAttr(maps))
      .getResult(0);
}

Value mlir::qdq::contractColumns(ImplicitLocOpBuilder &b, Value input,
                                 Value weight) {
  unsigned rank = cast<RankedTensorType>(input.getType()).getRank();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), input);
  sizes.back() = tensor::getMixedSize(b, b.getLoc(), weight, 0);
  AffineMap all = b.getMultiDimIdentityMap(rank + 1);
  SmallVector<AffineExpr> indices(all.getResults().take_front(rank - 1));
  indices.push_back(b.getAffineDimExpr(rank));
  return contractLast(b, input,
                      AffineMap::get(rank + 1, 0, indices, b.getContext()),
                      weight, sizes);
}

Value mlir::qdq::toScalar(ImplicitLocOpBuilder &b, Value single) {
  if (!single || !isa<TensorType>(single.getType()))
    return single;
  return tensor::ExtractOp::create(b, asSignless(b, b.getLoc(), single),
                                   ValueRange());
}

Scalar mlir::qdq::readEntry(Value table, Scalar index) {
  B &b = index.getBuilder();
  Value place = index.toUnsigned(b.getIndexType());
  return Scalar(b, tensor::ExtractOp::create(b, table, place));
}

Value mlir::qdq::toF32(ImplicitLocOpBuilder &b, Value code, bool isSigned) {
  Type f32 = b.getF32Type();
  if (!code)
    return createNumber(b, f32, 0);
  Scalar number(b, code);
  return isSigned ? number.to(f32) : number.toUnsigned(f32);
}

Value mlir::qdq::countAsF32(ImplicitLocOpBuilder &b,
                            ArrayRef<OpFoldResult> sizes) {
  Value count = arith::ConstantIndexOp::create(b, 1);
  int64_t known = 1;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      known *= *constant;
    else
      count = arith::MulIOp::create(b, count, cast<Value>(size));
  }
  if (getConstantIntValue(OpFoldResult(count)) == 1)
    return arith::ConstantOp::create(
        b, b.getF32FloatAttr(static_cast<float>(known)));
  count =
      arith::MulIOp::create(b, count, arith::ConstantIndexOp::create(b, known));
  return toF32(b, arith::IndexCastOp::create(b, b.getI64Type(), count),
               /*isSigned=*/true);
}

/// The size of the dimension `back` from the end, of which an operand that is
/// open there has all elements: one whose size is that of a tensor, not a
/// number, if any.
static OpFoldResult getOpenSize(ImplicitLocOpBuilder &b,
                                ArrayRef<Value> operands, int64_t back) {
  SizeSource best{Value(), -1};
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t dim = type.getRank() - back;
    if (dim < 0 || !type.isDynamicDim(dim))
      continue;
    if (!best.value || (findSizeSource(best.value, best.dim).dim < 0 &&
                        findSizeSource(operand, dim).dim >= 0))
      best = {operand, dim};
  }
  return tensor::DimOp::create(b, best.value, best.dim).getResult();
}

/// Operands of which each has all elements of the others along open sizes, and
/// the sizes that were in doubt, from the last one back.
static SmallVector<OpFoldResult> repeatAll(ImplicitLocOpBuilder &b,
                                           MutableArrayRef<Value> operands) {
  int64_t rank = 0;
  for (Value operand : operands)
    rank = std::max(rank, cast<RankedTensorType>(operand.getType()).getRank());
  SmallVector<OpFoldResult> sizes(rank);
  // The second round tells the first operands of the last one.
  for (int round = 0; round < (operands.size() > 2 ? 2 : 1); ++round)
    for (Value &operand : operands.drop_front())
      for (auto [own, size] :
           llvm::zip(sizes, repeatOpenSizes(b, operands[0], operand)))
        own = size ? size : own;
  return sizes;
}

Value mlir::qdq::createGeneric(ImplicitLocOpBuilder &b, ValueRange inputs,
                               Value init, ArrayRef<AffineMap> maps,
                               const ElementBody &body) {
  return buildGeneric(b, inputs, init, maps, body).getResult(0);
}

Value mlir::qdq::mapElements(ImplicitLocOpBuilder &b,
                             SmallVector<Value> operands, Type resultType,
                             const ElementBody &body) {
  SmallVector<OpFoldResult> decided = repeatAll(b, operands);
  SmallVector<int64_t> shape;
  for (Value &operand : operands) {
    operand = asSignless(b, b.getLoc(), operand);
    ArrayRef<int64_t> own =
        cast<RankedTensorType>(operand.getType()).getShape();
    shape = shape.empty() ? SmallVector<int64_t>(own)
                          : *broadcastShapes(shape, own);
  }
  int64_t rank = shape.size();
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (ShapedType::isStatic(size)) {
      sizes.push_back(b.getIndexAttr(size));
      continue;
    }
    OpFoldResult known = decided[rank - dim - 1];
    sizes.push_back(known ? known : getOpenSize(b, operands, rank - dim));
  }
  SmallVector<AffineMap> maps;
  for (Value &operand : operands) {
    BroadcastOperand placed = dropRepeatedDims(b, operand, shape);
    operand = placed.tensor;
    maps.push_back(placed.map);
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  Value init = tensor::EmptyOp::create(b, sizes, resultType);
  return createGeneric(b, operands, init, maps, [&](B &inner, ValueRange x) {
    return body(inner, x.drop_back());
  });
}
