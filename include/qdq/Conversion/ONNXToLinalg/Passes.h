// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float operators beside quantized ones.

#ifndef QDQ_CONVERSION_ONNXTOLINALG_PASSES_H
#define QDQ_CONVERSION_ONNXTOLINALG_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "qdq/Conversion/Unconverted.h"
#include "qdq/Numerics/PassOptions.h"

namespace mlir::qdq {

/// Patterns for the operators of floats and shapes that quantized ONNX models
/// hold, matched by name: `onnx.Conv`, `onnx.Softmax`, .... A pattern that does
/// not apply reports the reason as a match failure. An operator that nobody
/// uses goes.
void populateONNXToLinalgPatterns(RewritePatternSet &patterns,
                                  PatternBenefit benefit = 1);

/// True for what these patterns match.
bool isONNXFloatOp(Operation *op);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qdq/Conversion/ONNXToLinalg/Passes.h.inc"
} // namespace mlir::qdq

#endif // QDQ_CONVERSION_ONNXTOLINALG_PASSES_H
