// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of torch-mlir's constants, by the names of their ops.

#include "TorchScalars.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace mlir::qdq;

static Operation *getDef(Value value, StringRef opName) {
  Operation *def = value ? value.getDefiningOp() : nullptr;
  return def && def->getName().getStringRef() == opName ? def : nullptr;
}

/// The value of a `torch.constant` of this kind; null for others.
template <typename AttrTy>
static AttrTy getValueOf(Value value, StringRef opName) {
  Operation *def = getDef(value, opName);
  return def ? def->getAttrOfType<AttrTy>("value") : AttrTy();
}

bool mlir::qdq::isTorchScalar(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name.starts_with("torch.constant.") ||
         name == "torch.prim.ListConstruct";
}

static std::optional<int64_t> getInt(Value value) {
  auto attr = getValueOf<IntegerAttr>(value, "torch.constant.int");
  return attr ? attr.getValue().trySExtValue() : std::nullopt;
}

static std::optional<double> getFloat(Value value) {
  auto attr = getValueOf<FloatAttr>(value, "torch.constant.float");
  if (!attr || !attr.getType().isF64())
    return std::nullopt;
  return attr.getValueAsDouble();
}

static LogicalResult refuseScalar(const ForeignOp &node, unsigned index,
                                  StringRef name, StringRef expected) {
  if (!node.getOperand(index))
    return node.refuse("has no ", name, ", which is operand ", index);
  return node.refuse(name, " (operand ", index, ") is no constant: expected ",
                     expected);
}

FailureOr<int64_t> mlir::qdq::getInt(const ForeignOp &node, unsigned index,
                                     StringRef name) {
  if (std::optional<int64_t> constant = ::getInt(node.getOperand(index)))
    return *constant;
  return refuseScalar(node, index, name, "a torch.constant.int");
}

FailureOr<std::optional<int64_t>>
mlir::qdq::getOptionalInt(const ForeignOp &node, unsigned index,
                          StringRef name) {
  Value value = node.getOperand(index);
  if (!value)
    return std::optional<int64_t>();
  if (std::optional<double> number = ::getFloat(value);
      number && *number == std::trunc(*number) && std::abs(*number) < 0x1p62)
    return std::optional<int64_t>(static_cast<int64_t>(*number));
  FailureOr<int64_t> constant = mlir::qdq::getInt(node, index, name);
  if (failed(constant))
    return failure();
  return std::optional<int64_t>(*constant);
}

FailureOr<double> mlir::qdq::getFloat(const ForeignOp &node, unsigned index,
                                      StringRef name) {
  if (std::optional<double> constant = ::getFloat(node.getOperand(index)))
    return *constant;
  return refuseScalar(node, index, name, "a torch.constant.float");
}

FailureOr<std::string> mlir::qdq::getString(const ForeignOp &node,
                                            unsigned index, StringRef name) {
  if (auto attr =
          getValueOf<StringAttr>(node.getOperand(index), "torch.constant.str"))
    return attr.getValue().str();
  return refuseScalar(node, index, name, "a torch.constant.str");
}

FailureOr<bool> mlir::qdq::getOptionalBool(const ForeignOp &node,
                                           unsigned index, StringRef name) {
  Value value = node.getOperand(index);
  if (!value)
    return false;
  if (auto attr = getValueOf<BoolAttr>(value, "torch.constant.bool"))
    return attr.getValue();
  return refuseScalar(node, index, name, "a torch.constant.bool");
}

FailureOr<SmallVector<int64_t>>
mlir::qdq::getIntList(const ForeignOp &node, unsigned index, StringRef name) {
  Operation *list = getDef(node.getOperand(index), "torch.prim.ListConstruct");
  SmallVector<int64_t> values;
  auto add = [&](Value element) {
    std::optional<int64_t> constant = ::getInt(element);
    values.push_back(constant.value_or(0));
    return constant.has_value();
  };
  if (list && llvm::all_of(list->getOperands(), add))
    return values;
  return refuseScalar(node, index, name,
                      "a torch.prim.ListConstruct of torch.constant.int");
}

FailureOr<Type> mlir::qdq::getDtype(const ForeignOp &node, unsigned index,
                                    StringRef name) {
  if (!node.getOperand(index))
    return Type();
  FailureOr<int64_t> number = mlir::qdq::getInt(node, index, name);
  if (failed(number))
    return failure();
  // c10/core/ScalarType.h; empty where it is no type of ours.
  constexpr StringLiteral kNames[] = {
      "ui8",  "i8",   "i16",    "i32",      "i64",        "f16",        "f32",
      "f64",  "",     "",       "",         "i1",         "",           "",
      "",     "bf16", "",       "",         "",           "",           "",
      "",     "",     "f8E5M2", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "ui16",
      "ui32", "ui64", "ui1",    "ui2",      "ui3",        "ui4",        "ui5",
      "ui6",  "ui7",  "i1",     "i2",       "i3",         "i4",         "i5",
      "i6",   "i7"};
  if (*number < 0 || *number >= int64_t(std::size(kNames)) ||
      kNames[*number].empty())
    return node.refuse(name, " is ", *number,
                       ": expected the number of a real or quantized type, "
                       "such as 6 (f32), 1 (i8) or 0 (ui8)");
  return parseType(kNames[*number], node.getRewriter().getContext());
}
