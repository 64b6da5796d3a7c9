// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dequantized constants as constants.

#ifndef QDQ_TRANSFORMS_DEQUANTIZECONSTANTS_H
#define QDQ_TRANSFORMS_DEQUANTIZECONSTANTS_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// One pattern: a `qdq.dequantize` on a static tensor whose operands are
/// constants, reshaped ones and `dense_resource` included, becomes its value.
/// `options` decides what the semantics of an op leave open.
void populateDequantizeConstantsPatterns(RewritePatternSet &patterns,
                                         const SemanticsOptions &options,
                                         PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_DEQUANTIZECONSTANTS_H
