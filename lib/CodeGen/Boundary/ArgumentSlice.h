// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars in terms of a function's arguments.

#ifndef QDQ_LIB_CODEGEN_BOUNDARY_ARGUMENTSLICE_H
#define QDQ_LIB_CODEGEN_BOUNDARY_ARGUMENTSLICE_H

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::qdq {

/// Computes scalars of a function somewhere else: from scalar arguments, the
/// shapes of tensor arguments and constants, by ops that are safe to speculate.
/// The shapes of results of ops become those of their operands on the way
/// (`ReifyRankedShapedTypeOpInterface`).
class ArgumentSlice {
public:
  /// `arguments` stand for the arguments of `function`. They must be visible
  /// where `b` inserts.
  ArgumentSlice(FunctionOpInterface function, ValueRange arguments,
                OpBuilder &b);

  /// `value`, or null if it depends on more. Dead ops may be left behind in
  /// that case, and in the function itself.
  Value get(Value value);

  /// The size of a dimension of a ranked tensor, or null.
  Value getDim(Value tensor, int64_t dim);

private:
  Value cloneScalar(Operation *op, Value result);
  /// As `getOf`, of the value that an `scf.if` yields as `result`.
  Value select(OpResult result, function_ref<Value(Value)> getOf);
  Value get(OpFoldResult value, Location loc);

  Block *entry;
  SmallVector<Value> arguments;
  OpBuilder &b;
  DenseMap<Value, Value> known;
  DenseMap<std::pair<Value, int64_t>, Value> knownDims;
  unsigned depth = 0;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_BOUNDARY_ARGUMENTSLICE_H
