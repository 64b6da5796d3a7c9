// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of rows of floats in the written order, a lane for each row.

#ifndef QDQ_LIB_CODEGEN_SUMS_ROWSUMS_H
#define QDQ_LIB_CODEGEN_SUMS_ROWSUMS_H

#include "../Plan/TilePlan.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

/// Tiles each generic under `root` that adds terms of rows in their order, such
/// as those of a mean, a softmax, or one row times a weight [N, K], to as many
/// rows as a vector has lanes.
void tileRowSums(TileRewriter &rewriter, Operation *root,
                 const VectorizationOptions &options);

/// Replaces the tiles: squares of a vector of each row are transposed, so that
/// the additions of a row, which wait for each other, are those of all rows.
void vectorizeRowSums(TileRewriter &rewriter, Operation *root,
                      const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_ROWSUMS_H
