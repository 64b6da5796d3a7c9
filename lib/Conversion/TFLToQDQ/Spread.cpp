// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed convolutions as convolutions.

#include "Spread.h"
#include "../ONNXToLinalg/NodeParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

std::optional<SpreadDim> mlir::qdq::getSpread(int64_t size, int64_t kernel,
                                              int64_t output, int64_t stride,
                                              bool isSame) {
  int64_t own = (size - 1) * stride + 1;
  // The padding of the convolution whose gradient this is.
  int64_t total = isSame ? std::max<int64_t>(own - 1 + kernel - output, 0) : 0;
  SpreadDim dim{kernel - 1 - total / 2, stride, output + kernel - 1};
  if (output < 1 || dim.before < 0 || dim.before + own > dim.length)
    return std::nullopt;
  return dim;
}

Value mlir::qdq::spread(ImplicitLocOpBuilder &b, Value tensor,
                        ArrayRef<SpreadDim> dims, double fill) {
  SmallVector<OpFoldResult> own = tensor::getMixedSizes(b, b.getLoc(), tensor);
  SmallVector<OpFoldResult> sizes = own, offsets(4, b.getIndexAttr(0)),
                            steps(4, b.getIndexAttr(1));
  for (auto [index, dim] : llvm::enumerate(dims)) {
    sizes[1 + index] = b.getIndexAttr(dim.length);
    offsets[1 + index] = b.getIndexAttr(dim.before);
    steps[1 + index] = b.getIndexAttr(dim.stride);
  }
  Type element = getElementTypeOrSelf(tensor);
  Value filled = linalg::FillOp::create(
                     b, createNumber(b, element, fill),
                     tensor::EmptyOp::create(b, sizes, element).getResult())
                     .getResult(0);
  return tensor::InsertSliceOp::create(b, tensor, filled, offsets, own, steps);
}

Value mlir::qdq::reverse(ImplicitLocOpBuilder &b, Value tensor,
                         ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> shape = getRankedType(tensor).getShape();
  SmallVector<int64_t> strides = computeStrides(shape);
  int64_t first = 0;
  for (int64_t dim : dims) {
    first += (shape[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  return viewElements(b, tensor, shape, strides, first);
}
