// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of results, derived from the shapes of operands, for all qdq ops.

#ifndef QDQ_LIB_IR_OPSHAPES_H
#define QDQ_LIB_IR_OPSHAPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qdq/IR/Granularity.h"

namespace mlir::qdq {

Speculation::Speculatability speculatableIf(bool shapesAgree);

/// Of an op whose result has the shape of `input`. Where shapes may disagree
/// with each other at run time, an op is not hoisted over a guard.
Speculation::Speculatability
getSpeculatabilityOf(Value input, Type result, ValueRange parameters,
                     function_ref<Granularity(Value)> getGranularityOf);

/// The shape of `input` as that of the result of `op`.
LogicalResult reifyInputShape(Operation *op, Value input, OpBuilder &b,
                              ReifiedRankedShapedTypeDims &shapes);

/// True if a value of the shape `expected` has the static sizes that `type`
/// promises, whatever its dynamic sizes are. The static sizes are known to
/// agree. Types that are not ranked tensors promise nothing.
bool isImpliedShape(ArrayRef<int64_t> expected, Type type);

/// `sizes` as a reified shape of `type`: an attribute for each static
/// dimension, a value for each dynamic one.
SmallVector<OpFoldResult> toSizesOf(Type type, OpBuilder &b, Location loc,
                                    ArrayRef<OpFoldResult> sizes);

} // namespace mlir::qdq

#endif // QDQ_LIB_IR_OPSHAPES_H
