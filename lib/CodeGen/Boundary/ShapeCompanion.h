// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that tells callers how large the results of another will be.

#ifndef QDQ_LIB_CODEGEN_BOUNDARY_SHAPECOMPANION_H
#define QDQ_LIB_CODEGEN_BOUNDARY_SHAPECOMPANION_H

#include "ArgumentSlice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The companion of a function: its shape arithmetic, for callers to run first.
class ShapeCompanion {
public:
  ShapeCompanion(func::FuncOp function, SymbolTable &symbols);

  /// Moves the assertions whose conditions are known before the call here.
  void takeAssertions();
  /// Adds the sizes of the dynamic dimensions of a tensor. False if they are
  /// not known before the call.
  bool addSizes(Value tensor);
  /// Adds an index. False if it is not known before the call.
  bool addIndex(Value index);
  /// Writes the list out and closes the function; removes it if there is
  /// nothing to tell.
  void finish(SymbolTable &symbols);

private:
  func::FuncOp function, companion;
  ImplicitLocOpBuilder b;
  std::optional<ArgumentSlice> slice;
  SmallVector<Value> sizes, conditions;
  SmallVector<Attribute> messages;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_BOUNDARY_SHAPECOMPANION_H
