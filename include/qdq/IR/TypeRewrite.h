// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of element types on the ops that only carry values along.

#ifndef QDQ_IR_TYPEREWRITE_H
#define QDQ_IR_TYPEREWRITE_H

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/Transforms/DialectConversion.h"
#include <functional>

namespace mlir::qdq {

/// True for ops that carry values without reading their elements: functions,
/// calls, branches, ops with regions that branch, selects (all by interface),
/// and a list of ops that move or hold elements. A terminator is as its parent,
/// whose values it hands over.
bool isTypeAgnostic(Operation *op);

/// `value` as `type`, of the same shape and element width: the value itself, a
/// `tensor.bitcast`, or a `builtin.unrealized_conversion_cast` where that is no
/// tensor.
Value castElementType(OpBuilder &b, Location loc, Value value, Type type);

/// The same elements, signless; of a `dense` or `dense_resource`.
TypedAttr toSignless(ElementsAttr elements);

/// A constant of `value`; a signless one that is cast where arith.constant does
/// not have the signedness (MLIR 23).
Value createConstant(OpBuilder &b, Location loc, TypedAttr value);

/// `value` with a signless element type: arith works on no other integers.
Value asSignless(OpBuilder &b, Location loc, Value value);

/// Which attributes of an op are meant: all, or those that the op itself
/// defines and no dictionaries, which hold other people's words (argument
/// attributes).
enum class AttributeScope { All, Own };

/// True if `holds` does for all attributes of `op`, or for those that it itself
/// defines. Makes no dictionary of them, as `getAttrDictionary` does each time.
bool allAttributes(Operation *op, AttributeScope scope,
                   function_ref<bool(Attribute)> holds);

/// Gives the new element type, or null for a type that it does not change.
using ElementRule = std::function<Type(Type)>;

/// Maps element types inside builtin types (tensors, vectors, memrefs, tuples,
/// function types) and the attributes typed with them. Types of other dialects
/// stay as they are, whatever they hold. Cached: one visit of each type and
/// attribute.
class TypeRewriter {
public:
  TypeRewriter(ElementRule rule, AttributeScope scope);

  Type rewrite(Type type) { return replacer.replace(type); }
  Attribute rewrite(Attribute attr) { return replacer.replace(attr); }
  DictionaryAttr rewriteAttributes(Operation *op);

  /// True if neither `converter` nor this changes anything of `op`.
  bool isLegal(Operation *op, const TypeConverter &converter);

private:
  AttrTypeReplacer replacer;
  AttributeScope scope;
};

/// Adds the types that `rule` changes, inside builtin types, and
/// `castElementType` as materialization.
void populateElementTypeConversions(TypeConverter &converter,
                                    const ElementRule &rule);

/// One pattern for all type-agnostic ops: the same op on converted values.
void populateTypeAgnosticOpPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns,
                                    const ElementRule &rule,
                                    AttributeScope scope,
                                    PatternBenefit benefit = 1);

/// Type-agnostic ops are legal if they have no type or attribute to change; all
/// other ops are.
void populateTypeAgnosticOpLegality(ConversionTarget &target,
                                    const TypeConverter &converter,
                                    const ElementRule &rule,
                                    AttributeScope scope);

/// Upstream's partial conversion, which folds nothing and keeps no copy to roll
/// back to: for ops that are known to be convertible. Unreachable blocks, which
/// upstream's driver does not visit, go.
LogicalResult convertTypes(Operation *root, const ConversionTarget &target,
                           RewritePatternSet &&patterns,
                           RewriterBase::Listener *listener = nullptr);

} // namespace mlir::qdq

#endif // QDQ_IR_TYPEREWRITE_H
