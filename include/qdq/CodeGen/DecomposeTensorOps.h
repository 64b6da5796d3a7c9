// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on tensors that upstream lowers to loops in two steps.

#ifndef QDQ_CODEGEN_DECOMPOSETENSOROPS_H
#define QDQ_CODEGEN_DECOMPOSETENSOROPS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Patterns for ops on tensors that one-shot bufferization does not know:
/// `tensor.concat`, `tensor.bitcast`, `linalg.softmax`, `linalg.pack`,
/// `linalg.unpack` and the winograd ops. They become slices, reshapes,
/// `arith.bitcast` and structured ops, by upstream's decompositions.
void populateDecomposeTensorOpsPatterns(RewritePatternSet &patterns,
                                        PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_CODEGEN_DECOMPOSETENSOROPS_H
