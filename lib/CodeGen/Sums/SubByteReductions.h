// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions whose codes share storage words with those of other results.

#ifndef QDQ_LIB_CODEGEN_SUMS_SUBBYTEREDUCTIONS_H
#define QDQ_LIB_CODEGEN_SUMS_SUBBYTEREDUCTIONS_H

#include "../Plan/TilePlan.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

/// Tiles each sum of reals under `root` whose innermost results, a row, come
/// from the fields of containers: weights [K, N] that are packed along N.
void tileSubByteReductions(TileRewriter &rewriter, Operation *root,
                           const VectorizationOptions &options);

/// Plans a small sum of that kind, whose parallel loops have static sizes and
/// whose reductions are outermost, as one tile. False for others.
bool planSubByteReduction(TileRewriter &rewriter, linalg::GenericOp op,
                          int64_t vectorBits);

/// Replaces the tiles by vectors with a lane for each result. Each sum keeps
/// the order of its terms.
void vectorizeSubByteReductions(TileRewriter &rewriter, Operation *root,
                                const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_SUBBYTEREDUCTIONS_H
