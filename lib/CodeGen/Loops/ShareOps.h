// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that are alike as calls of one function.

#ifndef QDQ_LIB_CODEGEN_LOOPS_SHAREOPS_H
#define QDQ_LIB_CODEGEN_LOOPS_SHAREOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::qdq {

/// A hash of the names, attributes and types of an op and of the ops in it.
/// Counts them in `numOps`.
llvm::hash_code hashNestedOps(Operation *op, unsigned &numOps);

/// Ops of one block, in its order, without its constants. They need not be
/// neighbors, but all that they read is defined before the last one.
using OpRun = SmallVector<Operation *>;

/// Runs that differ by what they read from outside alone.
class AlikeRuns {
public:
  explicit AlikeRuns(OpRun first) : first(std::move(first)) {}

  /// Adds a run, or returns false if it differs otherwise: constants of numbers
  /// may differ, but not indices and shuffled vectors.
  bool add(OpRun run);

  bool hasOthers() const { return !others.empty(); }

  /// True if others read only tensors, buffers and indices of the runs, nothing
  /// that registers hold.
  bool returnBuffers() const;

  /// Replaces each run by a call of one private function at its last op. Its
  /// name begins with the name of `function`, in which the runs are, and
  /// `suffix`. Its arguments are the values that the runs read, apart from
  /// constants that all of them have.
  void share(RewriterBase &rewriter, SymbolTable &symbols,
             func::FuncOp function, StringRef suffix = ".shared") const;

private:
  struct Run {
    OpRun ops;
    /// For each value that the first run reads from outside: the one of this
    /// run.
    DenseMap<Value, Value> outside;
  };

  SmallVector<Value> collectArguments() const;
  SmallVector<std::pair<unsigned, unsigned>> collectResults() const;

  OpRun first;
  SmallVector<Run> others;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_LOOPS_SHAREOPS_H
