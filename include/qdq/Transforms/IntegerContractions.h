// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of dequantized tensors, as integers.

#ifndef QDQ_TRANSFORMS_INTEGERCONTRACTIONS_H
#define QDQ_TRANSFORMS_INTEGERCONTRACTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Patterns for contractions and convolutions of `linalg` on tensors, named or
/// generic, of which both operands are dequantized: they become contractions of
/// the codes, and a dequantize of the sums.
void populateIntegerContractionPatterns(RewritePatternSet &patterns,
                                        PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_INTEGERCONTRACTIONS_H
