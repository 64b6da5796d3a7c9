// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of products in any order, in vectors.

#ifndef QDQ_LIB_CODEGEN_SUMS_REDUCTIONTILES_H
#define QDQ_LIB_CODEGEN_SUMS_REDUCTIONTILES_H

#include "../Plan/TilePlan.h"

namespace mlir::qdq {

/// Tiles the parallel loops of each generic under `root` that adds up
/// something in any order (`fastmath<reassoc>`): several sums share what they
/// read. Tables of all codes take up to `tableBits`.
void tileSums(TileRewriter &rewriter, Operation *root, int64_t vectorBits,
              int64_t tableBits);

/// Replaces the tiles, whose parallel loops have static sizes by now: lanes are
/// added up in vectors, and across them at the end.
void vectorizeReductionTiles(TileRewriter &rewriter, Operation *root,
                             int64_t vectorBits, int64_t tableBits);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_REDUCTIONTILES_H
