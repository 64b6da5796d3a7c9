// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD Quark's ExtendedQuantizeLinear and ExtendedDequantizeLinear (earlier
// VitisQuantizeLinear, VitisDequantizeLinear) to qdq.

#include "QuantizationParameters.h"
#include "Translations.h"

using namespace mlir;
using namespace mlir::qdq;

static LogicalResult checkReal(const ONNXNode &node, StringRef name,
                               Type type) {
  if (type.isF16() || type.isBF16() || type.isF32())
    return success();
  return node.refuse(name, " has element type ", type,
                     ": expected f16, bf16 or f32");
}

static LogicalResult checkStorage(const ONNXNode &node, StringRef name,
                                  Type type) {
  bool isWide = type.isInteger(8) || type.isInteger(16) || type.isInteger(32);
  if (isWide || type.isF16() || type.isBF16())
    return success();
  return node.refuse(name, " has element type ", type,
                     ": expected i8, i16, i32, ui8, ui16, ui32, f16 or bf16");
}

/// Where `axis` is absent it is 1 to the document and 0 to the kernel: taken is
/// the one for which the shapes fit.
static FailureOr<int64_t> getAxis(const ONNXNode &node, TensorType input,
                                  RankedTensorType scale) {
  if (node.has("axis") || isONNXScalar(scale))
    return node.getInteger("axis", 0);
  if (scale.getRank() != 1)
    return 1;
  if (input.hasRank() && input.getRank() < 2)
    return 0;
  int64_t count = scale.getDimSize(0);
  auto fits = [&](int64_t axis) {
    int64_t size =
        input.hasRank() ? input.getDimSize(axis) : ShapedType::kDynamic;
    return ShapedType::isDynamic(size) || ShapedType::isDynamic(count) ||
           size == count;
  };
  if (fits(0) && fits(1))
    return node.refuse("has no 'axis', and the scale ", scale,
                       " fits dimension 1 of ", input,
                       " (the default of the document) and dimension 0 (that "
                       "of the kernel): expected 'axis'");
  return fits(0) ? 0 : 1;
}

bool mlir::qdq::isQuarkModel(Operation *op) {
  static constexpr StringLiteral kProducers[] = {
      "onnx.producer_name", "torch.onnx_meta.producer_name"};
  static constexpr StringLiteral kImports[] = {
      "onnx.opset_import", "torch.onnx_meta.opset_versions"};
  for (; op; op = op->getParentOp()) {
    for (StringRef name : kProducers)
      if (auto producer = op->getAttrOfType<StringAttr>(name);
          producer && producer.getValue().starts_with("quark"))
        return true;
    for (StringRef name : kImports)
      if (auto domains = op->getAttrOfType<DictionaryAttr>(name);
          domains && (domains.contains("com.amd.quark") ||
                      domains.contains("com.vai.quantize")))
        return true;
  }
  return false;
}

FailureOr<int64_t> mlir::qdq::getQuarkBlockSize(const ONNXNode &node,
                                                TensorType input,
                                                RankedTensorType scale,
                                                int64_t axis) {
  FailureOr<int64_t> given = node.getInteger("block_size", 0);
  if (failed(given) || *given != 0 || scale.getRank() < 2 || !input.hasRank() ||
      input.getRank() != scale.getRank())
    return given;
  int64_t rank = input.getRank();
  int64_t dim = axis < 0 ? axis + rank : axis;
  if (dim < 0 || dim >= rank || input.isDynamicDim(dim) ||
      scale.isDynamicDim(dim))
    return given;
  int64_t size = input.getDimSize(dim), count = scale.getDimSize(dim);
  return count > 0 && size % count == 0 ? size / count : 0;
}

static FailureOr<QuantizationParameters>
getQuarkParameters(const ONNXNode &node, TensorType input, Type storage) {
  FailureOr<ONNXTensor> scale = getScale(node);
  if (failed(scale) ||
      failed(checkReal(node, "scale", scale->getType().getElementType())))
    return failure();
  auto scaleType = cast<RankedTensorType>(scale->getType());
  FailureOr<int64_t> axis = getAxis(node, input, scaleType);
  if (failed(axis))
    return failure();
  FailureOr<int64_t> blockSize =
      getQuarkBlockSize(node, input, scaleType, *axis);
  if (failed(blockSize))
    return failure();
  FailureOr<Placement> placement =
      getPlacement(node, input, scaleType, *axis, *blockSize);
  if (failed(placement))
    return failure();
  FailureOr<ONNXTensor> zeroPoint = getZeroPoint(node, scaleType, *placement);
  if (failed(zeroPoint) ||
      failed(checkZeroPointType(node, *zeroPoint, storage)))
    return failure();
  return QuantizationParameters{*placement, *scale, *zeroPoint};
}

LogicalResult
mlir::qdq::translateQuarkQuantize(const ONNXNode &node,
                                  const SemanticsOptions &options) {
  if (failed(node.checkArity(2, 3, 1)))
    return failure();
  FailureOr<ONNXTensor> input = node.getTensor(0, "input");
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(input) || failed(result))
    return failure();
  TensorType inputType = input->getType();
  Type expressed = inputType.getElementType();
  Type storage = result->getElementType();
  if (failed(checkReal(node, "input", expressed)) ||
      failed(checkStorage(node, "result", storage)) ||
      failed(checkShape(node, inputType, *result)))
    return failure();
  FailureOr<QuantizationParameters> parameters =
      getQuarkParameters(node, inputType, storage);
  if (failed(parameters))
    return failure();
  ElementTypes types{
      Direction::Quantize, expressed,
      cast<FloatType>(parameters->scale.getType().getElementType())};
  node.replace(createQuantize(
      node, *input, storage, *parameters,
      stamp(node, options, getProfileFields(Profile::Quark, types), types)));
  return success();
}

LogicalResult
mlir::qdq::translateQuarkDequantize(const ONNXNode &node,
                                    const SemanticsOptions &options) {
  if (failed(node.checkArity(2, 3, 1)))
    return failure();
  FailureOr<ONNXTensor> input = node.getTensor(0, "input");
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(input) || failed(result))
    return failure();
  TensorType inputType = input->getType();
  Type storage = inputType.getElementType();
  Type expressed = result->getElementType();
  if (failed(checkStorage(node, "input", storage)) ||
      failed(checkShape(node, inputType, *result)))
    return failure();
  FailureOr<QuantizationParameters> parameters =
      getQuarkParameters(node, inputType, storage);
  if (failed(parameters))
    return failure();
  Type scaleType = parameters->scale.getType().getElementType();
  if (expressed != scaleType)
    return node.refuse("result has element type ", expressed, ": expected ",
                       scaleType, ", the type of the scale");
  ElementTypes types{Direction::Dequantize, expressed,
                     cast<FloatType>(scaleType)};
  node.replace(createDequantize(
      node, *input, expressed, *parameters,
      stamp(node, options, getProfileFields(Profile::Quark, types), types)));
  return success();
}
