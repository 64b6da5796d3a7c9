// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise linalg.generic ops, tiled to one vector.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTWISETILES_H
#define QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTWISETILES_H

#include "../Plan/TilePlan.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

/// Tiles the innermost loop of each elementwise generic under `root`, and peels
/// off what does not fill the last vector. What cannot be tiled stays.
void tileElementwise(TileRewriter &rewriter, Operation *root,
                     const VectorizationOptions &options);

/// Replaces the tiles by vector ops.
void vectorizeElementwise(TileRewriter &rewriter, Operation *root,
                          const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTWISETILES_H
