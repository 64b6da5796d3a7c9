// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Least and greatest values in vectors, whose lanes are terms.

#ifndef QDQ_LIB_CODEGEN_SUMS_EXTREMES_H
#define QDQ_LIB_CODEGEN_SUMS_EXTREMES_H

#include "../Plan/TilePlan.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

/// Tiles each generic under `root` whose results are all the least or the
/// greatest of their terms, such as the range that `qdq.choose_params` needs,
/// of neighbors in the operands: one result, or a few of short groups. The
/// order of terms does not matter to them.
void tileExtremes(TileRewriter &rewriter, Operation *root,
                  const VectorizationOptions &options);

/// Replaces the tiles, whose parallel loops have static sizes by now.
void vectorizeExtremes(TileRewriter &rewriter, Operation *root,
                       const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_EXTREMES_H
