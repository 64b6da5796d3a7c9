// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's MatMulIntegerToFloat and DynamicQuantizeMatMul: sums of
// products of codes, as reals.

#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "Matmul.h"
#include "Rescaling.h"
#include "Translations.h"

using namespace mlir;
using namespace mlir::qdq;

/// The bias [N], of floats; null where it is absent.
static FailureOr<ForeignTensor> readBias(const ForeignOp &node, unsigned index,
                                         const Matmul &matmul, Type type) {
  auto fits = [&](RankedTensorType own) {
    return own.getRank() == 1 && own.getElementType() == type &&
           matmul.getB().getRank() > 1 &&
           !differ(own.getDimSize(0), matmul.shape.back());
  };
  return node.getOptional(index, "bias", fits, type, " of the columns of b, ",
                          matmul.b.type);
}

/// A scale of b, per tensor or column, and its place beside the sum.
static FailureOr<ForeignTensor> readColumnScale(const ForeignOp &node,
                                                unsigned index,
                                                const Matmul &matmul,
                                                bool allowsNarrow) {
  FailureOr<ForeignTensor> scale =
      getScaleOperand(node, index, "b_scale", allowsNarrow);
  if (failed(scale) ||
      failed(checkParameter(node, "b_scale", *scale, matmul, false)))
    return failure();
  return scale;
}

/// Replaces the node by the scaled sum, with the bias.
static LogicalResult finish(const ForeignOp &node, const Stamp &stamp,
                            const Matmul &matmul, Value aScale,
                            const ForeignTensor &bScale,
                            const ForeignTensor &bias, Type resultType) {
  FailureOr<Value> sum = createProduct(node, matmul, Accumulator::Proven);
  if (failed(sum))
    return failure();
  SumScales scales{aScale, placeParameter(node, bScale, matmul, false), nullptr,
                   nullptr};
  Value reals = createDequantize(node, stamp, *sum, scales);
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  return node.replace(addBias(b, reals, node.materialize(bias), resultType));
}

LogicalResult mlir::qdq::translateMatMulIntegerToFloat(const ForeignOp &node,
                                                       const Stamp &stamp) {
  // A, B, their scales, their zero points, the bias.
  FailureOr<Matmul> matmul = readMatmul(node, 0, 1);
  if (failed(matmul) || failed(readZeroPoints(node, *matmul, 4, 5)))
    return failure();
  FailureOr<ForeignTensor> aScale = getScaleOperand(node, 2, "a_scale", true);
  FailureOr<ForeignTensor> bScale = readColumnScale(node, 3, *matmul, true);
  if (failed(aScale) || failed(bScale) ||
      failed(checkParameter(node, "a_scale", *aScale, *matmul, true)))
    return failure();
  Type real = aScale->type.getElementType();
  if (bScale->type.getElementType() != real)
    return node.refuse("b_scale has type ", bScale->type, ": expected ", real,
                       ", the type of a_scale");
  FailureOr<ForeignTensor> bias = readBias(node, 6, *matmul, real);
  if (failed(bias) ||
      failed(checkResult(node, RankedTensorType::get(matmul->shape, real))))
    return failure();
  return finish(node, stamp, *matmul,
                placeParameter(node, *aScale, *matmul, true), *bScale, *bias,
                real);
}

LogicalResult mlir::qdq::translateDynamicQuantizeMatMul(const ForeignOp &node,
                                                        const Stamp &stamp) {
  // A, B, the scale and the zero point of B, the bias.
  FailureOr<ForeignTensor> input = getScaleOperand(node, 0, "A");
  FailureOr<ForeignTensor> weight = getCodes(node, 1, "B");
  if (failed(input) || failed(weight))
    return failure();
  Type f32 = node.getRewriter().getF32Type();
  Type ui8 = node.getRewriter().getIntegerType(8, /*isSigned=*/false);
  FailureOr<Matmul> matmul = makeMatmul(
      node, {input->value, input->type.clone(ui8), nullptr}, *weight);
  if (failed(matmul))
    return failure();
  Reader read;
  ForeignTensor scale = read(readColumnScale(node, 2, *matmul, false));
  ForeignTensor &zeroPoint = matmul->bZeroPoint;
  zeroPoint = read(
      getZeroPointOf(node, 3, "b_zero_point", weight->type.getElementType()));
  ForeignTensor bias = read(readBias(node, 4, *matmul, f32));
  if (failed(read) ||
      failed(checkParameter(node, "b_zero_point", zeroPoint, *matmul, false)) ||
      failed(checkResult(node, RankedTensorType::get(matmul->shape, f32))))
    return failure();
  auto [codes, parameters] = quantizeDynamically(node, stamp, *input);
  matmul->a = codes;
  matmul->aZeroPoint = parameters.zeroPoint;
  return finish(node, stamp, *matmul, node.materializeSingle(parameters.scale),
                scale, bias, f32);
}
