// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of a picture as one line of lanes.

#ifndef QDQ_LIB_CODEGEN_SUMS_COLLAPSELANES_H
#define QDQ_LIB_CODEGEN_SUMS_COLLAPSELANES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Collapses the innermost loops of results of each sum of floats under `root`,
/// where neighbors of the result come from neighbors of the operands across
/// them, such as the lines of a convolution of one pixel: vectors are full
/// then. Ops that use the result are collapsed with it.
void collapseLanes(IRRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_COLLAPSELANES_H
