// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of bytes as tiles of registers.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTETILING_H
#define QDQ_LIB_CODEGEN_DOTS_BYTETILING_H

#include "../Plan/TilePlan.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

/// Tiles each sum of products of bytes under `root`, and the elementwise op
/// that alone uses it: first its columns, then its rows. The sums of a tile and
/// the factors of a step fit in the vector registers, of which there are 16 or
/// 32.
void tileByteProducts(TileRewriter &rewriter, Operation *root,
                      const VectorizationOptions &options);

/// Replaces the tiles, whose rows have a static number by now, by vectors of
/// i32 sums, to which instructions add four products at once. The columns that
/// a loop over rows reads again are laid out for it once, before that loop.
/// With `options.bytePairs`, constant columns are divided so that two products
/// fit in i16.
void vectorizeByteTiles(TileRewriter &rewriter, Operation *root,
                        const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BYTETILING_H
