// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float operators beside quantized ones.

#ifndef QDQ_CONVERSION_ONNXTOLINALG_ONNXTOLINALG_H
#define QDQ_CONVERSION_ONNXTOLINALG_ONNXTOLINALG_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

struct FloatOperatorOptions {
  /// Assert at run time that open sizes fit together.
  bool runtimeChecks = false;
  /// `ort`: exp, tanh, erf and the logistic function of f32, and what consists
  /// of them, have ONNX Runtime's bits.
  std::optional<Profile> profile = {};
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
