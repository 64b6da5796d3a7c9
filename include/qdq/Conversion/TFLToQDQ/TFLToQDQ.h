// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TFLite's dialect on quantized types, matched by name, to qdq.

#ifndef QDQ_CONVERSION_TFLTOQDQ_TFLTOQDQ_H
#define QDQ_CONVERSION_TFLTOQDQ_TFLTOQDQ_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// A pattern for the ops `tfl.…` that the pass `convert-tfl-to-qdq` lists, on
/// tensors of `!quant.uniform` types: qdq and linalg ops on their codes, which
/// `quant.scast` takes and gives. Semantics are those of the profile `tflite`
/// with `options` on top. An op that does not apply reports the reason as a
/// match failure. With `runtimeChecks`, windows are asserted to fit into inputs
/// of open sizes.
void populateTFLToQDQPatterns(RewritePatternSet &patterns,
                              const SemanticsOptions &options,
                              bool runtimeChecks = false,
                              PatternBenefit benefit = 1);

/// True for ops of the dialect with a quantized operand or result.
bool isTFLQuantizationOp(Operation *op);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_TFLTOQDQ_TFLTOQDQ_H
