// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products as dot products of bytes, a file for each kind.

#ifndef QDQ_LIB_CODEGEN_DOTS_DOTTILES_H
#define QDQ_LIB_CODEGEN_DOTS_DOTTILES_H

#include "../Plan/TilePlan.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

// BlockFloatingPoint.cpp

/// Plans each sum under `root` for which block floating point pays in vectors
/// of 128, 256 or 512 bits. Fails, with an error at `root`, for other vectors.
LogicalResult planBlockFloatingPoint(TileRewriter &rewriter, Operation *root,
                                     int64_t vectorBits);

/// Replaces each planned sum, or the parts that it was divided into.
void applyBlockFloatingPoint(TileRewriter &rewriter, Operation *root,
                             int64_t vectorBits);

// ByteTiling.cpp

/// Tiles each sum of products of bytes under `root`, and the elementwise op
/// that alone uses it: first its columns, then its rows. The sums of a tile and
/// the factors of a step fit in the vector registers, of which there are 16 or
/// 32.
void tileByteProducts(TileRewriter &rewriter, Operation *root,
                      const VectorizationOptions &options);

/// Replaces the tiles, whose rows have a static number by now, by vectors of
/// i32 sums, to which instructions add four products at once. The columns that
/// a loop over rows reads again are laid out for it once, before that loop.
/// With `ByteDots::X86Pairs`, constant columns are divided so that two products
/// fit in i16.
void vectorizeByteTiles(TileRewriter &rewriter, Operation *root,
                        const VectorizationOptions &options);

// CodeProducts.cpp

/// Replaces sums in any order of products of dequantized numbers, one of signed
/// codes of 8 bits and one of codes of at most 8, whose scales are equal within
/// blocks, where dot products of bytes pay. A lane adds products of codes in
/// i32, exact, and multiplies their sum by both scales.
void lowerCodeProducts(IRRewriter &rewriter, Operation *root,
                       const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_DOTTILES_H
