// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors.

#include "qdq/IR/TensorSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
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
