// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX MatMulInteger and ConvInteger: sums of products, in i32.

#include "CodeOperands.h"
#include "Convolution.h"
#include "Matmul.h"
#include "Translations.h"

using namespace mlir;
using namespace mlir::qdq;

/// Replaces the node by the sum of products, in i32.
template <typename Product>
static LogicalResult replaceByProduct(const ForeignOp &node,
                                      FailureOr<Product> product) {
  if (failed(product) || failed(readZeroPoints(node, *product, 2, 3)))
    return failure();
  Type i32 = node.getRewriter().getI32Type();
  if (failed(checkResult(node, RankedTensorType::get(product->shape, i32))))
    return failure();
  return node.replace(createProduct(node, *product, Accumulator::Wrap32));
}

LogicalResult mlir::qdq::translateMatMulInteger(const ForeignOp &node,
                                                const Stamp &) {
  return replaceByProduct(node, readMatmul(node, 0, 1));
}

LogicalResult mlir::qdq::translateConvInteger(const ForeignOp &node,
                                              const Stamp &) {
  return replaceByProduct(node, readConvolution(node, 0, 1));
}
