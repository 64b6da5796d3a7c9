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
  return node.getTensor(
      index, name,
      [&](RankedTensorType type) {
        Type element = type.getElementType();
        return isCode8(element) || (allowsFloat8 && isFloat8(element));
      },
      "a ranked tensor of i8",
      allowsFloat8 ? ", ui8 or a float8 of ONNX" : " or ui8");
}

FailureOr<ForeignTensor> mlir::qdq::getZeroPointOf(const ForeignOp &node,
                                                   unsigned index,
                                                   StringRef name, Type codes) {
  auto fits = [&](RankedTensorType type) {
    return isSameElementType(type.getElementType(), codes);
  };
  return node.getOptional(index, name, fits, "a ranked tensor of ", codes,
                          ", the type of its codes");
}

FailureOr<ForeignTensor> mlir::qdq::getScaleOperand(const ForeignOp &node,
                                                    unsigned index,
                                                    StringRef name,
                                                    bool allowsNarrow) {
  auto fits = [&](RankedTensorType type) {
    Type element = type.getElementType();
    return allowsNarrow ? isReal(element) : element.isF32();
  };
  return node.getTensor(index, name, fits, "a ranked tensor of f32",
                        allowsNarrow ? ", f16 or bf16" : "");
}

LogicalResult mlir::qdq::checkSingle(const ForeignOp &node, StringRef name,
                                     const ForeignTensor &parameter) {
  if (!parameter || isSingle(parameter.type))
    return success();
  return node.refuse(name, " has type ", parameter.type,
                     ": expected one element");
}

LogicalResult mlir::qdq::checkSingleOrEach(const ForeignOp &node,
                                           StringRef name,
                                           const ForeignTensor &parameter,
                                           int64_t count, StringRef each) {
  if (!parameter || isSingle(parameter.type) ||
      (parameter.type.getRank() == 1 &&
       !differ(parameter.type.getDimSize(0), count)))
    return success();
  return node.refuse(name, " has type ", parameter.type,
                     ": expected one element, or one for each of the ", count,
                     " ", each);
}

FailureOr<QuantizationParameters>
mlir::qdq::getTensorParameters(const ForeignOp &node, unsigned index,
                               StringRef name, Type codes) {
  std::string scaleName = (name + "_scale").str();
  std::string zeroName = (name + "_zero_point").str();
  Reader read;
  QuantizationParameters parameters;
  parameters.scale = read(getScaleOperand(node, index, scaleName));
  parameters.zeroPoint = read(getZeroPointOf(node, index + 1, zeroName, codes));
  if (failed(read) || failed(checkSingle(node, scaleName, parameters.scale)) ||
      failed(checkSingle(node, zeroName, parameters.zeroPoint)))
    return failure();
  return parameters;
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
  Reader read;
  UnaryCodes codes{*x, read(getTensorParameters(node, 1, "X", storage)),
                   read(getTensorParameters(node, 3, "Y", storage))};
  if (failed(read) ||
      failed(checkResult(node, cast<RankedTensorType>(x->type))))
    return failure();
  return codes;
}
