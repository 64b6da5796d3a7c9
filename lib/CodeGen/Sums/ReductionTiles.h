// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of products in any order, in vectors.

#ifndef QDQ_LIB_CODEGEN_SUMS_REDUCTIONTILES_H
#define QDQ_LIB_CODEGEN_SUMS_REDUCTIONTILES_H

#include "../Plan/TilePlan.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

/// Tiles the parallel loops of each generic under `root` that adds up
/// something in any order (`fastmath<reassoc>`): several sums share what they
/// read.
void tileReductions(TileRewriter &rewriter, Operation *root,
                    const VectorizationOptions &options);

/// Replaces the tiles, whose parallel loops have static sizes by now: lanes are
/// added up in vectors, and across them at the end.
void vectorizeReductions(TileRewriter &rewriter, Operation *root,
                         const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_REDUCTIONTILES_H
