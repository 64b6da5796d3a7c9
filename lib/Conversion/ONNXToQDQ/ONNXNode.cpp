// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view of an ONNX node, in onnx-mlir's spelling and in torch-mlir's.

#include "ONNXNode.h"
#include "ONNXConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/TorchTypes/TorchTypes.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::qdq;

/// `TensorProto.DataType` in MLIR, or null for a number that is no element type
/// of a quantization.
static Type getElementTypeOf(int64_t dataType, Builder &b) {
  auto getUnsigned = [&](unsigned width) {
    return b.getIntegerType(width, /*isSigned=*/false);
  };
  switch (dataType) {
  case 1:
    return b.getF32Type();
  case 2:
    return getUnsigned(8);
  case 3:
    return b.getI8Type();
  case 4:
    return getUnsigned(16);
  case 5:
    return b.getI16Type();
  case 6:
    return b.getI32Type();
  case 10:
    return b.getF16Type();
  case 11:
    return b.getF64Type();
  case 12:
    return getUnsigned(32);
  case 16:
    return b.getBF16Type();
  case 17:
    return b.getType<Float8E4M3FNType>();
  case 18:
    return b.getType<Float8E4M3FNUZType>();
  case 19:
    return b.getType<Float8E5M2Type>();
  case 20:
    return b.getType<Float8E5M2FNUZType>();
  case 21:
    return getUnsigned(4);
  case 22:
    return b.getIntegerType(4);
  case 23:
    return b.getType<Float4E2M1FNType>();
  case 24:
    return b.getType<Float8E8M0FNUType>();
  case 25:
    return getUnsigned(2);
  case 26:
    return b.getIntegerType(2);
  case 27:
    return b.getType<Float6E2M3FNType>();
  case 28:
    return b.getType<Float6E3M2FNType>();
  default:
    return nullptr;
  }
}

LogicalResult ONNXNode::checkArity(unsigned minOperands, unsigned maxOperands,
                                   unsigned results) const {
  if (op->getNumRegions() || op->getNumSuccessors())
    return refuse("has a region or a successor: expected none");
  unsigned count = op->getNumOperands();
  if (count < minOperands || count > maxOperands)
    return refuse("number of operands is ", count, ": expected ", minOperands,
                  minOperands == maxOperands
                      ? std::string()
                      : " to " + std::to_string(maxOperands));
  if (op->getNumResults() != results)
    return refuse("number of results is ", op->getNumResults(), ": expected ",
                  results);
  return success();
}

Value ONNXNode::getOperand(unsigned index) const {
  if (index >= op->getNumOperands())
    return nullptr;
  Value operand = op->getOperand(index);
  return isAbsent(operand) ? nullptr : operand;
}

FailureOr<TensorType> ONNXNode::getTensorType(const Twine &name,
                                              Type type) const {
  if (auto tensor = dyn_cast<TensorType>(type))
    return tensor;
  std::string reason = "expected a tensor";
  if (isTorchTensor(type))
    if (TensorType tensor = getBuiltinTensor(type, reason))
      return tensor;
  return refuse(name, " has type ", type, ": ", reason);
}

FailureOr<ONNXTensor> ONNXNode::getTensor(unsigned index,
                                          StringRef name) const {
  Value operand = getOperand(index);
  if (!operand)
    return refuse("has no ", name, ", which is operand ", index);
  FailureOr<TensorType> type = getTensorType(name, operand.getType());
  if (failed(type))
    return failure();
  return ONNXTensor{operand, *type};
}

FailureOr<TensorType> ONNXNode::getResultType(unsigned index) const {
  return getTensorType("result " + Twine(index),
                       op->getResult(index).getType());
}

Attribute ONNXNode::getAttr(StringRef name) const {
  return op->getAttr((getAttributePrefix(op) + name).str());
}

FailureOr<int64_t> ONNXNode::getInteger(StringRef name,
                                        int64_t fallback) const {
  Attribute attr = getAttr(name);
  if (!attr)
    return fallback;
  std::optional<int64_t> value;
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    value = APSInt(integer.getValue(), integer.getType().isUnsignedInteger())
                .tryExtValue();
  if (!value)
    return refuse("attribute '", name, "' is ", attr,
                  ": expected an integer of 64 bits");
  return *value;
}

FailureOr<std::optional<StringRef>> ONNXNode::getString(StringRef name) const {
  Attribute attr = getAttr(name);
  if (!attr)
    return std::optional<StringRef>();
  if (auto string = dyn_cast<StringAttr>(attr))
    return std::optional<StringRef>(string.getValue());
  return refuse("attribute '", name, "' is ", attr, ": expected a string");
}

FailureOr<Type> ONNXNode::getElementType(StringRef name) const {
  FailureOr<int64_t> dataType = getInteger(name, 0);
  if (failed(dataType))
    return failure();
  if (*dataType == 0)
    return Type();
  Type type = getElementTypeOf(*dataType, rewriter);
  if (!type)
    return refuse("attribute '", name, "' is ", *dataType,
                  ": expected the TensorProto.DataType of a real or quantized "
                  "type, such as 1 (f32), 2 (ui8) or 3 (i8)");
  return type;
}

void ONNXNode::replace(ValueRange values) const {
  SmallVector<Value> results;
  for (auto [value, type] : llvm::zip_equal(values, op->getResultTypes())) {
    std::string reason;
    bool isForeign = isTorchTensor(type);
    Type builtin = isForeign ? getBuiltinTensor(type, reason) : type;
    Value result = value;
    if (result.getType() != builtin)
      result = tensor::CastOp::create(rewriter, getLoc(), builtin, result);
    if (isForeign)
      result = castFromBuiltinTensor(rewriter, getLoc(), result, type);
    results.push_back(result);
  }
  rewriter.replaceOp(op, results);
}

Value ONNXNode::materialize(ONNXTensor tensor) const {
  auto [value, type] = tensor;
  Operation *def = value.getDefiningOp();
  if (def && isForeignConstant(def))
    if (TypedAttr attr = getConstant(value, type))
      return arith::ConstantOp::create(rewriter, getLoc(), attr);
  if (value.getType() == type)
    return value;
  return castToBuiltinTensor(rewriter, getLoc(), value, type);
}

Value ONNXNode::materializeSingle(ONNXTensor tensor) const {
  auto [value, type] = tensor;
  Type elementType = type.getElementType();
  auto rank0 = RankedTensorType::get({}, elementType);
  if (auto elements =
          dyn_cast_or_null<DenseElementsAttr>(getConstant(value, type))) {
    // Constants with a signedness exist only in tensors.
    TypedAttr attr = elements.reshape(rank0);
    if (elementType.isSignlessInteger() || isa<FloatType>(elementType))
      attr = elements.getSplatValue<TypedAttr>();
    return arith::ConstantOp::create(rewriter, getLoc(), attr);
  }
  Value single = materialize(tensor);
  if (type.getRank() == 0)
    return single;
  return tensor::CollapseShapeOp::create(rewriter, getLoc(), rank0, single,
                                         ArrayRef<ReassociationIndices>());
}
