// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors.

#include "qdq/IR/TensorSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::qdq;

Value mlir::qdq::splitDim(ImplicitLocOpBuilder &b, Value tensor, int64_t dim,
                          int64_t count) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), tensor);
  sizes[dim] = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(count), {sizes[dim]});
  sizes.insert(sizes.begin() + dim, b.getIndexAttr(count));
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t to = i > dim ? i + 1 : i;
    groups.push_back(i == dim ? ReassociationIndices{to, to + 1}
                              : ReassociationIndices{to});
  }
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(sizes, open, shape);
  return tensor::ExpandShapeOp::create(b, type.clone(shape), tensor, groups,
                                       sizes);
}

/// For each dimension of the short shape, those of the long one: the units at
/// `axes` go with the one before them, or with the first one.
static SmallVector<ReassociationIndices> getGroups(int64_t rank,
                                                   ArrayRef<int64_t> axes) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(axes, dim)) {
      (groups.empty() ? leading : groups.back()).push_back(dim);
      continue;
    }
    groups.push_back(groups.empty() ? leading : ReassociationIndices());
    groups.back().push_back(dim);
  }
  return groups;
}

Value mlir::qdq::insertUnitDims(ImplicitLocOpBuilder &b, Value tensor,
                                ArrayRef<int64_t> axes) {
  if (axes.empty())
    return tensor;
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(tensor.getType()).getShape());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), tensor);
  for (int64_t axis : axes) {
    shape.insert(shape.begin() + axis, 1);
    sizes.insert(sizes.begin() + axis, b.getIndexAttr(1));
  }
  return tensor::ExpandShapeOp::create(
      b, cast<RankedTensorType>(tensor.getType()).clone(shape), tensor,
      getGroups(shape.size(), axes), sizes);
}

Value mlir::qdq::dropUnitDims(ImplicitLocOpBuilder &b, Value tensor,
                              ArrayRef<int64_t> axes) {
  RankedTensorType type = cast<RankedTensorType>(tensor.getType());
  if (axes.empty())
    return tensor;
  SmallVector<int64_t> shape(type.getShape()), kept;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (!llvm::is_contained(axes, dim))
      kept.push_back(size);
    else
      shape[dim] = 1;
  }
  if (type.clone(shape) != type)
    tensor = tensor::CastOp::create(b, type.clone(shape), tensor);
  return tensor::CollapseShapeOp::create(b, type.clone(kept), tensor,
                                         getGroups(type.getRank(), axes));
}

SmallVector<ReassociationIndices>
mlir::qdq::groupDims(int64_t rank, int64_t first, int64_t count) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (first < dim && dim < first + count)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  }
  return groups;
}

Value mlir::qdq::collapseDims(ImplicitLocOpBuilder &b, Value tensor,
                              int64_t dim) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return tensor::CollapseShapeOp::create(b, tensor, groupDims(rank, dim, 2));
}

OpFoldResult mlir::qdq::multiplySizes(ImplicitLocOpBuilder &b,
                                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<AffineExpr> factors(sizes.size());
  bindSymbolsList(b.getContext(), MutableArrayRef(factors));
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), computeProduct(b.getContext(), factors), sizes);
}
