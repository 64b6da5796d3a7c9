// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors.

#ifndef QDQ_IR_TENSORSLICE_H
#define QDQ_IR_TENSORSLICE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// Neighbors in a tensor: at first all of it, then fewer along some dimensions.
struct TensorSlice {
  TensorSlice(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes)
      : b(b), offsets(sizes.size(), b.getIndexAttr(0)), sizes(sizes) {}
  TensorSlice(ImplicitLocOpBuilder &b, Value tensor)
      : TensorSlice(b, tensor::getMixedSizes(b, b.getLoc(), tensor)) {}

  /// `count` elements of a dimension from `from` on.
  TensorSlice &cut(int64_t dim, OpFoldResult from, OpFoldResult count) {
    offsets[dim] = from;
    sizes[dim] = count;
    return *this;
  }
  TensorSlice &cut(int64_t dim, OpFoldResult from, int64_t count) {
    return cut(dim, from, b.getIndexAttr(count));
  }
  TensorSlice &cut(int64_t dim, int64_t from, int64_t count) {
    return cut(dim, b.getIndexAttr(from), count);
  }

  /// The elements of `tensor`; `type` may lack dimensions of one element.
  Value take(Value tensor, RankedTensorType type = {}) const {
    return tensor::ExtractSliceOp::create(b, type, tensor, offsets, sizes,
                                          getOnes());
  }
  /// `tensor` with these elements, of a type that `take` may have.
  Value put(Value elements, Value tensor) const {
    return tensor::InsertSliceOp::create(b, elements, tensor, offsets, sizes,
                                         getOnes());
  }

  ImplicitLocOpBuilder &b;
  SmallVector<OpFoldResult> offsets, sizes;

private:
  SmallVector<OpFoldResult> getOnes() const {
    return SmallVector<OpFoldResult>(sizes.size(), b.getIndexAttr(1));
  }
};

/// The product of sizes.
OpFoldResult multiplySizes(ImplicitLocOpBuilder &b,
                           ArrayRef<OpFoldResult> sizes);

/// `rank` dimensions, of which `count` from `first` on are one group.
SmallVector<ReassociationIndices> groupDims(int64_t rank, int64_t first,
                                            int64_t count);

/// Dimension `dim` as [count, rest].
Value splitDim(ImplicitLocOpBuilder &b, Value tensor, int64_t dim,
               int64_t count);

/// Dimensions `dim` and `dim + 1` as one.
Value collapseDims(ImplicitLocOpBuilder &b, Value tensor, int64_t dim);

/// A tensor with dimensions of size 1 at `axes` of the result, which are
/// sorted.
Value insertUnitDims(ImplicitLocOpBuilder &b, Value tensor,
                     ArrayRef<int64_t> axes);

/// A tensor without the dimensions at `axes`, which are sorted and of size 1;
/// types may leave those open.
Value dropUnitDims(ImplicitLocOpBuilder &b, Value tensor,
                   ArrayRef<int64_t> axes);

} // namespace mlir::qdq

#endif // QDQ_IR_TENSORSLICE_H
