// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding to integral values without the math dialect.

#ifndef QDQ_TRANSFORMS_LEGALIZE_EXPANDMATH_H
#define QDQ_TRANSFORMS_LEGALIZE_EXPANDMATH_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Patterns for `math.roundeven`, `round`, `floor`, `ceil`, `trunc` and `absf`
/// on f32 and f64, scalars and vectors: the same bits from `arith` ops, for
/// every input. Other element types are left.
void populateExpandMathPatterns(RewritePatternSet &patterns,
                                PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_LEGALIZE_EXPANDMATH_H
