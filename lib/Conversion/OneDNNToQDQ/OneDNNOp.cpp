// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view of a oneDNN Graph op.

#include "OneDNNOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isSingle(TensorType type) {
  return type.hasRank() &&
         llvm::all_of(type.getShape(), [](int64_t size) { return size == 1; });
}

LogicalResult OneDNNOp::checkSignature(unsigned minOperands,
                                       unsigned maxOperands) const {
  if (op->getNumRegions() || op->getNumSuccessors())
    return refuse("has a region or a successor: expected none");
  unsigned count = op->getNumOperands();
  if (count < minOperands || count > maxOperands)
    return refuse("number of operands is ", count, ": expected ", minOperands,
                  minOperands == maxOperands
                      ? std::string()
                      : " or " + std::to_string(maxOperands));
  if (op->getNumResults() != 1)
    return refuse("number of results is ", op->getNumResults(), ": expected 1");
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (!isa<TensorType>(type))
      return refuse("operand ", index, " has type ", type,
                    ": expected a tensor");
  Type result = op->getResult(0).getType();
  if (!isa<TensorType>(result))
    return refuse("result has type ", result, ": expected a tensor");
  return success();
}

TypedValue<TensorType> OneDNNOp::getOperand(unsigned index) const {
  return index < op->getNumOperands()
             ? cast<TypedValue<TensorType>>(op->getOperand(index))
             : nullptr;
}

TensorType OneDNNOp::getResultType() const {
  return cast<TensorType>(op->getResult(0).getType());
}

FailureOr<int64_t> OneDNNOp::getInteger(StringRef name,
                                        int64_t fallback) const {
  Attribute attr = op->getAttr(name);
  if (!attr)
    return fallback;
  auto integer = dyn_cast<IntegerAttr>(attr);
  if (!integer || integer.getValue().getSignificantBits() > 64)
    return refuse("attribute '", name, "' is ", attr, ": expected an s64");
  return integer.getValue().getSExtValue();
}

FailureOr<StringRef> OneDNNOp::getString(StringRef name,
                                         StringRef fallback) const {
  Attribute attr = op->getAttr(name);
  if (!attr)
    return fallback;
  auto string = dyn_cast<StringAttr>(attr);
  if (!string)
    return refuse("attribute '", name, "' is ", attr, ": expected a string");
  return string.getValue();
}

FailureOr<SmallVector<int64_t>> OneDNNOp::getIntegers(StringRef name) const {
  Attribute attr = op->getAttr(name);
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    return llvm::to_vector(array.asArrayRef());
  SmallVector<int64_t> values;
  if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attr);
      dense && dense.getType().getRank() <= 1 &&
      dense.getElementType().getIntOrFloatBitWidth() <= 64) {
    for (const APInt &value : dense.getValues<APInt>())
      values.push_back(value.getSExtValue());
    return values;
  }
  if (auto array = dyn_cast_or_null<ArrayAttr>(attr))
    if (llvm::all_of(array, [](Attribute element) {
          auto integer = dyn_cast<IntegerAttr>(element);
          return integer && integer.getValue().getSignificantBits() <= 64;
        })) {
      for (auto value : array.getAsRange<IntegerAttr>())
        values.push_back(value.getValue().getSExtValue());
      return values;
    }
  if (!attr)
    return refuse("has no attribute '", name, "'");
  return refuse("attribute '", name, "' is ", attr,
                ": expected a list of s64, such as array<i64: 1>");
}

FailureOr<SmallVector<float>> OneDNNOp::getFloats(StringRef name) const {
  Attribute attr = op->getAttr(name);
  if (auto array = dyn_cast_or_null<DenseF32ArrayAttr>(attr))
    return llvm::to_vector(array.asArrayRef());
  if (auto dense = dyn_cast_or_null<DenseFPElementsAttr>(attr);
      dense && dense.getType().getRank() <= 1 && dense.getElementType().isF32())
    return llvm::to_vector(dense.getValues<float>());
  auto isF32 = [](Attribute element) {
    auto number = dyn_cast<FloatAttr>(element);
    return number && number.getType().isF32();
  };
  if (auto array = dyn_cast_or_null<ArrayAttr>(attr);
      array && llvm::all_of(array, isF32)) {
    SmallVector<float> values;
    for (auto value : array.getAsRange<FloatAttr>())
      values.push_back(value.getValue().convertToFloat());
    return values;
  }
  if (!attr)
    return refuse("has no attribute '", name, "'");
  return refuse("attribute '", name, "' is ", attr,
                ": expected a list of f32, such as array<f32: 0.5>");
}

void OneDNNOp::replace(Value value) const {
  Type type = op->getResult(0).getType();
  if (value.getType() != type)
    value = tensor::CastOp::create(rewriter, getLoc(), type, value);
  rewriter.replaceOp(op, value);
}

Value OneDNNOp::toSingle(TypedValue<TensorType> value) const {
  Type elementType = value.getType().getElementType();
  auto rank0 = RankedTensorType::get({}, elementType);
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements))) {
    // Constants with a signedness exist only in tensors.
    TypedAttr attr = elements.reshape(rank0);
    if (elementType.isSignlessInteger() || isa<FloatType>(elementType))
      attr = elements.getSplatValue<TypedAttr>();
    return arith::ConstantOp::create(rewriter, getLoc(), attr);
  }
  if (value.getType().getRank() == 0)
    return value;
  return tensor::CollapseShapeOp::create(rewriter, getLoc(), rank0, value,
                                         ArrayRef<ReassociationIndices>());
}
