// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD Quark's ExtendedQuantizeLinear and ExtendedDequantizeLinear (earlier
// VitisQuantizeLinear, VitisDequantizeLinear) to qdq.

#include "Translations.h"

using namespace mlir;
using namespace mlir::qdq;

static bool isStorage(Type type) {
  return type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
         type.isF16() || type.isBF16();
}

/// Where `axis` is absent it is 1 to the document and 0 to the kernel: taken is
/// the one for which the shapes fit.
static FailureOr<int64_t> getQuarkAxis(const ForeignOp &node, TensorType input,
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

static constexpr TypeRule kReal = {isReal, "f16, bf16 or f32"};
static constexpr TypeRule kStorage = {
    isStorage, "i8, i16, i32, ui8, ui16, ui32, f16 or bf16"};

LogicalResult mlir::qdq::translateQuarkQuantize(const ForeignOp &node,
                                                const Stamp &stamp) {
  FailureOr<LinearNode> linear =
      readLinearNode(node, {Direction::Quantize, kReal, kStorage, kReal,
                            getQuarkAxis, /*isQuark=*/true});
  if (failed(linear))
    return failure();
  return node.replace(createQuantize(node, linear->input, linear->storage,
                                     linear->parameters,
                                     stamp(linear->getElementTypes())));
}

LogicalResult mlir::qdq::translateQuarkDequantize(const ForeignOp &node,
                                                  const Stamp &stamp) {
  FailureOr<LinearNode> linear =
      readLinearNode(node, {Direction::Dequantize, kReal, kStorage, kReal,
                            getQuarkAxis, /*isQuark=*/true});
  if (failed(linear))
    return failure();
  if (linear->expressed != linear->getScaleType())
    return node.refuse("result has element type ", linear->expressed,
                       ": expected ", linear->getScaleType(),
                       ", the type of the scale");
  return node.replace(createDequantize(node, linear->input, linear->expressed,
                                       linear->parameters,
                                       stamp(linear->getElementTypes())));
}
