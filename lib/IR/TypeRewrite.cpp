// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of element types, made in place on the ops that only carry values
// along.

#include "qdq/IR/TypeRewrite.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "qdq/Numerics/Storage.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// The ops that may be retyped
//===----------------------------------------------------------------------===//

/// Dialects all of whose ops carry elements without reading them.
static bool isCarrierDialect(StringRef dialect) {
  return llvm::StringSwitch<bool>(dialect)
      .Cases({"affine", "bufferization", "cf", "func", "memref"}, true)
      .Cases({"ml_program", "scf", "tensor", "ub"}, true)
      .Default(false);
}

/// Ops of other dialects that carry elements without reading them.
static bool isCarrierOp(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"arith.constant", "arith.select"}, true)
      .Cases({"builtin.module", "builtin.unrealized_conversion_cast"}, true)
      .Cases({"gpu.launch_func", "shape.shape_of"}, true)
      .Cases({"linalg.transpose", "linalg.broadcast"}, true)
      .Cases({"linalg.pack", "linalg.unpack"}, true)
      .Cases({"vector.bitcast", "vector.broadcast"}, true)
      .Cases({"vector.shape_cast", "vector.transpose"}, true)
      .Cases({"vector.extract", "vector.insert", "vector.shuffle"}, true)
      .Cases({"vector.extract_strided_slice", "vector.insert_strided_slice"},
             true)
      .Cases({"vector.from_elements", "vector.to_elements"}, true)
      .Cases({"vector.interleave", "vector.deinterleave"}, true)
      .Cases({"vector.load", "vector.store"}, true)
      .Cases({"vector.transfer_read", "vector.transfer_write"}, true)
      .Default(false);
}

/// Dialects whose functions and calls keep their types: two read the
/// signedness, `async` wraps results in a type of its own.
static bool keepsFunctionTypes(StringRef dialect) {
  return dialect == "async" || dialect == "emitc" || dialect == "spirv";
}

bool mlir::qdq::isTypeAgnostic(Operation *op) {
  // Unregistered terminators (a serialized "onnx.Return") count, but the last
  // op of a module is none.
  Operation *parent = op->getParentOp();
  if (parent && !isa<ModuleOp>(parent) && op == &op->getBlock()->back() &&
      op->getNumResults() == 0 && op->mightHaveTrait<OpTrait::IsTerminator>())
    return isTypeAgnostic(parent);
  StringRef dialect = op->getName().getDialectNamespace();
  if (isCarrierDialect(dialect) || isCarrierOp(op->getName().getStringRef()))
    return true;
  return isa<FunctionOpInterface, CallOpInterface>(op) &&
         !keepsFunctionTypes(dialect);
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

TypeRewriter::TypeRewriter(std::function<Type(Type)> rewriteElement,
                           AttributeScope scope)
    : scope(scope) {
  using NewType = std::pair<Type, WalkResult>;
  using NewAttribute = std::pair<Attribute, WalkResult>;
  replacer.addReplacement(
      [rewriteElement](Type type) -> std::optional<NewType> {
        if (Type element = rewriteElement(type))
          return NewType(element, WalkResult::skip());
        if (isa<BuiltinDialect>(type.getDialect()))
          return std::nullopt;
        return NewType(type, WalkResult::skip());
      });
  // Constants keep their bytes: only the type on them changes.
  replacer.addReplacement(
      [this](DenseIntOrFPElementsAttr attr) -> std::optional<NewAttribute> {
        auto type = cast<ShapedType>(rewrite(attr.getType()));
        if (type == attr.getType())
          return NewAttribute(attr, WalkResult::skip());
        return NewAttribute(attr.bitcast(type.getElementType()),
                            WalkResult::skip());
      });
  replacer.addReplacement(
      [this](DenseResourceElementsAttr attr) -> std::optional<NewAttribute> {
        auto type = cast<ShapedType>(rewrite(attr.getType()));
        return NewAttribute(
            DenseResourceElementsAttr::get(type, attr.getRawHandle()),
            WalkResult::skip());
      });
  // Strings are no elements of a storage type.
  replacer.addReplacement(
      [](DenseStringElementsAttr attr) -> std::optional<NewAttribute> {
        return NewAttribute(attr, WalkResult::skip());
      });
  if (scope == AttributeScope::Own)
    replacer.addReplacement(
        [](DictionaryAttr attr) -> std::optional<NewAttribute> {
          return NewAttribute(attr, WalkResult::skip());
        });
}

void TypeRewriter::retype(Operation *op) {
  for (Value result : op->getResults())
    result.setType(rewrite(result.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(rewrite(argument.getType()));
  for (NamedAttribute attr : op->getAttrs()) {
    Attribute changed = rewrite(attr.getValue());
    if (changed == attr.getValue())
      continue;
    if (scope == AttributeScope::All || op->getInherentAttr(attr.getName()))
      op->setAttr(attr.getName(), changed);
  }
}

//===----------------------------------------------------------------------===//
// Casts between retyped and other ops
//===----------------------------------------------------------------------===//

Value mlir::qdq::castElementType(OpBuilder &b, Location loc, Value value,
                                 Type type) {
  if (value.getType() == type)
    return value;
  if (isa<TensorType>(type) && getElementTypeOrSelf(type).isIntOrFloat())
    return tensor::BitcastOp::create(b, loc, type, value);
  return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
}

Value mlir::qdq::asSignless(OpBuilder &b, Location loc, Value value) {
  Type type = toSignless(value.getType());
  // The value that was given its signedness, where that is at hand.
  if (auto cast = value.getDefiningOp<tensor::BitcastOp>())
    if (cast.getSource().getType() == type)
      return cast.getSource();
  return castElementType(b, loc, value, type);
}

void mlir::qdq::eraseIfIdentityCast(Operation *op) {
  if (!isa<tensor::BitcastOp, UnrealizedConversionCastOp>(op) ||
      op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      op->getOperand(0).getType() != op->getResult(0).getType())
    return;
  op->replaceAllUsesWith(op->getOperands());
  op->erase();
}

/// Gives the uses of `value` by ops on the other side a cast to `type`;
/// `isAgnostic` is the side of these ops.
static void castUses(Value value, Type type, bool isAgnostic) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    if (isTypeAgnostic(use.getOwner()) == isAgnostic)
      uses.push_back(&use);
  if (uses.empty())
    return;
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  Value cast = castElementType(b, value.getLoc(), value, type);
  for (OpOperand *use : uses)
    use->set(cast);
}

void TypeRewriter::retypeAgnosticOps(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });

  SmallVector<std::pair<Value, Type>> values;
  for (Operation *op : ops) {
    values.clear();
    auto collect = [&](Value value) {
      if (rewrite(value.getType()) != value.getType())
        values.emplace_back(value, value.getType());
    };
    llvm::for_each(op->getResults(), collect);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), collect);
    bool isAgnostic = isTypeAgnostic(op);
    if (isAgnostic)
      retype(op);
    // The other side sees the old type of a retyped value, and a retyped op the
    // new type of any other value. Backwards, since each cast is put right
    // after its value.
    for (auto [value, oldType] : llvm::reverse(values))
      castUses(value, isAgnostic ? oldType : rewrite(oldType), !isAgnostic);
  }
  for (Operation *op : ops)
    eraseIfIdentityCast(op);
}
