// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of row-major elements as ranges, and their containers in rows.

#include "FlatPacking.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/TileBounds.h"

using namespace mlir;
using namespace mlir::qdq;

/// The sizes of a tensor, which need not be there yet.
static SmallVector<OpFoldResult> getSizes(OpBuilder &b, Location loc,
                                          Value tensor) {
  ReifiedRankedShapedTypeDims shapes;
  if (auto unpack = tensor.getDefiningOp<UnpackOp>())
    if (succeeded(unpack.reifyResultShapes(b, shapes)))
      return shapes.front();
  return tensor::getMixedSizes(b, loc, tensor);
}

std::optional<FlatRange> mlir::qdq::getFlatRange(OpBuilder &b, Location loc,
                                                 Value tensor, const Slice &box,
                                                 int64_t period, bool isFull) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  if (rank == 0)
    return std::nullopt;
  auto isWhole = [&](int64_t dim) {
    return isZeroInteger(box.offsets[dim]) &&
           areEqual(box.sizes[dim], Bound(tensor, dim));
  };
  // The one dimension of which the box may have some indices.
  int64_t partial = 0;
  while (partial < rank - 1 && isOneInteger(box.sizes[partial]))
    ++partial;
  for (int64_t dim = partial + 1; dim < rank; ++dim)
    if (!isWhole(dim))
      return std::nullopt;

  // A divisor of the elements from one index of a dimension to the next,
  // modulo the period.
  int64_t stride = 1;
  auto isMultiple = [&](OpFoldResult value) {
    return getKnownDivisor(value) % period * stride % period == 0;
  };
  bool isAligned = true;
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    isAligned &= isMultiple(box.offsets[dim]);
    if (isFull && dim == partial)
      isAligned &= isMultiple(box.sizes[dim]) || (partial == 0 && isWhole(0));
    if (!type.isDynamicDim(dim))
      stride = stride * (type.getDimSize(dim) % period) % period;
  }
  if (!isAligned)
    return std::nullopt;
  FlatRange range;
  range.offset =
      affine::linearizeIndex(b, loc, box.offsets, getSizes(b, loc, tensor));
  range.size = b.getIndexAttr(1);
  AffineExpr product = b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1);
  for (OpFoldResult size : box.sizes)
    range.size = affine::makeComposedFoldedAffineApply(b, loc, product,
                                                       {range.size, size});
  return range;
}

bool mlir::qdq::isPackedInRows(UnpackOp op) {
  RankedTensorType type = op.getType();
  BitLayout layout = op.getLayout();
  return !layout.hasAxis() && type.getRank() > 1 &&
         !type.isDynamicDim(type.getRank() - 1) &&
         type.getShape().back() % layout.getPeriod() == 0;
}

Value mlir::qdq::expandToRows(UnpackOp op, OpBuilder &b) {
  RankedTensorType type = op.getType();
  Type container = getElementTypeOrSelf(op.getContainers());
  SmallVector<OpFoldResult> sizes = getSizes(b, op.getLoc(), op.getElements());
  sizes.back() =
      b.getIndexAttr(op.getLayout().getNumContainers(type.getShape().back()));
  auto rows =
      RankedTensorType::get(decomposeMixedValues(sizes).first, container);
  int64_t count =
      rows.hasStaticShape() ? rows.getNumElements() : ShapedType::kDynamic;
  auto flat = RankedTensorType::get({count}, container);
  Value containers = op.getContainers();
  if (containers.getType() != flat)
    containers = tensor::CastOp::create(b, op.getLoc(), flat, containers);
  ReassociationIndices all = llvm::to_vector(llvm::seq(type.getRank()));
  return tensor::ExpandShapeOp::create(b, op.getLoc(), rows, containers,
                                       ArrayRef<ReassociationIndices>{all},
                                       sizes);
}

PackingAttr mlir::qdq::alongAxis(PackingAttr packing, int64_t axis) {
  return PackingAttr::get(
      packing.getContext(), packing.getPreset(), packing.getPart(),
      packing.getBits(), packing.getContainer(), axis, packing.getBlock(),
      packing.getOrder(), packing.getRecord(), packing.getAt(),
      packing.getOffset(), packing.getPositiveZero());
}
