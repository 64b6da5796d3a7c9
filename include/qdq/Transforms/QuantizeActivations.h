// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats that are multiplied with dequantized weights, rounded to 8 bits.

#ifndef QDQ_TRANSFORMS_QUANTIZEACTIVATIONS_H
#define QDQ_TRANSFORMS_QUANTIZEACTIVATIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// The codes of activations: none, i8 in the blocks of the weight, or ggml's
/// Q8_0.
enum class ActivationFormat { None, Blocks, Q8_0 };

/// Patterns for contractions of f32 on tensors, one operand of which comes from
/// a `qdq.dequantize` in blocks along one summed dimension (for Q8_0: from any
/// that sums along one). The other operand is quantized and dequantized again:
/// `qdq.choose_params`, `qdq.quantize`, `qdq.dequantize`. `format` is not
/// `None`.
void populateQuantizeActivationsPatterns(RewritePatternSet &patterns,
                                         ActivationFormat format,
                                         PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_QUANTIZEACTIVATIONS_H
