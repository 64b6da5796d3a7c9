// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TOSA's rescaling and its block formats to qdq.

#ifndef QDQ_CONVERSION_TOSATOQDQ_TOSATOQDQ_H
#define QDQ_CONVERSION_TOSATOQDQ_TOSATOQDQ_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Patterns for `tosa.rescale`, which becomes `qdq.requantize`, and for
/// `tosa.cast_from_block_scaled`, `tosa.cast_to_block_scaled` and
/// `tosa.matmul_t_block_scaled`, which become `qdq.dequantize`, `qdq.quantize`
/// and a product of reals. A pattern that does not apply reports the reason as
/// a match failure.
void populateTOSAToQDQPatterns(RewritePatternSet &patterns,
                               const SemanticsOptions &options,
                               PatternBenefit benefit = 1);

/// True for what these patterns match.
bool isTOSAQuantizationOp(Operation *op);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_TOSATOQDQ_TOSATOQDQ_H
