// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantized, transposed and dequantized constants as constants.

#ifndef QDQ_TRANSFORMS_DEQUANTIZECONSTANTS_H
#define QDQ_TRANSFORMS_DEQUANTIZECONSTANTS_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// A `qdq.quantize` on a static tensor whose operands are constants, reshaped
/// ones and `dense_resource` included, becomes its value, unless it draws
/// random numbers; so do a `linalg.transpose` of a constant, and a cast of one
/// to its signless type. `options` decides what the semantics of an op leave
/// open; without them such an op stays.
void populateQuantizeConstantsPatterns(
    RewritePatternSet &patterns, const std::optional<SemanticsOptions> &options,
    PatternBenefit benefit = 1);

/// The patterns of `populateQuantizeConstantsPatterns`, and one of
/// `qdq.dequantize` of the same constants.
void populateDequantizeConstantsPatterns(RewritePatternSet &patterns,
                                         const SemanticsOptions &options,
                                         PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_DEQUANTIZECONSTANTS_H
