// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums in a declared number of partial sums.

#ifndef QDQ_LIB_CODEGEN_SUMS_PARTIALSUMS_H
#define QDQ_LIB_CODEGEN_SUMS_PARTIALSUMS_H

#include "../Plan/TilePlan.h"

namespace mlir::qdq {

/// Writes out the order of each sum of floats under `root` that declares its
/// partial sums (`qdq.partial_sums`, docs/Semantics.md, Q12): a sum of as many
/// results as there are partial sums, each in the written order, and the tree
/// that joins them. Tiles of results keep the partial sums in a cache. Without
/// `vectorBits` a tile is one result.
LogicalResult lowerPartialSums(TileRewriter &rewriter, Operation *root,
                               int64_t vectorBits);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_PARTIALSUMS_H
