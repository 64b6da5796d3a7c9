// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tile of a sum in partial sums, written out.

#ifndef QDQ_LIB_CODEGEN_SUMS_PARTIALSUMOPS_H
#define QDQ_LIB_CODEGEN_SUMS_PARTIALSUMOPS_H

#include "../Plan/TilePlan.h"

namespace mlir::qdq {

/// Replaces a tile by the sum of its partial sums, and by what joins them.
LogicalResult writeOutPartialSums(TileRewriter &rewriter,
                                  linalg::GenericOp tile, int64_t vectorBits);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_PARTIALSUMOPS_H
