// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter in the shape of a scalar or vector.

#include "Lowerings.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

Value mlir::qdq::spreadParameter(ImplicitLocOpBuilder &b, Value parameter,
                                 const Granularity &granularity,
                                 Type valueType) {
  auto vectorType = dyn_cast<VectorType>(valueType);
  if (!vectorType)
    return parameter;
  Type element = getElementTypeOrSelf(parameter);
  VectorType fullType = vectorType.clone(element);
  if (isSingleElement(parameter.getType()))
    return vector::BroadcastOp::create(b, fullType, parameter);

  // One (blocks, block length) pair for each dimension of the value.
  ArrayRef<int64_t> shape = vectorType.getShape();
  SmallVector<int64_t> separated, repeated, padded;
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim) {
    int64_t length = shape[dim];
    if (granularity.isAxis())
      length = dim == granularity.getAxis() ? 1 : shape[dim];
    else if (granularity.getBlockShape()[dim])
      length = std::min(granularity.getBlockShape()[dim], shape[dim]);
    int64_t blocks = llvm::divideCeil(shape[dim], length);
    llvm::append_values(separated, blocks, int64_t(1));
    llvm::append_values(repeated, blocks, length);
    padded.push_back(blocks * length);
  }
  Value result = vector::ShapeCastOp::create(
      b, VectorType::get(separated, element), parameter);
  result = vector::BroadcastOp::create(b, VectorType::get(repeated, element),
                                       result);
  result =
      vector::ShapeCastOp::create(b, VectorType::get(padded, element), result);
  if (ArrayRef(padded) == shape)
    return result;
  // The last block is short.
  SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
  return vector::ExtractStridedSliceOp::create(b, result, offsets, shape,
                                               strides);
}
