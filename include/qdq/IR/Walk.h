// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A question to all ops of a module.

#ifndef QDQ_IR_WALK_H
#define QDQ_IR_WALK_H

#include "mlir/IR/Operation.h"

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

} // namespace mlir::qdq

#endif // QDQ_IR_WALK_H
