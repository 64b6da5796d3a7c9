// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX QLinearMatMul and QLinearConv: sums of products of codes, as codes.
// float8 is multiplied as reals.

#include "CodeOperands.h"
#include "Convolution.h"
#include "Matmul.h"
#include "Rescaling.h"
#include "Translations.h"

using namespace mlir;
using namespace mlir::qdq;

/// Scale and zero point of the result, at `index` and behind it. The result has
/// the type of the zero point. That of a matmul may be float8, and its scale
/// narrow.
static FailureOr<QuantizationParameters>
readResultParameters(const ForeignOp &node, unsigned index, bool isMatmul) {
  Reader read;
  TensorType result = read(node.getResultType(0));
  QuantizationParameters y;
  y.scale = read(getScaleOperand(node, index, "y_scale", isMatmul));
  if (failed(read))
    return failure();
  Type storage = result.getElementType();
  y.zeroPoint = read(getZeroPointOf(node, index + 1, "y_zero_point", storage));
  if (failed(read) || failed(checkSingle(node, "y_scale", y.scale)) ||
      failed(checkSingle(node, "y_zero_point", y.zeroPoint)))
    return failure();
  if (!storage.isInteger(8) && !(isMatmul && isFloat8(storage)))
    return node.refuse("result has type ", result, ": expected i8",
                       isMatmul ? ", ui8 or a float8 of ONNX" : " or ui8");
  return y;
}

static Type getResultStorage(const ForeignOp &node) {
  return node.getResultType(0)->getElementType();
}

/// The parameters of an operand as those of a dequantize.
static FailureOr<QuantizationParameters>
getOperandParameters(const ForeignOp &node, StringRef name,
                     const Matmul &matmul, bool isLeft,
                     const ForeignTensor &scale) {
  const ForeignTensor &zeroPoint =
      isLeft ? matmul.aZeroPoint : matmul.bZeroPoint;
  if (zeroPoint && !isSingle(zeroPoint.type) &&
      failed(verifyCompatibleShape(zeroPoint.type, scale.type)))
    return node.refuse(name, "_zero_point has type ", zeroPoint.type,
                       ": expected one element, or the shape of ", name,
                       "_scale, ", scale.type);
  return QuantizationParameters{
      getOperandPlacement(node, scale.type, matmul, isLeft), scale, zeroPoint};
}

/// float8 has no integers to sum up: the reals are multiplied in f32, and the
/// sums quantized. ONNX's evaluator, which converts codes to int32, has no rule
/// for it.
static LogicalResult multiplyReals(const ForeignOp &node, const Stamp &stamp,
                                   const Matmul &matmul,
                                   const ForeignTensor &aScale,
                                   const ForeignTensor &bScale,
                                   const QuantizationParameters &result) {
  auto a = getOperandParameters(node, "a", matmul, /*isLeft=*/true, aScale);
  auto b = getOperandParameters(node, "b", matmul, /*isLeft=*/false, bScale);
  if (failed(a) || failed(b))
    return failure();
  Value lhs = dequantizeF32(node, stamp, matmul.a, *a);
  Value rhs = dequantizeF32(node, stamp, matmul.b, *b);
  Value sum = createRealProduct(node, lhs, rhs);
  // The sums of f32 are not divided in the type of a narrow scale.
  SemanticsFields fields = getSumFields(stamp);
  if (stamp.getProfile() == Profile::ONNX)
    fields.compute = Compute::F32;
  return node.replace(quantizeF32(node, stamp, toForeign(sum),
                                  getResultStorage(node), result, fields));
}

LogicalResult mlir::qdq::translateQLinearMatMul(const ForeignOp &node,
                                                const Stamp &stamp) {
  // a, its scale and zero point, b, ..., the scale and zero point of y.
  FailureOr<Matmul> matmul = readMatmul(node, 0, 3, /*allowsFloat8=*/true);
  if (failed(matmul) || failed(readZeroPoints(node, *matmul, 2, 5)))
    return failure();
  Reader read;
  ForeignTensor aScale = read(getScaleOperand(node, 1, "a_scale", true));
  ForeignTensor bScale = read(getScaleOperand(node, 4, "b_scale", true));
  QuantizationParameters result = read(readResultParameters(node, 6, true));
  if (failed(read) ||
      failed(checkParameter(node, "a_scale", aScale, *matmul, true)) ||
      failed(checkParameter(node, "b_scale", bScale, *matmul, false)))
    return failure();
  Type storage = getResultStorage(node);
  if (failed(checkResult(node, RankedTensorType::get(matmul->shape, storage))))
    return failure();
  if (isFloat8(matmul->a.type.getElementType()) ||
      isFloat8(matmul->b.type.getElementType()) || isFloat8(storage))
    return multiplyReals(node, stamp, *matmul, aScale, bScale, result);
  if (failed(checkRescaling(node, stamp, {aScale, bScale, result.scale})))
    return failure();

  FailureOr<Value> sum = createProduct(node, *matmul, Accumulator::Proven);
  if (failed(sum))
    return failure();
  SumScales scales{placeParameter(node, aScale, *matmul, true),
                   placeParameter(node, bScale, *matmul, false),
                   node.materializeSingle(result.scale), nullptr};
  return node.replace(
      createRequantize(node, stamp, *sum, storage, scales, result.zeroPoint));
}

LogicalResult mlir::qdq::translateQLinearConv(const ForeignOp &node,
                                              const Stamp &stamp) {
  // x, its scale and zero point, w, ..., those of y, and the bias.
  // An attribute of ONNX Runtime's own operator.
  FailureOr<int64_t> channelsLast = node.getInteger("channels_last", 0);
  if (failed(channelsLast))
    return failure();
  FailureOr<Convolution> convolution =
      readConvolution(node, 0, 3, *channelsLast != 0);
  if (failed(convolution) || failed(readZeroPoints(node, *convolution, 2, 5)))
    return failure();
  int64_t filters = convolution->filter.type.getDimSize(0);
  Reader read;
  ForeignTensor xScale = read(getScaleOperand(node, 1, "x_scale"));
  ForeignTensor wScale = read(getScaleOperand(node, 4, "w_scale"));
  QuantizationParameters result = read(readResultParameters(node, 6, false));
  if (failed(read) || failed(checkSingle(node, "x_scale", xScale)) ||
      failed(checkPerFilter(node, "w_scale", wScale, *convolution)) ||
      failed(checkRescaling(node, stamp, {xScale, wScale, result.scale})))
    return failure();
  Type storage = getResultStorage(node);
  auto type = RankedTensorType::get(convolution->shape, storage);
  if (failed(checkResult(node, type)))
    return failure();
  convolution->bias = read(node.getOptional(
      8, "B",
      [&](RankedTensorType type) {
        return type.getRank() == 1 && type.getElementType().isInteger(32) &&
               !differ(type.getDimSize(0), filters);
      },
      "i32 of the ", filters, " filters"));
  if (failed(read))
    return failure();

  FailureOr<Value> sum = createProduct(node, *convolution, Accumulator::Proven);
  if (failed(sum))
    return failure();
  Value filterScale = node.materializeParameter(wScale);
  SumScales scales{
      node.materializeSingle(xScale), filterScale,
      node.materializeSingle(result.scale),
      node.getRewriter().getI64IntegerAttr(convolution->getChannelDim())};
  return node.replace(
      createRequantize(node, stamp, *sum, storage, scales, result.zeroPoint));
}
