// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over ops and values that visit each once.

#ifndef QDQ_IR_WALK_H
#define QDQ_IR_WALK_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::qdq {

/// True if `holds` does for `root` or an op in it. A pass for which there is
/// none calls `markAllAnalysesPreserved`: nothing is verified again.
inline bool hasAny(Operation *root, function_ref<bool(Operation *)> holds) {
  return root
      ->walk([&](Operation *op) {
        return holds(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Calls `visit` on `start`, and on every value that a visit adds, nearest
/// first and each once: the ways through a chain of `a + a` double with each
/// op. Values more than `maxSteps` away are left out.
inline void
walkValues(Value start,
           function_ref<void(Value, function_ref<void(Value)> add)> visit,
           unsigned maxSteps = ~0u) {
  llvm::SetVector<Value> found;
  auto add = [&](Value value) { found.insert(value); };
  add(start);
  size_t next = 0;
  for (unsigned step = 0; next < found.size() && step <= maxSteps; ++step)
    for (size_t end = found.size(); next < end; ++next)
      visit(found[next], add);
}

} // namespace mlir::qdq

#endif // QDQ_IR_WALK_H
