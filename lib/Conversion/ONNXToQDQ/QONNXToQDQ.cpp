// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QONNX's Quant and BipolarQuant to qdq: codes, and the reals that they stand
// for.

#include "../ForeignOps/TensorOps.h"
#include "QONNXNode.h"
#include "Translations.h"

using namespace mlir;
using namespace mlir::qdq;

/// One f32 as an operand.
static ForeignTensor createSingle(Builder &b, float value) {
  auto type = RankedTensorType::get({}, b.getF32Type());
  return {nullptr, type, DenseElementsAttr::get(type, value)};
}

/// Twice a scale. Halves of it are exact.
static FailureOr<ForeignTensor> doubleScale(const ForeignOp &node,
                                            const ForeignTensor &scale) {
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(getConstant(scale))) {
    std::optional<APFloat> tooLarge;
    auto add = [&](const APFloat &own) {
      APFloat sum = own + own;
      if (own.isFinite() && !sum.isFinite() && !tooLarge)
        tooLarge = own;
      return sum.bitcastToAPInt();
    };
    auto twice = elements.mapValues(scale.type.getElementType(), add);
    if (tooLarge)
      return node.refuse("scale is ", tooLarge->convertToFloat(),
                         ": expected a number whose double is an f32");
    return ForeignTensor{nullptr, scale.type, twice};
  }
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value sum = mapElements(b, {node.materialize(scale)}, b.getF32Type(),
                          [](Scalar own) { return own + own; });
  return ForeignTensor{sum, scale.type, nullptr};
}

/// `scale` where the input times `1 / divisor` is not below zero, else
/// `-scale`. The codes c are 0 and -1, of which (c + 1/2) * 2 * scale are these
/// numbers. No option rounds them in another way.
static LogicalResult translateSign(const ForeignOp &node,
                                   const ForeignTensor &input,
                                   const QuantizationParameters &divisor,
                                   QuantizationParameters parameters) {
  PatternRewriter &b = node.getRewriter();
  FailureOr<ForeignTensor> twice = doubleScale(node, parameters.scale);
  if (failed(twice))
    return failure();
  parameters.scale = *twice;
  parameters.zeroPoint = createSingle(b, -0.5f);
  FloatType f32 = b.getF32Type();
  Stamp own{SemanticsOptions(), Profile::Quant};
  SemanticsFields fields;
  fields.rounding = Rounding::Floor;
  Value codes = createQuantize(node, input, b.getI1Type(), divisor,
                               own({Direction::Quantize, f32, f32}, fields));
  return node.replace(createQONNXDequantize(
      node, codes, parameters, own({Direction::Dequantize, f32, f32})));
}

/// An attribute that has to be there, 0 or 1.
static FailureOr<bool> readFlag(const ForeignOp &node, StringRef name) {
  if (!node.has(name))
    return node.refuse("has no '", name, "': expected 0 or 1");
  FailureOr<int64_t> value = node.getInteger(name, 0);
  if (failed(value))
    return failure();
  return *value != 0;
}

LogicalResult mlir::qdq::translateQONNXQuant(const ForeignOp &node,
                                             const Stamp &stamp) {
  FailureOr<ForeignTensor> input = readQONNXInput(node);
  if (failed(input))
    return failure();
  FailureOr<QuantizationParameters> parameters =
      readQONNXParameters(node, input->type, /*scale=*/1, /*zeroPoint=*/2);
  FailureOr<int64_t> width = readQONNXBitWidth(node, 3, "bit width");
  FailureOr<bool> isSigned = readFlag(node, "signed");
  FailureOr<bool> isNarrow = readFlag(node, "narrow");
  if (failed(parameters) || failed(width) || failed(isSigned) ||
      failed(isNarrow))
    return failure();
  FailureOr<Rounding> rounding = readQONNXRounding(node, "ROUND", *isSigned);
  if (failed(rounding))
    return failure();
  MLIRContext *ctx = node.getRewriter().getContext();
  QONNXRange range{*isSigned, *isNarrow, *width};
  Type storage = range.getStorage(ctx);
  ForeignTensor zeroPoint =
      toStoredZeroPoint(node, parameters->zeroPoint, storage);
  // The one signed bit is a sign.
  if (*isSigned && *width == 1) {
    if (zeroPoint)
      return node.refuse("has one signed bit and a zero point, ",
                         parameters->zeroPoint.type,
                         ", that is not a constant 0: expected 0");
    parameters->zeroPoint = {};
    return translateSign(node, *input, *parameters, *parameters);
  }
  parameters->zeroPoint = zeroPoint;
  FloatType f32 = node.getRewriter().getF32Type();
  SemanticsFields spelled;
  spelled.rounding = *rounding;
  Value codes = createQuantize(node, *input, storage, *parameters,
                               stamp({Direction::Quantize, f32, f32}, spelled),
                               /*scale=*/nullptr, range.getClamp(ctx));
  return node.replace(
      createQONNXDequantize(node, codes, *parameters,
                            stamp({Direction::Dequantize, f32, f32}, spelled)));
}

LogicalResult mlir::qdq::translateQONNXBipolarQuant(const ForeignOp &node,
                                                    const Stamp &) {
  FailureOr<ForeignTensor> input = readQONNXInput(node);
  if (failed(input))
    return failure();
  FailureOr<QuantizationParameters> parameters =
      readQONNXParameters(node, input->type, /*scale=*/1,
                          /*zeroPoint=*/std::nullopt);
  if (failed(parameters))
    return failure();
  QuantizationParameters one;
  one.scale = createSingle(node.getRewriter(), 1.0f);
  return translateSign(node, *input, one, *parameters);
}
