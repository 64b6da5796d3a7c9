// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX MatMulInteger and ConvInteger: sums of products, in i32.

#include "CodeOperands.h"
#include "Convolution.h"
#include "Matmul.h"
#include "Translations.h"

using namespace mlir;
using namespace mlir::qdq;

LogicalResult mlir::qdq::translateMatMulInteger(const ForeignOp &node,
                                                const Stamp &) {
  FailureOr<Matmul> matmul = readMatmul(node, 0, 1);
  if (failed(matmul) || failed(readZeroPoints(node, *matmul, 2, 3)))
    return failure();
  Type i32 = node.getRewriter().getI32Type();
  if (failed(checkResult(node, RankedTensorType::get(matmul->shape, i32))))
    return failure();
  return node.replace(createProduct(node, *matmul, Accumulator::Wrap32));
}

LogicalResult mlir::qdq::translateConvInteger(const ForeignOp &node,
                                              const Stamp &) {
  FailureOr<Convolution> convolution = readConvolution(node, 0, 1);
  if (failed(convolution) || failed(readZeroPoints(node, *convolution, 2, 3)))
    return failure();
  Type i32 = node.getRewriter().getI32Type();
  if (failed(checkResult(node, RankedTensorType::get(convolution->shape, i32))))
    return failure();
  return node.replace(createProduct(node, *convolution, Accumulator::Wrap32));
}
