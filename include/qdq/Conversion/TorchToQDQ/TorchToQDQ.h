// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PyTorch's quantization operators, matched by name, to qdq.

#ifndef QDQ_CONVERSION_TORCHTOQDQ_TORCHTOQDQ_H
#define QDQ_CONVERSION_TORCHTOQDQ_TORCHTOQDQ_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Patterns for the ops `torch.quantized_decomposed.…` (PT2E) and torchao's
/// affine operators, or a `torch.operator` of these names: one qdq op each,
/// stamped with the profile `torch-decomposed`, what the operator does
/// otherwise, and `options` on top. A pattern that does not apply reports the
/// reason as a match failure.
void populateTorchToQDQPatterns(RewritePatternSet &patterns,
                                const SemanticsOptions &options,
                                PatternBenefit benefit = 1);

/// True for what these patterns match.
bool isTorchQuantizationOp(Operation *op);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_TORCHTOQDQ_TORCHTOQDQ_H
