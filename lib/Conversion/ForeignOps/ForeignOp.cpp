// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view of an op of another dialect.

#include "ForeignOp.h"
#include "ForeignConstant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/TorchTypes/TorchTypes.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isSingle(TensorType type) {
  return type.hasRank() &&
         llvm::all_of(type.getShape(), [](int64_t size) { return size == 1; });
}

bool mlir::qdq::isReal(Type type) {
  return type.isF16() || type.isBF16() || type.isF32();
}

bool mlir::qdq::differ(int64_t lhs, int64_t rhs) {
  return ShapedType::isStatic(lhs) && ShapedType::isStatic(rhs) && lhs != rhs;
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

LogicalResult
ForeignOp::attempt(function_ref<LogicalResult()> translate) const {
  Operation *before = op->getPrevNode();
  if (succeeded(translate()))
    return success();
  for (Operation *made = op->getPrevNode(); made != before;) {
    Operation *unused = made;
    made = made->getPrevNode();
    rewriter.eraseOp(unused);
  }
  return failure();
}

LogicalResult ForeignOp::checkArity(const Arity &arity) const {
  if (op->getNumRegions() || op->getNumSuccessors())
    return refuse("has a region or a successor: expected none");
  if (failed(checkBlockEnd(op, rewriter)))
    return failure();
  unsigned count = op->getNumOperands();
  if (count < arity.least || count > arity.most)
    return refuse("number of operands is ", count, ": expected ", arity.least,
                  arity.most == arity.least ? std::string()
                  : arity.most == kMany ? " or more"
                                        : " or " + std::to_string(arity.most));
  unsigned results = arity.results == kMany ? std::max(op->getNumResults(), 1u)
                                            : arity.results;
  if (op->getNumResults() != results)
    return refuse("number of results is ", op->getNumResults(), ": expected ",
                  results);
  return success();
}

Value ForeignOp::getOperand(unsigned index) const {
  if (index >= op->getNumOperands())
    return nullptr;
  Value operand = op->getOperand(index);
  return isAbsent(operand) ? nullptr : operand;
}

FailureOr<TensorType> ForeignOp::getTensorType(const Twine &name,
                                               Type type) const {
  if (auto tensor = dyn_cast<TensorType>(type))
    return tensor;
  std::string reason = "expected a tensor";
  if (isTorchTensor(type))
    if (TensorType tensor = getBuiltinTensor(type, reason))
      return tensor;
  return refuse(name, " has type ", type, ": ", reason);
}

FailureOr<ForeignTensor> ForeignOp::getTensor(unsigned index,
                                              StringRef name) const {
  Value operand = getOperand(index);
  if (!operand)
    return refuse("has no ", name, ", which is operand ", index);
  FailureOr<TensorType> type = getTensorType(name, operand.getType());
  if (failed(type))
    return failure();
  return ForeignTensor{operand, *type, nullptr};
}

FailureOr<TensorType> ForeignOp::getResultType(unsigned index) const {
  return getTensorType("result " + Twine(index),
                       op->getResult(index).getType());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute ForeignOp::getAttr(StringRef name) const {
  return op->getAttr((getAttributePrefix(op) + name).str());
}

bool ForeignOp::isSet(StringRef flag) const {
  auto attr = dyn_cast_or_null<BoolAttr>(getAttr(flag));
  return attr && attr.getValue();
}

/// The value of an integer attribute or element, if 64 bits hold it.
static std::optional<int64_t> toInt64(const APInt &value, Type type) {
  return APSInt(value, type.isUnsignedInteger()).tryExtValue();
}

FailureOr<int64_t> ForeignOp::getInteger(StringRef name,
                                         int64_t fallback) const {
  Attribute attr = getAttr(name);
  if (!attr)
    return fallback;
  std::optional<int64_t> value;
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    value = toInt64(integer.getValue(), integer.getType());
  if (!value)
    return refuse("attribute '", name, "' is ", attr,
                  ": expected an integer of 64 bits");
  return *value;
}

FailureOr<float> ForeignOp::getFloat(StringRef name, float fallback) const {
  Attribute attr = getAttr(name);
  if (!attr)
    return fallback;
  auto number = dyn_cast<FloatAttr>(attr);
  if (!number || !number.getType().isF32())
    return refuse("attribute '", name, "' is ", attr, ": expected an f32");
  return number.getValue().convertToFloat();
}

FailureOr<StringRef> ForeignOp::getString(StringRef name,
                                          StringRef fallback) const {
  Attribute attr = getAttr(name);
  if (!attr)
    return fallback;
  if (auto string = dyn_cast<StringAttr>(attr))
    return string.getValue();
  return refuse("attribute '", name, "' is ", attr, ": expected a string");
}

LogicalResult mlir::qdq::checkListLength(const ForeignOp &node, Value list,
                                         StringRef name) {
  auto type = dyn_cast<RankedTensorType>(list.getType());
  if (type && type.hasStaticShape() && type.getNumElements() > kMaxListLength)
    return node.refuse(name, " has ", type.getNumElements(),
                       " elements: expected at most ", kMaxListLength);
  return success();
}

FailureOr<int64_t> mlir::qdq::normalizeAxis(const ForeignOp &node, int64_t axis,
                                            int64_t rank) {
  if (axis < -rank || axis >= rank)
    return node.refuse("axis is ", axis, ": expected ", -rank, " to ",
                       rank - 1);
  return axis < 0 ? axis + rank : axis;
}

FailureOr<int64_t> mlir::qdq::getAxis(const ForeignOp &node, int64_t fallback,
                                      int64_t rank) {
  FailureOr<int64_t> axis = node.getInteger("axis", fallback);
  if (failed(axis))
    return failure();
  return normalizeAxis(node, *axis, rank);
}

/// True for elements that are read one by one, as of parameters of all
/// channels. A splat of a few bytes may have more of them than memory.
static bool isList(DenseElementsAttr dense) {
  constexpr int64_t kMaxSplat = 1 << 24;
  return dense.getType().getRank() <= 1 &&
         (!dense.isSplat() || dense.getNumElements() <= kMaxSplat);
}

FailureOr<SmallVector<int64_t>> ForeignOp::getIntegers(StringRef name) const {
  Attribute attr = getAttr(name);
  if (!attr)
    return refuse("has no attribute '", name, "'");
  SmallVector<int64_t> values;
  auto add = [&](const APInt &value, Type type) {
    std::optional<int64_t> element = toInt64(value, type);
    values.push_back(element.value_or(0));
    return element.has_value();
  };
  bool isRead =
      TypeSwitch<Attribute, bool>(attr)
          .Case([&](DenseI64ArrayAttr array) {
            llvm::append_range(values, array.asArrayRef());
            return true;
          })
          .Case([&](DenseIntElementsAttr dense) {
            return isList(dense) &&
                   llvm::all_of(dense.getValues<APInt>(),
                                [&](const APInt &value) {
                                  return add(value, dense.getElementType());
                                });
          })
          .Case([&](ArrayAttr array) {
            return llvm::all_of(array, [&](Attribute element) {
              auto integer = dyn_cast<IntegerAttr>(element);
              return integer && add(integer.getValue(), integer.getType());
            });
          })
          .Default(false);
  if (!isRead)
    return refuse("attribute '", name, "' is ", attr,
                  ": expected a list of s64, such as array<i64: 1>");
  return values;
}

FailureOr<SmallVector<float>> ForeignOp::getFloats(StringRef name) const {
  Attribute attr = getAttr(name);
  if (!attr)
    return refuse("has no attribute '", name, "'");
  SmallVector<float> values;
  bool isRead = TypeSwitch<Attribute, bool>(attr)
                    .Case([&](DenseF32ArrayAttr array) {
                      llvm::append_range(values, array.asArrayRef());
                      return true;
                    })
                    .Case([&](DenseFPElementsAttr dense) {
                      if (!isList(dense) || !dense.getElementType().isF32())
                        return false;
                      llvm::append_range(values, dense.getValues<float>());
                      return true;
                    })
                    .Case([&](ArrayAttr array) {
                      return llvm::all_of(array, [&](Attribute element) {
                        auto number = dyn_cast<FloatAttr>(element);
                        if (!number || !number.getType().isF32())
                          return false;
                        values.push_back(number.getValue().convertToFloat());
                        return true;
                      });
                    })
                    .Default(false);
  if (!isRead)
    return refuse("attribute '", name, "' is ", attr,
                  ": expected a list of f32, such as array<f32: 0.5>");
  return values;
}

void ForeignOp::addCarriedAttributes(OperationState &state) const {
  StringRef own = op->getName().getDialectNamespace();
  for (NamedAttribute attr : op->getDiscardableAttrs()) {
    auto [dialect, name] = attr.getName().getValue().split('.');
    if (!name.empty() && dialect != own)
      state.attributes.push_back(attr);
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult ForeignOp::replace(ValueRange values) const {
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
  return success();
}

TypedAttr mlir::qdq::getConstant(const ForeignTensor &tensor) {
  return tensor.constant ? TypedAttr(tensor.constant)
                         : getConstant(tensor.value, tensor.type);
}

Value ForeignOp::materialize(ForeignTensor tensor) const {
  auto [value, type, constant] = tensor;
  if (constant)
    return createConstant(rewriter, getLoc(), constant);
  Operation *def = value.getDefiningOp();
  if (def && isForeignConstant(def))
    if (TypedAttr attr = getConstant(value, type))
      return createConstant(rewriter, getLoc(), attr);
  if (value.getType() == type)
    return value;
  return castToBuiltinTensor(rewriter, getLoc(), value, type);
}

Value ForeignOp::materializeSingle(ForeignTensor tensor) const {
  auto [value, type, constant] = tensor;
  Type elementType = type.getElementType();
  auto rank0 = RankedTensorType::get({}, elementType);
  if (!constant)
    constant = dyn_cast_or_null<DenseElementsAttr>(getConstant(value, type));
  if (constant) {
    // Constants with a signedness exist only in tensors.
    TypedAttr attr = constant.reshape(rank0);
    if (elementType.isSignlessInteger() || isa<FloatType>(elementType))
      attr = constant.getSplatValue<TypedAttr>();
    return createConstant(rewriter, getLoc(), attr);
  }
  Value single = materialize(tensor);
  if (type.getRank() == 0)
    return single;
  return tensor::CollapseShapeOp::create(rewriter, getLoc(), rank0, single,
                                         ArrayRef<ReassociationIndices>());
}
