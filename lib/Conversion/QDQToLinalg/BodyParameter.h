// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scale or zero point in the body of a generic.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_BODYPARAMETER_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_BODYPARAMETER_H

#include "IterationSpace.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

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

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_BODYPARAMETER_H
