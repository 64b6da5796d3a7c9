// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels of a small picture as lanes.

#ifndef QDQ_LIB_CODEGEN_SUMS_CHANNELLANES_H
#define QDQ_LIB_CODEGEN_SUMS_CHANNELLANES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Transposes each sum of products of floats under `root` whose lines of
/// results are too short for vectors, or lie apart in a factor, so that another
/// dimension of the result, such as the channels of a convolution, is
/// innermost: where that saves more steps than the transpositions cost.
void layOutChannels(IRRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_CHANNELLANES_H
