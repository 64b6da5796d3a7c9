// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of float operators: a name, and the function that builds it.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_OPERATORS_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_OPERATORS_H

#include "../ForeignOps/ForeignOp.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The elements at one place, as the body of an elementwise operator sees them:
/// signless, floats of less than 32 bits as f32.
struct Elements {
  SmallVector<Value> x;
  bool isUnsigned;
  /// The attributes of these names.
  float alpha, beta;

  Type getType() const { return x[0].getType(); }
  bool areFloats() const { return isa<FloatType>(getType()); }
};

struct Operator {
  StringLiteral name;
  LogicalResult (*translate)(const ForeignOp &node, const Operator &self);
  /// The computation of an elementwise operator or a reduction.
  Value (*emit)(ImplicitLocOpBuilder &b, const Elements &elements) = nullptr;
  /// Where the attributes are absent.
  float alpha = 0, beta = 0;
};

/// One table for each file.
ArrayRef<Operator> getElementwiseOperators();
ArrayRef<Operator> getProductOperators();
ArrayRef<Operator> getPoolOperators();
ArrayRef<Operator> getReductionOperators();
ArrayRef<Operator> getNormalizationOperators();
ArrayRef<Operator> getShapeOperators();
ArrayRef<Operator> getSliceOperators();
ArrayRef<Operator> getResizeOperators();

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_OPERATORS_H
