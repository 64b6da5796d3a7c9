// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TFLite's operators on floats.

#ifndef QDQ_CONVERSION_TFLTOLINALG_TFLTOLINALG_H
#define QDQ_CONVERSION_TFLTOLINALG_TFLTOLINALG_H

#include "qdq/Conversion/ONNXToLinalg/ONNXToLinalg.h"

namespace mlir::qdq {

/// Patterns for TFLite's operators on tensors without a quantized type, matched
/// by name: `tfl.conv_2d`, `tfl.softmax`, .... A pattern that does not apply
/// reports the reason as a match failure. An operator that nobody uses goes.
void populateTFLToLinalgPatterns(RewritePatternSet &patterns,
                                 const FloatOperatorOptions &options,
                                 PatternBenefit benefit = 1);

/// True for what these patterns match.
bool isTFLFloatOp(Operation *op);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_TFLTOLINALG_TFLTOLINALG_H
