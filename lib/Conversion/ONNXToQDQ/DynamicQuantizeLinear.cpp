// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX DynamicQuantizeLinear to qdq.

#include "CodeOperands.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

std::pair<ForeignTensor, QuantizationParameters>
mlir::qdq::quantizeDynamically(const ForeignOp &node, const Stamp &stamp,
                               const ForeignTensor &input) {
  PatternRewriter &b = node.getRewriter();
  FloatType f32 = b.getF32Type();
  Type ui8 = b.getIntegerType(8, /*isSigned=*/false);
  TensorType type = input.type;
  Value x = node.materialize(input);
  RangeMode mode = stamp.getProfile() == Profile::ORT ? RangeMode::ORT
                                                      : RangeMode::Asymmetric;
  auto chosen = node.create<ChooseParamsOp>(
      RankedTensorType::get({}, f32), RankedTensorType::get({}, ui8), x, mode,
      /*axis=*/nullptr, /*block_shape=*/nullptr, /*clamp=*/nullptr,
      stamp({Direction::Dequantize, f32, f32}), /*storage_type=*/nullptr,
      /*power_of_two=*/nullptr);
  QuantizationParameters parameters{Placement(), toForeign(chosen.getScale()),
                                    toForeign(chosen.getZeroPoint())};
  Value codes = createQuantize(node, {x, type, nullptr}, ui8, parameters,
                               stamp({Direction::Quantize, f32, f32}));
  return {toForeign(codes), parameters};
}

/// `DynamicQuantizeLinear` to `qdq.choose_params` and `qdq.quantize`.
LogicalResult mlir::qdq::translateDynamicQuantizeLinear(const ForeignOp &node,
                                                        const Stamp &stamp) {
  PatternRewriter &rewriter = node.getRewriter();
  FailureOr<ForeignTensor> input = node.getTensor(0, "input");
  if (failed(input))
    return failure();
  TensorType inputType = input->type;
  Type f32 = rewriter.getF32Type();
  Type ui8 = rewriter.getIntegerType(8, /*isSigned=*/false);
  if (inputType.getElementType() != f32)
    return node.refuse("input has type ", inputType,
                       ": expected a tensor of f32");
  auto scaleType = RankedTensorType::get({}, f32);
  auto zeroPointType = RankedTensorType::get({}, ui8);
  Type expectedTypes[] = {inputType.clone(ui8), scaleType, zeroPointType};
  for (auto [index, expected] : llvm::enumerate(expectedTypes)) {
    FailureOr<TensorType> result = node.getResultType(index);
    if (failed(result))
      return failure();
    if (getElementTypeOrSelf(expected) != result->getElementType() ||
        failed(verifyCompatibleShape(expected, *result)))
      return node.refuse("result ", index, " has type ", *result, ": expected ",
                         expected);
  }

  auto [codes, parameters] = quantizeDynamically(node, stamp, *input);
  return node.replace(
      {codes.value, parameters.scale.value, parameters.zeroPoint.value});
}
