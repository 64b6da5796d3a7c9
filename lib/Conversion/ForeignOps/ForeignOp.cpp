// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view of an op of another dialect.

#include "ForeignOp.h"
#include "ForeignConstant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/TorchTypes/TorchTypes.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isSingle(TensorType type) {
  return type.hasRank() &&
         llvm::all_of(type.getShape(), [](int64_t size) { return size == 1; });
}

ForeignTensor mlir::qdq::getSingle(FloatType type, double value) {
  return toForeign(DenseElementsAttr::get(
      RankedTensorType::get({}, type), Attribute(FloatAttr::get(type, value))));
}

LogicalResult mlir::qdq::checkSameShape(const ForeignOp &node,
                                        StringRef lhsName, TensorType lhs,
                                        StringRef rhsName, TensorType rhs) {
  if (succeeded(verifyCompatibleShape(lhs, rhs)))
    return success();
  return node.refuse(lhsName, " ", lhs, " and ", rhsName, " ", rhs,
                     " differ in shape");
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

// The value of an attribute: a 64-bit integer, an f32, a text; nothing where it
// is another number.

static std::optional<int64_t> read(const APInt &value, Type type) {
  return APSInt(value, type.isUnsignedInteger()).tryExtValue();
}

static std::optional<float> read(const APFloat &value, Type type) {
  return type.isF32() ? std::optional(value.convertToFloat()) : std::nullopt;
}

static std::optional<StringRef> read(StringRef text, Type) { return text; }

/// An attribute that is an `Element`.
template <typename Element, typename T>
static FailureOr<T> readAttr(const ForeignOp &node, StringRef name, T fallback,
                             StringRef expected) {
  Attribute attr = node.getAttr(name);
  if (!attr)
    return fallback;
  if (auto element = dyn_cast<Element>(attr))
    if (auto value = read(element.getValue(), element.getType()))
      return *value;
  return node.refuse("attribute '", name, "' is ", attr, ": expected ",
                     expected);
}

FailureOr<int64_t> ForeignOp::getInteger(StringRef name,
                                         int64_t fallback) const {
  return readAttr<IntegerAttr>(*this, name, fallback, "an integer of 64 bits");
}

FailureOr<float> ForeignOp::getFloat(StringRef name, float fallback) const {
  return readAttr<FloatAttr>(*this, name, fallback, "an f32");
}

FailureOr<StringRef> ForeignOp::getString(StringRef name,
                                          StringRef fallback) const {
  return readAttr<StringAttr>(*this, name, fallback, "a string");
}

LogicalResult mlir::qdq::checkListLength(const ForeignOp &node, Value list,
                                         StringRef name) {
  auto type = dyn_cast<RankedTensorType>(list.getType());
  if (type && type.hasStaticShape() && type.getNumElements() > kMaxListLength)
    return node.refuse(name, " has ", type.getNumElements(),
                       " elements: expected at most ", kMaxListLength);
  return success();
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

/// An attribute that is a list: an `Array`, a `Dense`, or one of `Element`s.
template <typename T, typename Array, typename Dense, typename Element>
static FailureOr<SmallVector<T>> readList(const ForeignOp &node, StringRef name,
                                          StringRef expected) {
  Attribute attr = node.getAttr(name);
  if (!attr)
    return node.refuse("has no attribute '", name, "'");
  if (auto array = dyn_cast<Array>(attr))
    return SmallVector<T>(array.asArrayRef());
  SmallVector<T> values;
  auto add = [&](const auto &element, Type type) {
    std::optional<T> value = read(element, type);
    values.push_back(value.value_or(0));
    return value.has_value();
  };
  auto addAttr = [&](Attribute attr) {
    auto element = dyn_cast<Element>(attr);
    return element && add(element.getValue(), element.getType());
  };
  auto addElement = [&](const decltype(Element().getValue()) &element) {
    return add(element, cast<Dense>(attr).getElementType());
  };
  auto dense = dyn_cast<Dense>(attr);
  auto array = dyn_cast<ArrayAttr>(attr);
  // An empty list has a type, too.
  bool isOfType =
      dense && (std::is_same_v<T, int64_t> || dense.getElementType().isF32());
  if ((isOfType && isList(dense) && llvm::all_of(dense, addElement)) ||
      (array && llvm::all_of(array, addAttr)))
    return values;
  return node.refuse("attribute '", name, "' is ", attr,
                     ": expected a list of ", expected);
}

FailureOr<SmallVector<int64_t>> ForeignOp::getIntegers(StringRef name) const {
  return readList<int64_t, DenseI64ArrayAttr, DenseIntElementsAttr,
                  IntegerAttr>(*this, name, "s64, such as array<i64: 1>");
}

FailureOr<SmallVector<float>> ForeignOp::getFloats(StringRef name) const {
  return readList<float, DenseF32ArrayAttr, DenseFPElementsAttr, FloatAttr>(
      *this, name, "f32, such as array<f32: 0.5>");
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
  if (!tensor)
    return nullptr;
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
  if (!tensor)
    return nullptr;
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

Value ForeignOp::materializeParameter(const ForeignTensor &tensor) const {
  return tensor && isSingle(tensor.type) ? materializeSingle(tensor)
                                         : materialize(tensor);
}
