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
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "qdq/Numerics/Storage.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// The ops that may be retyped
//===----------------------------------------------------------------------===//

/// Ops that carry elements without reading them, and that no interface tells
/// from ops that do: docs/Rationale.md.
static bool isCarrier(OperationName name) {
  return llvm::StringSwitch<bool>(name.getDialectNamespace())
             .Cases({"affine", "bufferization", "memref"}, true)
             .Cases({"ml_program", "tensor", "ub"}, true)
             .Default(false) ||
         llvm::StringSwitch<bool>(name.getStringRef())
             .Cases({"arith.constant", "func.constant"}, true)
             .Cases({"builtin.module", "builtin.unrealized_conversion_cast"},
                    true)
             .Cases({"gpu.launch_func", "shape.shape_of"}, true)
             .Cases({"linalg.transpose", "linalg.broadcast"}, true)
             .Cases({"linalg.pack", "linalg.unpack"}, true)
             .Cases({"vector.bitcast", "vector.broadcast"}, true)
             .Cases({"vector.shape_cast", "vector.transpose"}, true)
             .Cases({"vector.extract", "vector.insert", "vector.shuffle"}, true)
             .Cases({"vector.extract_strided_slice",
                     "vector.insert_strided_slice"},
                    true)
             .Cases({"vector.from_elements", "vector.to_elements"}, true)
             .Cases({"vector.interleave", "vector.deinterleave"}, true)
             .Cases({"vector.load", "vector.store"}, true)
             .Cases({"vector.transfer_read", "vector.transfer_write"}, true)
             .Default(false);
}

bool mlir::qdq::isTypeAgnostic(Operation *op) {
  // Unregistered terminators (a serialized "onnx.Return") count, but the last
  // op of a module is none.
  Operation *parent = op->getParentOp();
  if (parent && !isa<ModuleOp>(parent) && op == &op->getBlock()->back() &&
      op->getNumResults() == 0 && op->mightHaveTrait<OpTrait::IsTerminator>())
    return isTypeAgnostic(parent);
  if (isCarrier(op->getName()))
    return true;
  // These dialects give their own meaning to types: two read the signedness,
  // `async` wraps results in a type of its own.
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "async" || dialect == "emitc" || dialect == "spirv")
    return false;
  return isa<FunctionOpInterface, CallOpInterface, BranchOpInterface,
             RegionBranchOpInterface, SelectLikeOpInterface>(op);
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

TypeRewriter::TypeRewriter(ElementRule rule, AttributeScope scope)
    : scope(scope) {
  using NewType = std::pair<Type, WalkResult>;
  using NewAttribute = std::pair<Attribute, WalkResult>;
  replacer.addReplacement([rule](Type type) -> std::optional<NewType> {
    if (Type element = rule(type))
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

DictionaryAttr TypeRewriter::rewriteAttributes(Operation *op) {
  DictionaryAttr attributes = op->getAttrDictionary();
  NamedAttrList changed;
  for (NamedAttribute attr : attributes) {
    Attribute value = rewrite(attr.getValue());
    if (value != attr.getValue() &&
        (scope == AttributeScope::All || op->getInherentAttr(attr.getName())))
      changed.append(attr.getName(), value);
  }
  if (changed.empty())
    return attributes;
  NamedAttrList all(attributes);
  for (NamedAttribute attr : changed)
    all.set(attr.getName(), attr.getValue());
  return all.getDictionary(op->getContext());
}

bool TypeRewriter::isLegal(Operation *op, const TypeConverter &converter) {
  return converter.isLegal(op) &&
         llvm::all_of(op->getRegions(),
                      [&](Region &r) { return converter.isLegal(&r); }) &&
         rewriteAttributes(op) == op->getAttrDictionary();
}

//===----------------------------------------------------------------------===//
// Casts between retyped and other ops
//===----------------------------------------------------------------------===//

Value mlir::qdq::castElementType(OpBuilder &b, Location loc, Value value,
                                 Type type) {
  if (value.getType() == type)
    return value;
  if (isa<TensorType>(type) && getElementTypeOrSelf(type).isIntOrFloat() &&
      getElementTypeOrSelf(value).isIntOrFloat())
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

//===----------------------------------------------------------------------===//
// Dialect conversion
//===----------------------------------------------------------------------===//

namespace {
/// A type-agnostic op on converted values: the same op, with the types of its
/// operands. A cast that has become the identity goes.
struct RetypeOp : ConversionPattern {
  RetypeOp(const TypeConverter &converter, MLIRContext *ctx,
           const ElementRule &rule, AttributeScope scope,
           PatternBenefit benefit)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), benefit, ctx),
        rule(rule), scope(scope) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isTypeAgnostic(op))
      return rewriter.notifyMatchFailure(op, "reads elements");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "has a type without conversion");
    if (isa<tensor::BitcastOp, UnrealizedConversionCastOp>(op) &&
        TypeRange(types) == ValueRange(operands).getTypes()) {
      rewriter.replaceOp(op, operands);
      return success();
    }
    DictionaryAttr attributes = TypeRewriter(rule, scope).rewriteAttributes(op);
    if (TypeRange(types) == op->getResultTypes()) {
      if (attributes == op->getAttrDictionary() &&
          ValueRange(operands).getTypes() == op->getOperandTypes() &&
          llvm::all_of(op->getRegions(), [&](Region &region) {
            return getTypeConverter()->isLegal(&region);
          }))
        return rewriter.notifyMatchFailure(op, "has no type to change");
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperands(operands);
        op->setAttrs(attributes);
      });
      return convertRegions(op, rewriter);
    }
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         attributes.getValue(), op->getSuccessors());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    Operation *converted = rewriter.create(state);
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), converted->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.end());
    if (failed(convertRegions(converted, rewriter)))
      return failure();
    rewriter.replaceOp(op, converted);
    return success();
  }

private:
  LogicalResult convertRegions(Operation *op,
                               ConversionPatternRewriter &rewriter) const {
    for (Region &region : op->getRegions())
      if (failed(rewriter.convertRegionTypes(&region, *getTypeConverter())))
        return failure();
    return success();
  }

  ElementRule rule;
  AttributeScope scope;
};
} // namespace

void mlir::qdq::populateElementTypeConversions(TypeConverter &converter,
                                               const ElementRule &rule) {
  converter.addConversion([rule](Type type) -> std::optional<Type> {
    Type changed = TypeRewriter(rule, AttributeScope::All).rewrite(type);
    return changed == type ? std::nullopt : std::optional<Type>(changed);
  });
  auto cast = [](OpBuilder &b, Type type, ValueRange values, Location loc) {
    return values.size() == 1 ? castElementType(b, loc, values[0], type)
                              : Value();
  };
  converter.addSourceMaterialization(cast);
  converter.addTargetMaterialization(cast);
}

void mlir::qdq::populateTypeAgnosticOpPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns,
                                               const ElementRule &rule,
                                               AttributeScope scope,
                                               PatternBenefit benefit) {
  patterns.add<RetypeOp>(converter, patterns.getContext(), rule, scope,
                         benefit);
}

//===----------------------------------------------------------------------===//
// In place, for whole modules
//===----------------------------------------------------------------------===//

void TypeRewriter::retype(Operation *op) {
  for (Value result : op->getResults())
    result.setType(rewrite(result.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(rewrite(argument.getType()));
  DictionaryAttr attributes = rewriteAttributes(op);
  if (attributes != op->getAttrDictionary())
    op->setAttrs(attributes);
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
