// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions as private functions.

#ifndef QDQ_LIB_CODEGEN_LOOPS_OUTLINEREGION_H
#define QDQ_LIB_CODEGEN_LOOPS_OUTLINEREGION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::qdq {

/// Moves `region`, which is a single block of `parent`, to an internal function
/// whose name begins with the name of the function around it and `suffix`. The
/// region calls it with the values that it uses; constants move along. Reports
/// an error on `parent`, if it is in no function of a module.
FailureOr<func::CallOp> outlineRegion(RewriterBase &rewriter,
                                      SymbolTable &symbols, Operation *parent,
                                      Region &region, StringRef suffix);

/// Makes a function one that only its module calls.
void makeInternal(func::FuncOp function);

/// Makes calls of a function stay calls.
void forbidInlining(func::FuncOp function);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_LOOPS_OUTLINEREGION_H
