// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX QLinearMatMul and QLinearConv: sums of products of codes, as codes.

#include "CodeOperands.h"
#include "Convolution.h"
#include "Matmul.h"
#include "Rescaling.h"
#include "Translations.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// Scale and zero point of the result, at `index` and behind it.
struct ResultParameters {
  ForeignTensor scale, zeroPoint;
  Type storage;
};
} // namespace

/// The result has the type of the zero point.
static FailureOr<ResultParameters>
readResultParameters(const ForeignOp &node, unsigned index, bool allowsNarrow) {
  FailureOr<TensorType> result = node.getResultType(0);
  FailureOr<ForeignTensor> scale =
      getScaleOperand(node, index, "y_scale", allowsNarrow);
  if (failed(result) || failed(scale))
    return failure();
  Type storage = result->getElementType();
  FailureOr<ForeignTensor> zeroPoint =
      getZeroPointOf(node, index + 1, "y_zero_point", storage);
  if (failed(zeroPoint) || failed(checkSingle(node, "y_scale", *scale)) ||
      failed(checkSingle(node, "y_zero_point", *zeroPoint)))
    return failure();
  if (!storage.isInteger(8))
    return node.refuse("result has type ", *result,
                       ": expected i8 or ui8, as the operands");
  return ResultParameters{*scale, *zeroPoint, storage};
}

LogicalResult mlir::qdq::translateQLinearMatMul(const ForeignOp &node,
                                                const Stamp &stamp) {
  // a, its scale and zero point, b, ..., the scale and zero point of y.
  if (failed(node.checkArity(8, 8, 1)))
    return failure();
  FailureOr<Matmul> matmul = readMatmul(node, 0, 3);
  if (failed(matmul) || failed(readZeroPoints(node, *matmul, 2, 5)))
    return failure();
  FailureOr<ForeignTensor> aScale = getScaleOperand(node, 1, "a_scale", true);
  FailureOr<ForeignTensor> bScale = getScaleOperand(node, 4, "b_scale", true);
  FailureOr<ResultParameters> result = readResultParameters(node, 6, true);
  if (failed(aScale) || failed(bScale) || failed(result) ||
      failed(checkParameter(node, "a_scale", *aScale, *matmul, true)) ||
      failed(checkParameter(node, "b_scale", *bScale, *matmul, false)) ||
      failed(checkRescaling(node, stamp, {*aScale, *bScale, result->scale})) ||
      failed(checkResult(
          node, RankedTensorType::get(matmul->shape, result->storage))))
    return failure();

  FailureOr<Value> sum = createProduct(node, *matmul, Accumulator::Proven);
  if (failed(sum))
    return failure();
  SumScales scales{placeParameter(node, *aScale, *matmul, true),
                   placeParameter(node, *bScale, *matmul, false),
                   node.materializeSingle(result->scale), nullptr};
  node.replace(createRequantize(node, stamp, *sum, result->storage, scales,
                                result->zeroPoint));
  return success();
}

LogicalResult mlir::qdq::translateQLinearConv(const ForeignOp &node,
                                              const Stamp &stamp) {
  // x, its scale and zero point, w, ..., those of y, and the bias.
  if (failed(node.checkArity(8, 9, 1)))
    return failure();
  FailureOr<Convolution> convolution = readConvolution(node, 0, 3);
  if (failed(convolution) || failed(readZeroPoints(node, *convolution, 2, 5)))
    return failure();
  FailureOr<ForeignTensor> xScale = getScaleOperand(node, 1, "x_scale");
  FailureOr<ForeignTensor> wScale = getScaleOperand(node, 4, "w_scale");
  FailureOr<ResultParameters> result = readResultParameters(node, 6, false);
  if (failed(xScale) || failed(wScale) || failed(result) ||
      failed(checkSingle(node, "x_scale", *xScale)) ||
      failed(checkPerFilter(node, "w_scale", *wScale, *convolution)) ||
      failed(checkRescaling(node, stamp, {*xScale, *wScale, result->scale})) ||
      failed(checkResult(
          node, RankedTensorType::get(convolution->shape, result->storage))))
    return failure();
  if (node.getOperand(8)) {
    FailureOr<ForeignTensor> bias = node.getTensor(8, "B");
    if (failed(bias))
      return failure();
    if (!bias->type.hasRank() || bias->type.getRank() != 1 ||
        !bias->type.getElementType().isInteger(32) ||
        differ(bias->type.getDimSize(0), convolution->shape[1]))
      return node.refuse("B has type ", bias->type, ": expected i32 of the ",
                         convolution->shape[1], " filters");
    convolution->bias = *bias;
  }

  FailureOr<Value> sum = createProduct(node, *convolution, Accumulator::Proven);
  if (failed(sum))
    return failure();
  Value filterScale = isSingle(wScale->type) ? node.materializeSingle(*wScale)
                                             : node.materialize(*wScale);
  SumScales scales{node.materializeSingle(*xScale), filterScale,
                   node.materializeSingle(result->scale),
                   node.getRewriter().getI64IntegerAttr(1)};
  node.replace(createRequantize(node, stamp, *sum, result->storage, scales,
                                result->zeroPoint));
  return success();
}
