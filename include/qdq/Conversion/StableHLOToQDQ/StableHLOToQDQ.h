// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO on quantized types, matched by name, to qdq.

#ifndef QDQ_CONVERSION_STABLEHLOTOQDQ_STABLEHLOTOQDQ_H
#define QDQ_CONVERSION_STABLEHLOTOQDQ_STABLEHLOTOQDQ_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// A pattern for the ops `stablehlo.…` that the pass `convert-stablehlo-to-qdq`
/// lists, on tensors of `!quant.uniform` types. `quant.scast` takes and gives
/// codes at values that others have. Semantics are those of the profile
/// `stablehlo` with `options` on top. An op that does not apply reports the
/// reason as a match failure.
void populateStableHLOToQDQPatterns(RewritePatternSet &patterns,
                                    const SemanticsOptions &options,
                                    PatternBenefit benefit = 1);

/// True for ops of the dialect with a quantized operand or result.
bool isStableHLOQuantizationOp(Operation *op);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_STABLEHLOTOQDQ_STABLEHLOTOQDQ_H
