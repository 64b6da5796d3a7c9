// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX DynamicQuantizeLinear to qdq.

#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

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

  Value x = node.materialize(*input);
  RangeMode mode = stamp.getProfile() == Profile::ORT ? RangeMode::ORT
                                                      : RangeMode::Asymmetric;
  auto chosen = node.create<ChooseParamsOp>(
      scaleType, zeroPointType, x, mode, /*axis=*/nullptr,
      /*block_shape=*/nullptr, /*clamp=*/nullptr,
      stamp({Direction::Dequantize, f32, rewriter.getF32Type()}),
      /*storage_type=*/nullptr, /*power_of_two=*/nullptr);
  Value quantized = node.create<QuantizeOp>(
      expectedTypes[0], x, chosen.getScale(), chosen.getZeroPoint(),
      /*axis=*/nullptr, /*block_shape=*/nullptr, /*clamp=*/nullptr,
      /*zero_point_domain=*/nullptr,
      stamp({Direction::Quantize, f32, rewriter.getF32Type()}),
      /*seed=*/nullptr, /*runtime_seed=*/nullptr);
  return node.replace({quantized, chosen.getScale(), chosen.getZeroPoint()});
}
