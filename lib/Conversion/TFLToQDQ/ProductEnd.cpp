// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From products of codes to the codes of their result.

#include "ProductEnd.h"

using namespace mlir;
using namespace mlir::qdq;

FailureOr<ProductEnd>
mlir::qdq::readProductEnd(const ForeignOp &op, const Stamp &stamp,
                          const CodeTensor &a, const CodeTensor &b,
                          const CodeType &result, SumRescaling rescaling) {
  for (const CodeTensor *of : {&a, &b})
    if (of->getStorage().getIntOrFloatBitWidth() > 16)
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
    if (of->parameters.zeroPoint && of->isPerTensor())
      operand->zeroPoint = op.materializeSingle(of->parameters.zeroPoint);
  std::string reason;
  FailureOr<Value> sum = buildIntegerProduct(builder, product, reason);
  if (failed(sum))
    return op.refuse(reason);
  return createRequantize(op, stamp, addBias(op, *sum, bias), result,
                          end.rescaling, end.bounds);
}
