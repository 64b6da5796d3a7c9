// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dequantized operands of contractions.

#ifndef QDQ_TRANSFORMS_FUSECONTRACTIONS_H
#define QDQ_TRANSFORMS_FUSECONTRACTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Patterns for contractions on tensors (`linalg.matmul`, `matvec`, `vecmat`,
/// `batch_matmul`, `contract`, …), and for generics that reduce to a float: an
/// operand that an elementwise `linalg.generic` widens from codes or from
/// packed containers, behind reshapes or not, is computed in their body. The
/// order of each sum stays.
void populateFuseContractionsPatterns(RewritePatternSet &patterns,
                                      PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_FUSECONTRACTIONS_H
