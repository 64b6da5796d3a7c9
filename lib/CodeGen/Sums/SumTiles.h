// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, tiled and as vectors: a file for each kind.

#ifndef QDQ_LIB_CODEGEN_SUMS_SUMTILES_H
#define QDQ_LIB_CODEGEN_SUMS_SUMTILES_H

#include "../Plan/TilePlan.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

// DecodedFactors.cpp

/// Computes a factor of each sum of products under `root` that may be added in
/// any order by itself, for a few columns at a time, where many rows share it,
/// and it is computed of codes and parameters.
void decodeFactors(TileRewriter &rewriter, Operation *root);

// Extremes.cpp

/// Tiles each generic under `root` whose results are all the least or the
/// greatest of their terms, such as the range that `qdq.choose_params` needs,
/// of neighbors in the operands: one result, or a few of short groups. The
/// order of terms does not matter to them.
void tileExtremes(TileRewriter &rewriter, Operation *root,
                  const VectorizationOptions &options);

/// Replaces the tiles, whose parallel loops have static sizes by now.
void vectorizeExtremes(TileRewriter &rewriter, Operation *root,
                       const VectorizationOptions &options);

// PartialSums.cpp

/// Writes out the order of each sum of floats under `root` that declares its
/// partial sums (`qdq.partial_sums`, docs/Semantics.md, Q12): a sum of as many
/// results as there are partial sums, each in the written order, and the tree
/// that joins them. Tiles of results keep the partial sums in a cache. Without
/// `vectorBits` a tile is one result.
LogicalResult lowerPartialSums(TileRewriter &rewriter, Operation *root,
                               int64_t vectorBits);

// ReductionTiles.cpp

/// Tiles the parallel loops of each generic under `root` that adds up
/// something in any order (`fastmath<reassoc>`): several sums share what they
/// read.
void tileReductions(TileRewriter &rewriter, Operation *root,
                    const VectorizationOptions &options);

/// Replaces the tiles, whose parallel loops have static sizes by now: lanes are
/// added up in vectors, and across them at the end.
void vectorizeReductions(TileRewriter &rewriter, Operation *root,
                         const VectorizationOptions &options);

// ResultLaneTiling.cpp

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

// RowSums.cpp

/// Tiles each generic under `root` that adds terms of rows in their order, such
/// as those of a mean, a softmax, or one row times a weight [N, K], to as many
/// rows as a vector has lanes.
void tileRowSums(TileRewriter &rewriter, Operation *root,
                 const VectorizationOptions &options);

/// Replaces the tiles: squares of a vector of each row are transposed, so that
/// the additions of a row, which wait for each other, are those of all rows.
void vectorizeRowSums(TileRewriter &rewriter, Operation *root,
                      const VectorizationOptions &options);

// SubByteReductions.cpp

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

#endif // QDQ_LIB_CODEGEN_SUMS_SUMTILES_H
