// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding, magnitudes and fma as instructions of a GPU.

#ifndef QDQ_CODEGEN_MATHTOINTRINSICS_H
#define QDQ_CODEGEN_MATHTOINTRINSICS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Patterns for `math.roundeven`, `round`, `floor`, `ceil`, `trunc`, `absf`,
/// `copysign` and `fma` on types that LLVM has: `llvm.call_intrinsic` of the
/// same meaning, which upstream's conversions of GPU kernels leave as it is.
void populateMathToIntrinsicsPatterns(RewritePatternSet &patterns,
                                      PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_CODEGEN_MATHTOINTRINSICS_H
