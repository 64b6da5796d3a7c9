// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generics that unpack or pack, tiled to vectors of whole storage words.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_SUBBYTETILES_H
#define QDQ_LIB_CODEGEN_VECTORIZE_SUBBYTETILES_H

#include "../Plan/TilePlan.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

/// Tiles each generic under `root` whose innermost loops count the fields of
/// containers, and peels what does not fill a tile.
void tileSubBytes(TileRewriter &rewriter, Operation *root,
                  const VectorizationOptions &options);

/// Replaces the tiles, which have static shapes by now, by vector ops.
void vectorizeSubBytes(TileRewriter &rewriter, Operation *root,
                       const VectorizationOptions &options);

/// Makes `affine.apply` in the body arith ops.
void expandBodyAffine(IRRewriter &rewriter, linalg::GenericOp tile);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_SUBBYTETILES_H
