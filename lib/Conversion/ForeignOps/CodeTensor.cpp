// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading quantized types, and crossing between them and codes.

#include "CodeTensor.h"
#include "../QuantizedTypes/Parameters.h"
#include "SizeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APSInt;
using quant::QuantizedType;

bool mlir::qdq::isQuantized(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && isa<QuantizedType>(tensor.getElementType());
}

bool mlir::qdq::isQuantizedOp(Operation *op, StringRef dialect) {
  return op->getName().getDialectNamespace() == dialect &&
         (llvm::any_of(op->getOperandTypes(), isQuantized) ||
          llvm::any_of(op->getResultTypes(), isQuantized));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A constant as an operand; a scalar becomes a tensor of rank 0, of `type`
/// where that is another signedness.
static ForeignTensor toOperand(TypedAttr attr, Type elementType) {
  if (!attr)
    return {};
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    return toForeign(dense);
  auto type = RankedTensorType::get({}, elementType);
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return toForeign(DenseElementsAttr::get(
        type,
        integer.getValue().zextOrTrunc(elementType.getIntOrFloatBitWidth())));
  return toForeign(DenseElementsAttr::get(type, Attribute(attr)));
}

FailureOr<CodeType> mlir::qdq::readCodeType(const ForeignOp &op, StringRef name,
                                            Type type, bool allowsAxis) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto quantized = tensor ? dyn_cast<QuantizedType>(tensor.getElementType())
                          : QuantizedType();
  if (!isa_and_nonnull<quant::UniformQuantizedType,
                       quant::UniformQuantizedPerAxisType>(quantized))
    return op.refuse(name, " has type ", type,
                     ": expected a ranked tensor of !quant.uniform, per layer "
                     "or per axis");
  if (!hasIntegerStorage(quantized))
    return op.refuse(name, " has type ", type, ", whose storage is no integer");
  std::string reason;
  auto parameters = QuantizedTypeParameters::get(quantized, reason);
  if (!parameters)
    return op.refuse(name, ": ", reason);
  IntegerType storage = getStorageType(quantized);
  CodeType result;
  result.type = tensor.clone(storage);
  result.expressed = cast<FloatType>(quantized.getExpressedType());
  auto [lo, hi] = getIntegerBounds(storage);
  result.lo = quantized.getStorageTypeMin();
  result.hi = quantized.getStorageTypeMax();
  result.isNarrow = result.lo != lo || result.hi != hi;
  int64_t count = 1;
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(quantized)) {
    result.axis = perAxis.getQuantizedDimension();
    result.zeroPoints.assign(perAxis.getZeroPoints().begin(),
                             perAxis.getZeroPoints().end());
    count = perAxis.getScales().size();
    if (*result.axis < 0 || *result.axis >= tensor.getRank() ||
        differ(tensor.getDimSize(*result.axis), count))
      return op.refuse(name, " has type ", type, ", whose ", count,
                       " scales are not those of its axis ", *result.axis);
  } else {
    result.zeroPoints = {
        cast<quant::UniformQuantizedType>(quantized).getZeroPoint()};
  }
  auto scales = *ConstantElements::get(parameters->scale);
  for (int64_t index = 0; index < count; ++index)
    result.scales.push_back(std::get<APFloat>(scales[index]));
  if (!allowsAxis && result.axis)
    return op.refuse(name, " has ", count, " scales along axis ", *result.axis,
                     ": expected one scale for the tensor");
  result.parameters.placement.axis = parameters->axis;
  result.parameters.scale =
      toOperand(parameters->scale, quantized.getExpressedType());
  result.parameters.zeroPoint = toOperand(parameters->zeroPoint, storage);
  return result;
}

FailureOr<CodeTensor> mlir::qdq::readCodes(const ForeignOp &op, unsigned index,
                                           StringRef name, bool allowsAxis) {
  Value operand = op.getOperand(index);
  if (!operand)
    return op.refuse("has no ", name, ", which is operand ", index);
  FailureOr<CodeType> type =
      readCodeType(op, name, operand.getType(), allowsAxis);
  if (failed(type))
    return failure();
  return CodeTensor{*type, operand};
}

Value CodeTensor::getCodes(const ForeignOp &op) const {
  return toStorage(op, operand);
}

FailureOr<CodeType> mlir::qdq::readResultCodes(const ForeignOp &op,
                                               bool allowsAxis) {
  return readCodeType(op, "result", op.getOperation()->getResult(0).getType(),
                      allowsAxis);
}

