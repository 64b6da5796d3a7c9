// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From products of codes to the codes of their result.

#include "ProductEnd.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

FailureOr<ProductEnd>
mlir::qdq::readProductEnd(const ForeignOp &op, const Stamp &stamp,
                          const CodeTensor &a, const CodeTensor &b,
                          const CodeType &result, SumRescaling rescaling) {
  for (const CodeTensor *of : {&a, &b})
    if (of->getWidth() > 16)
      return op.refuse("has the operand ", of->type,
                       ": expected codes of up to 16 bits");
  auto bounds = readActivationBounds(op, stamp, result);
  if (failed(bounds) || failed(checkRescaling(op, rescaling)))
    return failure();
  return ProductEnd{rescaling, *bounds};
}

FailureOr<Value>
mlir::qdq::buildProductCodes(const ForeignOp &op, const Stamp &stamp,
                             IntegerProduct product, const Bias &bias,
                             const CodeTensor &a, const CodeTensor &b,
                             const CodeType &result, const ProductEnd &end) {
  ImplicitLocOpBuilder builder(op.getLoc(), op.getRewriter());
  for (auto [of, operand] :
       {std::pair(&a, &product.a), std::pair(&b, &product.b)})
    if (of->isPerTensor())
      operand->zeroPoint = op.materializeSingle(of->parameters.zeroPoint);
  std::string reason;
  FailureOr<Value> sum = buildIntegerProduct(builder, product, reason);
  if (failed(sum))
    return op.refuse(reason);
  return createRequantize(op, stamp, addBias(op, *sum, bias), result,
                          end.rescaling, end.bounds);
}

Value mlir::qdq::mergeRows(ImplicitLocOpBuilder &b, Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (rank == 2)
    return value;
  SmallVector<ReassociationIndices> groups(2);
  for (int64_t dim = 0; dim < rank; ++dim)
    groups[dim == rank - 1].push_back(dim);
  return tensor::CollapseShapeOp::create(b, value, groups);
}

Value mlir::qdq::splitRows(ImplicitLocOpBuilder &b, Value value, Value like) {
  auto type = cast<RankedTensorType>(value.getType());
  auto whole = cast<RankedTensorType>(like.getType());
  int64_t last = whole.getRank() - 1;
  if (last == 1)
    return value;
  SmallVector<int64_t> shape(whole.getShape().drop_back());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), like);
  SmallVector<ReassociationIndices> groups = {
      llvm::to_vector_of<int64_t, 2>(llvm::seq<int64_t>(0, last))};
  sizes.pop_back();
  if (type.getRank() == 2) {
    groups.push_back({last});
    shape.push_back(type.getDimSize(1));
    sizes.push_back(tensor::getMixedSize(b, b.getLoc(), value, 1));
  }
  return tensor::ExpandShapeOp::create(b, type.clone(shape), value, groups,
                                       sizes);
}
