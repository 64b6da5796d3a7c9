// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of element types on the ops that only carry values along.

#include "qdq/IR/TypeRewrite.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "qdq/Numerics/Storage.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// The ops that may be retyped
//===----------------------------------------------------------------------===//

/// Ops that carry elements without reading them, and that no interface tells
/// from ops that do: docs/Rationale.md.
static bool isCarrier(OperationName name) {
  constexpr StringLiteral kDialects[] = {"affine", "bufferization", "builtin",
                                         "memref", "ml_program",    "tensor",
                                         "ub"};
  constexpr StringLiteral kVectorOps[] = {
      "bitcast",        "broadcast",     "deinterleave",
      "extract",        "from_elements", "extract_strided_slice",
      "insert",         "interleave",    "insert_strided_slice",
      "load",           "shape_cast",    "shuffle",
      "store",          "to_elements",   "transfer_read",
      "transfer_write", "transpose"};
  constexpr StringLiteral kOps[] = {"arith.constant",   "func.constant",
                                    "gpu.launch_func",  "linalg.pack",
                                    "linalg.broadcast", "linalg.transpose",
                                    "linalg.unpack",    "shape.shape_of"};
  StringRef dialect = name.getDialectNamespace();
  return llvm::is_contained(kDialects, dialect) ||
         (dialect == "vector" &&
          llvm::is_contained(kVectorOps, name.stripDialect())) ||
         llvm::is_contained(kOps, name.getStringRef());
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

bool mlir::qdq::allAttributes(Operation *op, AttributeScope scope,
                              function_ref<bool(Attribute)> holds) {
  std::optional<RegisteredOperationName> info = op->getRegisteredInfo();
  if (!info || !op->getPropertiesStorageSize())
    return llvm::all_of(op->getAttrs(), [&](NamedAttribute attr) {
      return (scope == AttributeScope::Own &&
              !op->getInherentAttr(attr.getName())) ||
             holds(attr.getValue());
    });
  auto holdsInherent = [&](StringAttr name) {
    Attribute attr = op->getInherentAttr(name).value_or(nullptr);
    return !attr || holds(attr);
  };
  return llvm::all_of(info->getAttributeNames(), holdsInherent) &&
         (scope == AttributeScope::Own ||
          llvm::all_of(op->getDiscardableAttrs(), [&](NamedAttribute attr) {
            return holds(attr.getValue());
          }));
}

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
  auto replaceBy = [](Attribute attr) {
    return NewAttribute(attr, WalkResult::skip());
  };
  // Constants keep their bytes: only the type on them changes.
  replacer.addReplacement([this, replaceBy](DenseIntOrFPElementsAttr attr) {
    auto type = cast<ShapedType>(rewrite(attr.getType()));
    return replaceBy(attr.bitcast(type.getElementType()));
  });
  replacer.addReplacement([this, replaceBy](DenseResourceElementsAttr attr) {
    auto type = cast<ShapedType>(rewrite(attr.getType()));
    return replaceBy(DenseResourceElementsAttr::get(type, attr.getRawHandle()));
  });
  // Strings are no elements of a storage type.
  replacer.addReplacement(
      [=](DenseStringElementsAttr attr) { return replaceBy(attr); });
  if (scope == AttributeScope::Own)
    replacer.addReplacement(
        [=](DictionaryAttr attr) { return replaceBy(attr); });
}

DictionaryAttr TypeRewriter::rewriteAttributes(Operation *op) {
  DictionaryAttr attributes = op->getAttrDictionary();
  NamedAttrList all(attributes);
  for (NamedAttribute attr : attributes)
    if (scope == AttributeScope::All || op->getInherentAttr(attr.getName()))
      all.set(attr.getName(), rewrite(attr.getValue()));
  return all.getDictionary(op->getContext());
}

bool TypeRewriter::isLegal(Operation *op, const TypeConverter &converter) {
  return converter.isLegal(op) &&
         llvm::all_of(op->getRegions(),
                      [&](Region &r) { return converter.isLegal(&r); }) &&
         allAttributes(op, scope,
                       [&](Attribute attr) { return rewrite(attr) == attr; });
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

TypedAttr mlir::qdq::toSignless(ElementsAttr elements) {
  auto type = cast<ShapedType>(toSignless(elements.getType()));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return cast<DenseElementsAttr>(elements).bitcast(type.getElementType());
}

Value mlir::qdq::createConstant(OpBuilder &b, Location loc, TypedAttr value) {
  Type type = value.getType();
  if (arith::ConstantOp::isBuildableWith(value, type))
    return arith::ConstantOp::create(b, loc, value);
  TypedAttr signless = toSignless(cast<ElementsAttr>(value));
  return castElementType(b, loc, arith::ConstantOp::create(b, loc, signless),
                         type);
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
    TypeRewriter typeRewriter(rule, scope);
    if (typeRewriter.isLegal(op, *getTypeConverter()))
      return rewriter.notifyMatchFailure(op, "has no type to change");
    DictionaryAttr attributes = typeRewriter.rewriteAttributes(op);
    Operation *converted = op;
    if (TypeRange(types) == op->getResultTypes()) {
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperands(operands);
        op->setAttrs(attributes);
      });
    } else {
      OperationState state(op->getLoc(), op->getName(), operands, types,
                           attributes.getValue(), op->getSuccessors());
      for (unsigned i = 0; i < op->getNumRegions(); ++i)
        state.addRegion();
      converted = rewriter.create(state);
      for (auto [from, to] :
           llvm::zip_equal(op->getRegions(), converted->getRegions()))
        rewriter.inlineRegionBefore(from, to, to.end());
    }
    for (Region &region : converted->getRegions())
      if (failed(rewriter.convertRegionTypes(&region, *getTypeConverter())))
        return failure();
    if (converted != op)
      rewriter.replaceOp(op, converted);
    return success();
  }

private:
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

void mlir::qdq::populateTypeAgnosticOpLegality(ConversionTarget &target,
                                               const TypeConverter &converter,
                                               const ElementRule &rule,
                                               AttributeScope scope) {
  auto rewriter = std::make_shared<TypeRewriter>(rule, scope);
  target.markUnknownOpDynamicallyLegal([&converter, rewriter](Operation *op) {
    return rewriter->isLegal(op, converter) || !isTypeAgnostic(op);
  });
}

LogicalResult mlir::qdq::convertTypes(Operation *root,
                                      const ConversionTarget &target,
                                      RewritePatternSet &&patterns,
                                      RewriterBase::Listener *listener) {
  // The driver does not visit unreachable blocks: their types would stay.
  IRRewriter rewriter(root->getContext());
  (void)eraseUnreachableBlocks(rewriter, root->getRegions());
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  config.allowPatternRollback = false;
  config.listener = listener;
  return applyPartialConversion(root, target, std::move(patterns), config);
}