LogicalResult mlir::qdq::checkSameParameters(const ForeignOp &op,
                                             StringRef name,
                                             const CodeType &type,
                                             StringRef otherName,
                                             const CodeType &other) {
  if (type.getStorage() == other.getStorage() && type.axis == other.axis &&
      type.zeroPoints == other.zeroPoints && type.scales == other.scales)
    return success();
  return op.refuse(name, " and ", otherName,
                   " have different scales, zero points or storage types: "
                   "expected the same, since codes are moved as they are");
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The storage of a quantized tensor, without signedness; the tensor itself
/// where it has one.
static Type getSignlessStorage(Type type) {
  auto tensor = cast<TensorType>(type);
  auto quantized = dyn_cast<QuantizedType>(tensor.getElementType());
  if (!quantized)
    return type;
  return tensor.clone(IntegerType::get(
      type.getContext(), quantized.getStorageTypeIntegralWidth()));
}

/// `value` with another element type of the same width; null where the widths
/// differ.
static ElementsAttr withElementType(ElementsAttr value, Type element) {
  Type own = value.getElementType();
  if (own == element)
    return value;
  if (!own.isInteger() || !element.isInteger() ||
      own.getIntOrFloatBitWidth() != element.getIntOrFloatBitWidth())
    return {};
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return dense.bitcast(element);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(value.getShapedType().clone(element),
                                          resource.getRawHandle());
  return {};
}

/// `value` with the signedness of `element`. A constant is one of that type.
static Value withSignedness(const ForeignOp &op, Value value, Type element) {
  auto type = cast<TensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  PatternRewriter &b = op.getRewriter();
  if (auto cast = value.getDefiningOp<tensor::BitcastOp>();
      cast && cast.getSource().getType() == type.clone(element))
    return cast.getSource();
  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    if (ElementsAttr same = withElementType(constant, element))
      return createConstant(b, value.getLoc(), cast<TypedAttr>(same));
  return castElementType(b, op.getLoc(), value, type.clone(element));
}

Value mlir::qdq::toStorage(const ForeignOp &op, Value value) {
  if (!isQuantized(value.getType()))
    return value;
  Value storage;
  auto cast = value.getDefiningOp<quant::StorageCastOp>();
  Type type = getSignlessStorage(value.getType());
  if (cast && cast.getInput().getType() == type)
    storage = cast.getInput();
  else
    storage = quant::StorageCastOp::create(op.getRewriter(), op.getLoc(), type,
                                           value);
  auto quantized = llvm::cast<QuantizedType>(getElementTypeOrSelf(value));
  return withSignedness(op, storage, getStorageType(quantized));
}

Value mlir::qdq::toSignlessStorage(const ForeignOp &op, Value value) {
  return asSignless(op.getRewriter(), op.getLoc(), toStorage(op, value));
}

LogicalResult mlir::qdq::replaceWithStorage(const ForeignOp &op,
                                            ValueRange values) {
  PatternRewriter &b = op.getRewriter();
  SmallVector<Value> results;
  for (auto [value, type] :
       llvm::zip_equal(values, op.getOperation()->getResultTypes())) {
    Value result = value;
    Type storage = getSignlessStorage(type);
    result = withSignedness(op, result, getElementTypeOrSelf(storage));
    assertShape(op, result, cast<TensorType>(storage));
    if (result.getType() != storage)
      result = tensor::CastOp::create(b, op.getLoc(), storage, result);
    if (isQuantized(type))
      result = quant::StorageCastOp::create(b, op.getLoc(), type, result);
    results.push_back(result);
  }
  b.replaceOp(op.getOperation(), results);
  return success();
}

FailureOr<SmallVector<int64_t>>
mlir::qdq::readConstantIntegers(const ForeignOp &op, unsigned index,
                                StringRef name) {
  Value operand = op.getOperand(index);
  if (!operand)
    return op.refuse("has no ", name, ", which is operand ", index);
  // A dialect conversion shows the op that it has replaced.
  Operation *def = operand.getDefiningOp();
  auto constant = def && def->getName().getStringRef() == "tfl.pseudo_const"
                      ? ConstantElements::get(def->getAttr("value"))
                      : ConstantElements::get(operand);
  if (!constant || !constant->getElementType().isInteger())
    return op.refuse(name, " is not constant: expected a constant of integers");
  if (failed(checkListLength(op, operand, name)))
    return failure();
  SmallVector<int64_t> values;
  for (int64_t i = 0; i < constant->size(); ++i)
    values.push_back(std::get<APSInt>((*constant)[i]).getExtValue());
  return values;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::replaceByConstant(const ForeignOp &op) {
  if (failed(op.checkArity({0})))
    return failure();
  auto value = dyn_cast_or_null<ElementsAttr>(op.getAttr("value"));
  FailureOr<TensorType> type = op.getResultType(0);
  if (failed(type))
    return failure();
  if (!value)
    return op.refuse("attribute 'value' is ", op.getAttr("value"),
                     ": expected the elements of a tensor");
  Type element = type->getElementType();
  if (isQuantized(*type)) {
    FailureOr<CodeType> codes = readResultCodes(op, /*allowsAxis=*/true);
    if (failed(codes))
      return failure();
    element = op.getRewriter().getIntegerType(codes->getWidth());
  }
  ElementsAttr elements = withElementType(value, element);
  if (!elements ||
      failed(verifyCompatibleShape(elements.getShapedType(), *type)))
    return op.refuse("attribute 'value' has type ", value.getShapedType(),
                     ": expected the elements of ", *type);
  return replaceWithStorage(
      op, op.create<arith::ConstantOp>(cast<TypedAttr>(Attribute(elements)))
              ->getResults());
}

void mlir::qdq::eraseDeadStorage(Operation *root) {
  root->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    bool isPlaceholder = op->use_empty() &&
                         op->getName().getStringRef() == "tfl.no_value" &&
                         !standsForTerminator(op);
    if (isPlaceholder ||
        (isa<quant::StorageCastOp, tensor::BitcastOp, arith::ConstantOp>(op) &&
         isOpTriviallyDead(op)))
      op->erase();
  });
}
