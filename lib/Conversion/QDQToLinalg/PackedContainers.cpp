// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packings of whole tensors as packings along an axis.

#include "PackingToLinalg.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::qdq;

std::optional<BitLayout> mlir::qdq::packAlongLastAxis(const BitLayout &layout,
                                                      RankedTensorType type) {
  if (layout.hasAxis())
    return layout;
  int64_t rank = type.getRank();
  if (layout.block || rank == 0 || type.isDynamicDim(rank - 1) ||
      type.getDimSize(rank - 1) * layout.bits % layout.containerBits != 0)
    return std::nullopt;
  BitLayout result = layout;
  result.axis = rank - 1;
  return result;
}

SmallVector<OpFoldResult> mlir::qdq::getElementSizes(ImplicitLocOpBuilder &b,
                                                     UnpackOp op) {
  ReifiedRankedShapedTypeDims shapes;
  LogicalResult isReified = op.reifyResultShapes(b, shapes);
  assert(succeeded(isReified) && "verified ops have a shape");
  (void)isReified;
  return shapes.front();
}

static SmallVector<ReassociationIndices> getFlatGroups(int64_t rank) {
  if (rank == 0)
    return {};
  return {llvm::to_vector(llvm::seq<int64_t>(0, rank))};
}

Value mlir::qdq::flatten(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 1)
    return value;
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(b, type.clone({1}), value,
                                         getFlatGroups(0));
  int64_t count =
      type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  return tensor::CollapseShapeOp::create(b, type.clone({count}), value,
                                         getFlatGroups(type.getRank()));
}

Value mlir::qdq::unflatten(ImplicitLocOpBuilder &b, Value flat,
                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  auto flatType = cast<RankedTensorType>(flat.getType());
  RankedTensorType type = flatType.clone(shape);
  if (type.hasStaticShape() && !flatType.hasStaticShape()) {
    flatType = flatType.clone({type.getNumElements()});
    flat = tensor::CastOp::create(b, flatType, flat);
  }
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, type, flat, getFlatGroups(0));
  if (type.getRank() == 1)
    return flat;
  if (!type.hasStaticShape() && flatType.hasStaticShape())
    flat =
        tensor::CastOp::create(b, flatType.clone({ShapedType::kDynamic}), flat);
  if (dynamicSizes.size() <= 1)
    return tensor::ExpandShapeOp::create(b, type, flat,
                                         getFlatGroups(type.getRank()), sizes);
  // Upstream's expand-strided-metadata crashes at two dynamic sizes in one
  // group.
  Value shapeTensor = tensor::FromElementsOp::create(
      b, getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes));
  return tensor::ReshapeOp::create(b, type, flat, shapeTensor);
}

Value mlir::qdq::unflattenContainers(ImplicitLocOpBuilder &b,
                                     const BitLayout &layout, Value containers,
                                     ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> containerSizes(sizes);
  containerSizes.back() = b.getIndexAttr(*getConstantIntValue(sizes.back()) *
                                         layout.bits / layout.containerBits);
  return unflatten(b, containers, containerSizes);
}
