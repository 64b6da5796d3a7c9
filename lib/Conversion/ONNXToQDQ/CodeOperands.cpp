// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the operands of quantized operators.

#include "CodeOperands.h"
#include "../ForeignOps/TensorOps.h"
#include "LinearNode.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType>(type);
}

FailureOr<ForeignTensor> mlir::qdq::getCodes(const ForeignOp &node,
                                             unsigned index, StringRef name,
                                             bool allowsFloat8) {
  FailureOr<ForeignTensor> codes = node.getTensor(index, name);
  if (failed(codes))
    return failure();
  Type element = codes->type.getElementType();
  bool isCode = isCode8(element) || (allowsFloat8 && isFloat8(element));
  if (!isCode || !codes->type.hasRank())
    return node.refuse(name, " has type ", codes->type,
                       ": expected a ranked tensor of i8",
                       allowsFloat8 ? ", ui8 or a float8 of ONNX" : " or ui8");
  return codes;
}

FailureOr<ForeignTensor> mlir::qdq::getZeroPointOf(const ForeignOp &node,
                                                   unsigned index,
                                                   StringRef name, Type codes) {
  if (!node.getOperand(index))
    return ForeignTensor();
  FailureOr<ForeignTensor> zeroPoint = node.getTensor(index, name);
  if (failed(zeroPoint))
    return failure();
  if (!zeroPoint->type.hasRank() ||
      !isSameElementType(zeroPoint->type.getElementType(), codes))
    return node.refuse(name, " has type ", zeroPoint->type,
                       ": expected a ranked tensor of ", codes,
                       ", the type of its codes");
  return zeroPoint;
}

FailureOr<ForeignTensor> mlir::qdq::getScaleOperand(const ForeignOp &node,
                                                    unsigned index,
                                                    StringRef name,
                                                    bool allowsNarrow) {
  FailureOr<ForeignTensor> scale = node.getTensor(index, name);
  if (failed(scale))
    return failure();
  Type type = scale->type.getElementType();
  bool isNarrow = type.isF16() || type.isBF16();
  if (!scale->type.hasRank() || !(type.isF32() || (allowsNarrow && isNarrow)))
    return node.refuse(name, " has type ", scale->type,
                       ": expected a ranked tensor of f32",
                       allowsNarrow ? ", f16 or bf16" : "");
  return scale;
}

LogicalResult mlir::qdq::checkSingle(const ForeignOp &node, StringRef name,
                                     const ForeignTensor &parameter) {
  if (!parameter || isSingle(parameter.type))
    return success();
  return node.refuse(name, " has type ", parameter.type,
                     ": expected one element");
}

FailureOr<QuantizationParameters>
mlir::qdq::getTensorParameters(const ForeignOp &node, unsigned index,
                               StringRef name, Type codes) {
  std::string scaleName = (name + "_scale").str();
  std::string zeroName = (name + "_zero_point").str();
  FailureOr<ForeignTensor> scale = getScaleOperand(node, index, scaleName);
  FailureOr<ForeignTensor> zeroPoint =
      getZeroPointOf(node, index + 1, zeroName, codes);
  if (failed(scale) || failed(zeroPoint) ||
      failed(checkSingle(node, scaleName, *scale)) ||
      failed(checkSingle(node, zeroName, *zeroPoint)))
    return failure();
  return QuantizationParameters{Placement(), *scale, *zeroPoint};
}

LogicalResult mlir::qdq::checkResult(const ForeignOp &node,
                                     RankedTensorType expected) {
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(result))
    return failure();
  if (isSameElementType(result->getElementType(), expected.getElementType()) &&
      succeeded(verifyCompatibleShape(*result, expected)))
    return success();
  return node.refuse("result has type ", *result, ": expected ", expected);
}

FailureOr<UnaryCodes> mlir::qdq::getUnaryCodes(const ForeignOp &node) {
  // X, its scale and zero point, the scale and zero point of Y.
  FailureOr<ForeignTensor> x = getCodes(node, 0, "X");
  if (failed(x))
    return failure();
  Type storage = x->type.getElementType();
  FailureOr<QuantizationParameters> xParameters =
      getTensorParameters(node, 1, "X", storage);
  FailureOr<QuantizationParameters> yParameters =
      getTensorParameters(node, 3, "Y", storage);
  if (failed(xParameters) || failed(yParameters) ||
      failed(checkResult(node, cast<RankedTensorType>(x->type))))
    return failure();
  return UnaryCodes{*x, *xParameters, *yParameters};
}
