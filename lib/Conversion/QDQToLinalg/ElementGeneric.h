// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linalg.generic of an op that makes one element of each element.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_ELEMENTGENERIC_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_ELEMENTGENERIC_H

#include "IterationSpace.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

// ElementGeneric.cpp

/// The sizes of `tensor`. Those of a generic's result are read off its
/// tensor.empty: upstream resolves a tensor.dim of the result through every op
/// of a chain, which is quadratic.
SmallVector<OpFoldResult> getSizes(ImplicitLocOpBuilder &b, Value tensor);

struct ElementGeneric {
  /// Expands operand 0 of `op`, a ranked tensor, to the loops of `space`.
  ElementGeneric(ImplicitLocOpBuilder &b, Operation *op,
                 const IterationSpace &space);

  /// Builds an element of the result. `arguments` belong to the operands, the
  /// first of them is `element`.
  using Body = function_ref<Value(ImplicitLocOpBuilder &b, Value element,
                                  ValueRange arguments)>;

  /// Creates the generic; returns what replaces the result of the op.
  Value create(ImplicitLocOpBuilder &b, Body body);

  /// The input, and behind it what is added for the body.
  SmallVector<MappedParameter> operands;
  /// Of the loops.
  SmallVector<OpFoldResult> extents;

private:
  Operation *op;
  const IterationSpace &space;
};

// BodyParameter.cpp

/// A constant made in the body, a scalar from outside, an operand, or an
/// element that the body loads.
class BodyParameter {
public:
  /// `value` may be null. Operands are added to `operands`; `dims` says how the
  /// parameter lies in the value.
  BodyParameter(ImplicitLocOpBuilder &b, const IterationSpace &space,
                Value value, ArrayRef<ParameterDim> dims,
                SmallVectorImpl<MappedParameter> &operands);

  /// The scalar for one element; `arguments` belong to the operands.
  Value get(ImplicitLocOpBuilder &b, ValueRange arguments) const;

private:
  TypedAttr constant;
  Value scalar;
  std::optional<MappedParameter> loaded;
  std::optional<unsigned> position;

  Value load(ImplicitLocOpBuilder &b) const;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_ELEMENTGENERIC_H
