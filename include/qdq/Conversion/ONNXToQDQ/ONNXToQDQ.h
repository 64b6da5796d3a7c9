// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX quantization ops, matched by name, to qdq.

#ifndef QDQ_CONVERSION_ONNXTOQDQ_ONNXTOQDQ_H
#define QDQ_CONVERSION_ONNXTOQDQ_ONNXTOQDQ_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Patterns for `onnx.QuantizeLinear`, `onnx.DequantizeLinear` and `onnx.DynamicQuantizeLinear`. Each makes one qdq op (two for the
/// dynamic one) with the profile `onnx` and `options` on top. A pattern that does not apply reports the reason as a match failure.
void populateONNXToQDQPatterns(RewritePatternSet &patterns,
                               const SemanticsOptions &options,
                               PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_ONNXTOQDQ_ONNXTOQDQ_H
