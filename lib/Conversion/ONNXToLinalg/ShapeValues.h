// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes as values: small tensors of integers, whose elements are scalars.
// Exporters compute the operands of Reshape, Slice or Expand with them.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_SHAPEVALUES_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_SHAPEVALUES_H

#include "Operators.h"

namespace mlir::qdq {

/// Builds an operator whose operands are constants, or elements known as
/// scalars, on scalars; fails without a reason where it is none.
LogicalResult translateShapeValue(const ForeignOp &node, const Operator &self);

/// `value`, but at least 0.
OpFoldResult clampToSize(ImplicitLocOpBuilder &b, OpFoldResult value);

/// The one element of an operand, signless.
Value readScalar(const ForeignOp &node, const ForeignTensor &operand);

/// An integer of i64 as an attribute, or as a value of type index: the size
/// that it was made of.
OpFoldResult getIndex(ImplicitLocOpBuilder &b, Value integer);

/// The integers of an operand [n], or of an attribute in its place, as values
/// of type index or attributes. Refuses other types, and an open n.
FailureOr<SmallVector<OpFoldResult>>
readIntegers(const ForeignOp &node, unsigned index, StringRef name);

/// True for constants from 0 on, sizes of tensors, and sums, products and the
/// least of those, of which no more than `depth` ops are followed.
bool isNonNegative(OpFoldResult value, int depth = 4);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_SHAPEVALUES_H
