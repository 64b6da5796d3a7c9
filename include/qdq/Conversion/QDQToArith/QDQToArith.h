// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq ops on scalars and vectors to arith and math.

#ifndef QDQ_CONVERSION_QDQTOARITH_QDQTOARITH_H
#define QDQ_CONVERSION_QDQTOARITH_QDQTOARITH_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Patterns for `qdq.quantize` and `qdq.dequantize` on scalars and vectors.
void populateQDQToArithPatterns(RewritePatternSet &patterns,
                                const SemanticsOptions &options,
                                PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_QDQTOARITH_QDQTOARITH_H
