// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that a body computes from a code of few bits alone.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_CODETABLE_H
#define QDQ_LIB_CODEGEN_VECTORIZE_CODETABLE_H

#include "LaneLoops.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// A value of few bits, and what depends on it and on nothing else that differs
/// between lanes: that can be computed once for each code.
struct CodeTable {
  ExtractFieldOp code;
  DenseSet<Value> entries;
  /// The one entry that others need in all lanes.
  Value result;

  /// The table of a code of the body, up to `end`, if there is one.
  static CodeTable get(linalg::GenericOp tile, const LaneLoops &loops,
                       Operation *end);

private:
  bool fill(linalg::GenericOp tile, const LaneLoops &loops, Operation *end);
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_CODETABLE_H
