// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Limits to the unrolling of loops of few iterations.

#ifndef QDQ_LIB_CODEGEN_LOOPS_LIMITUNROLLING_H
#define QDQ_LIB_CODEGEN_LOOPS_LIMITUNROLLING_H

#include "mlir/IR/Operation.h"

namespace mlir::qdq {

/// Has LLVM repeat in lanes at most the bodies of loops under `root` that fewer
/// than 32 iterations enter, or that LLVM would unroll before it finds lanes.
/// Loops of at most one iteration become branches.
void limitUnrolling(Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_LOOPS_LIMITUNROLLING_H
