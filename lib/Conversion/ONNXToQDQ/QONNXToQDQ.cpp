// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QONNX's Quant and BipolarQuant to qdq: codes, and the reals that they stand
// for.

#include "../ForeignOps/TensorOps.h"
#include "QONNXNode.h"
#include "Translations.h"

using namespace mlir;
using namespace mlir::qdq;

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
    return toForeign(twice);
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
  parameters.zeroPoint = getSingle(b.getF32Type(), -0.5);
  Stamp own{SemanticsOptions(), Profile::Quant};
  SemanticsFields fields;
  fields.rounding = Rounding::Floor;
  Value codes = quantizeF32(node, own, input, b.getI1Type(), divisor, fields);
  return node.replace(dequantizeF32(node, own, toForeign(codes), parameters));
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
  Reader read;
  ForeignTensor input = read(readQONNXInput(node));
  if (failed(read))
    return failure();
  QuantizationParameters parameters =
      read(readQONNXParameters(node, input.type, /*scale=*/1, /*zeroPoint=*/2));
  QONNXRange range;
  range.width = read(readQONNXBitWidth(node, 3, "bit width"));
  range.isSigned = read(readFlag(node, "signed"));
  range.isNarrow = read(readFlag(node, "narrow"));
  if (failed(read))
    return failure();
  SemanticsFields spelled;
  spelled.rounding = read(readQONNXRounding(node, "ROUND", range.isSigned));
  if (failed(read))
    return failure();
  MLIRContext *ctx = node.getRewriter().getContext();
  Type storage = range.getStorage(ctx);
  ForeignTensor given = parameters.zeroPoint;
  parameters.zeroPoint = toStoredZeroPoint(node, given, storage);
  // The one signed bit is a sign.
  if (range.isSigned && range.width == 1) {
    if (parameters.zeroPoint)
      return node.refuse("has one signed bit and a zero point, ", given.type,
                         ", that is not a constant 0: expected 0");
    return translateSign(node, input, parameters, parameters);
  }
  Value codes = quantizeF32(node, stamp, input, storage, parameters, spelled,
                            range.getClamp(ctx));
  return node.replace(
      dequantizeF32(node, stamp, toForeign(codes), parameters, spelled));
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
  one.scale = getSingle(node.getRewriter().getF32Type(), 1.0);
  return translateSign(node, *input, one, *parameters);
}
