// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float operators beside quantized ones.

#ifndef QDQ_CONVERSION_ONNXTOLINALG_ONNXTOLINALG_H
#define QDQ_CONVERSION_ONNXTOLINALG_ONNXTOLINALG_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

struct FloatOperatorOptions {
  /// Assert at run time that open sizes fit together.
  bool runtimeChecks = false;
};

/// Patterns for the operators of floats and shapes that quantized ONNX models
/// hold, matched by name: `onnx.Conv`, `onnx.Softmax`, .... A pattern that does
/// not apply reports the reason as a match failure. An operator that nobody
/// uses goes.
void populateONNXToLinalgPatterns(RewritePatternSet &patterns,
                                  const FloatOperatorOptions &options,
                                  PatternBenefit benefit = 1);

/// True for what these patterns match.
bool isONNXFloatOp(Operation *op);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_ONNXTOLINALG_ONNXTOLINALG_H
