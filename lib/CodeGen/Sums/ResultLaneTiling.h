// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions in vectors, a lane for each of their results.

#ifndef QDQ_LIB_CODEGEN_SUMS_RESULTLANETILING_H
#define QDQ_LIB_CODEGEN_SUMS_RESULTLANETILING_H

#include "../Plan/TilePlan.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

/// Tiles each generic under `root` that reduces to i8, i32 or f32, of which
/// neighbors in the result come from neighbors in the operands, such as a
/// convolution in NCHW, a pool, or a product with a weight in rows [K, N]: a
/// few vectors of results. The order of each reduction stays. Many rows read a
/// copy of their columns. An elementwise op that alone uses the results is
/// tiled with them. Products of bytes stay, where `options` use their
/// instructions.
void tileResultLanes(TileRewriter &rewriter, Operation *root,
                     const VectorizationOptions &options);

/// Plans a small sum of that kind, whose parallel loops have static sizes, as
/// tiles of all results but a part of the lanes. False for others.
bool planResultLanes(TileRewriter &rewriter, linalg::GenericOp op,
                     int64_t vectorBits);

/// Replaces the tiles, whose parallel loops have static sizes by now.
void vectorizeResultLanes(TileRewriter &rewriter, Operation *root,
                          const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_RESULTLANETILING_H
