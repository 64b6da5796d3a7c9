// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The spellings of constants in other dialects.

#include "ForeignConstant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "qdq/Conversion/TorchTypes/TorchTypes.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef mlir::qdq::getForeignName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name != kTorchOperator)
    return name;
  auto inner = op->getAttrOfType<StringAttr>("name");
  return inner ? inner.getValue() : name;
}

StringRef mlir::qdq::getAttributePrefix(Operation *op) {
  return op->getName().getStringRef() == kTorchOperator ? "torch.onnx." : "";
}

bool mlir::qdq::isForeignConstant(Operation *op) {
  StringRef name = getForeignName(op);
  return name == "onnx.Constant" || name == "onnx.NoValue" ||
         name == "torch.vtensor.literal" || name == "torch.constant.none";
}

bool mlir::qdq::isAbsent(Value operand) {
  Operation *op = operand.getDefiningOp();
  return isa<NoneType>(operand.getType()) || isTorchNone(operand.getType()) ||
         (op && getForeignName(op) == "onnx.NoValue");
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The array of `value_floats` or `value_ints`, as a tensor of rank 1.
template <typename AttrTy>
static DenseElementsAttr getRank1(Attribute list, Type elementType) {
  SmallVector<Attribute> elements;
  if (auto floats = dyn_cast<DenseF32ArrayAttr>(list))
    for (float element : floats.asArrayRef())
      elements.push_back(FloatAttr::get(elementType, element));
  else if (auto integers = dyn_cast<DenseI64ArrayAttr>(list))
    for (int64_t element : integers.asArrayRef())
      elements.push_back(IntegerAttr::get(elementType, element));
  else if (auto array = dyn_cast<ArrayAttr>(list))
    llvm::append_range(elements, array);
  else
    return nullptr;
  for (Attribute &element : elements) {
    auto typed = dyn_cast<AttrTy>(element);
    if (!typed || !typed.getType().isIntOrFloat() ||
        typed.getType().getIntOrFloatBitWidth() !=
            elementType.getIntOrFloatBitWidth())
      return nullptr;
    element = AttrTy::get(elementType, typed.getValue());
  }
  int64_t size = elements.size();
  return DenseElementsAttr::get(RankedTensorType::get(size, elementType),
                                elements);
}

/// The one `value…` attribute of an `onnx.Constant`.
static ElementsAttr getValueOfConstant(Operation *op) {
  Builder b(op->getContext());
  auto get = [&](StringRef name) {
    return op->getAttr((getAttributePrefix(op) + name).str());
  };
  if (auto elements = dyn_cast_or_null<ElementsAttr>(get("value")))
    return elements;
  if (Attribute list = get("value_floats"))
    return getRank1<FloatAttr>(list, b.getF32Type());
  if (Attribute list = get("value_ints"))
    return getRank1<IntegerAttr>(list, b.getI64Type());
  if (auto single = dyn_cast_or_null<FloatAttr>(get("value_float")))
    return DenseElementsAttr::get(RankedTensorType::get({}, single.getType()),
                                  Attribute(single));
  if (auto single = dyn_cast_or_null<IntegerAttr>(get("value_int")))
    if (isa<IntegerType>(single.getType()))
      return DenseElementsAttr::get(RankedTensorType::get({}, single.getType()),
                                    Attribute(single));
  return nullptr;
}

TypedAttr mlir::qdq::getConstant(Value value, ShapedType type) {
  ElementsAttr attr;
  Operation *op = value.getDefiningOp();
  if (op && getForeignName(op) == "onnx.Constant")
    attr = getValueOfConstant(op);
  else if (op && getForeignName(op) == "torch.vtensor.literal")
    attr = op->getAttrOfType<ElementsAttr>("value");
  else
    matchPattern(value, m_Constant(&attr));
  // A number is no weight: it belongs where it is used, and few compilers read
  // one from a resource. Elements of less than a byte are packed in those of
  // torch-mlir, and have a byte each in ours.
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(attr);
      resource && (resource.getNumElements() == 1 ||
                   (resource.getElementType().isIntOrFloat() &&
                    resource.getElementType().getIntOrFloatBitWidth() < 8)))
    if (DenseElementsAttr read = readResource(resource))
      attr = read;
  if (!attr || attr.getShapedType() == type)
    return attr;

  // The same bits under another signedness, as between torch-mlir's types and
  // builtin ones.
  ShapedType own = attr.getShapedType();
  auto from = dyn_cast<IntegerType>(own.getElementType());
  auto to = dyn_cast<IntegerType>(type.getElementType());
  if (!from || !to || from.getWidth() != to.getWidth() || own.clone(to) != type)
    return nullptr;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    return dense.bitcast(to);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return nullptr;
}

void mlir::qdq::eraseDeadForeignOps(Operation *root,
                                    function_ref<bool(Operation *)> isOwn) {
  root->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (!op->use_empty() || op->getNumRegions() || op->getNumSuccessors() ||
        standsForTerminator(op))
      return;
    if (isForeignConstant(op) ||
        op->getName().getStringRef() == kFromBuiltinTensor ||
        isa<tensor::BitcastOp>(op) || isOwn(op))
      op->erase();
  });
}
