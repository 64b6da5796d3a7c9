// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts of small floats as the instructions of a target.

#ifndef QDQ_CODEGEN_NATIVECASTS_H
#define QDQ_CODEGEN_NATIVECASTS_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Pipelines/NativeTarget.h"

namespace mlir::qdq {

/// Patterns that make instructions of `target` of `arith` casts from and to
/// floats of fewer than 16 bits, on scalars and vectors of fixed size, where
/// these have the same result for every input. AMD's become `arith.scaling_*`,
/// or stay, for `convert-arith-to-amdgpu`. Others are left. For drivers that do
/// not fold.
void populateNativeCastsPatterns(RewritePatternSet &patterns,
                                 NativeTarget target,
                                 PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_CODEGEN_NATIVECASTS_H
