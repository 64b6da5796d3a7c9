// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that differ by what they read and write alone, as calls of one
// function.

#ifndef QDQ_LIB_CODEGEN_LOOPS_SHARELOOPS_H
#define QDQ_LIB_CODEGEN_LOOPS_SHARELOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::qdq {

/// Replaces loops of one block that are alike by calls of one private function
/// for each kind, whose arguments are buffers, numbers and sizes. Loops with
/// results or fewer than `minOps` ops stay, and those that no other is like.
void shareLoops(RewriterBase &rewriter, SymbolTable &symbols,
                func::FuncOp function, ArrayRef<Operation *> loops,
                unsigned minOps);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_LOOPS_SHARELOOPS_H
