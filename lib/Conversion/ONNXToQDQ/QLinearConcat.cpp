// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's QLinearConcat: each input in the codes of the result.

#include "CodeOperands.h"
#include "Translations.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

LogicalResult mlir::qdq::translateQLinearConcat(const ForeignOp &node,
                                                const Stamp &stamp) {
  // The scale and zero point of Y, then each X with its own.
  unsigned count = node.getOperation()->getNumOperands();
  if ((count - 2) % 3 != 0)
    return node.refuse("number of operands is ", count,
                       ": expected 2, and 3 for each input");
  SmallVector<ForeignTensor> inputs;
  SmallVector<QuantizationParameters> parameters;
  for (unsigned index = 2; index < count; index += 3) {
    FailureOr<ForeignTensor> x = getCodes(node, index, "X");
    if (failed(x))
      return failure();
    FailureOr<QuantizationParameters> own =
        getTensorParameters(node, index + 1, "X", x->type.getElementType());
    if (failed(own))
      return failure();
    inputs.push_back(*x);
    parameters.push_back(*own);
  }
  RankedTensorType first = cast<RankedTensorType>(inputs[0].type);
  Type storage = first.getElementType();
  FailureOr<QuantizationParameters> result =
      getTensorParameters(node, 0, "Y", storage);
  int64_t rank = first.getRank();
  FailureOr<int64_t> axis = getAxis(node, /*fallback=*/rank, rank);
  if (failed(result) || failed(axis))
    return failure();
  int64_t dim = *axis;
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (const ForeignTensor &x : inputs) {
    bool fits = x.type.getRank() == rank && x.type.getElementType() == storage;
    for (int64_t other = 0; fits && other < rank; ++other)
      fits = other == dim ||
             !differ(x.type.getDimSize(other), first.getDimSize(other));
    if (!fits)
      return node.refuse("has inputs ", first, " and ", x.type,
                         ", which differ beside axis ", *axis);
    int64_t size = x.type.getDimSize(dim);
    shape[dim] =
        ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[dim])
            ? ShapedType::kDynamic
            : shape[dim] + size;
  }
  if (failed(checkResult(node, RankedTensorType::get(shape, storage))))
    return failure();

  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  SmallVector<Value> values;
  for (auto [x, own] : llvm::zip(inputs, parameters)) {
    Value reals = dequantizeF32(node, stamp, x, own);
    values.push_back(
        quantizeF32(node, stamp, toForeign(reals), storage, *result));
  }
  return node.replace(tensor::ConcatOp::create(b, dim, values).getResult());
}
