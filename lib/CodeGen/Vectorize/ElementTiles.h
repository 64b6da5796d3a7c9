// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generics that reduce nothing, tiled and as vectors.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTTILES_H
#define QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTTILES_H

#include "../Plan/TilePlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

// BlockLoads.cpp

/// `tile` with a further input, and an argument for it behind those of the
/// others. Replaces `tile`.
linalg::GenericOp addInput(RewriterBase &rewriter, linalg::GenericOp tile,
                           Value input, AffineMap map);

// BlockTiles.cpp

/// Tiles each generic under `root` whose body loads a parameter at the number
/// of a block, `linalg.index / block`: whole blocks, and what is left over
/// peeled. A tile has the parameter as a scalar or as an operand with a
/// projected permutation, as generics over divisible blocks have it. Less than
/// a block of a dynamic size, the innermost loop, is planned as a loop: vectors
/// would cost code twice, and LLVM makes some of such a loop.
LogicalResult tileBlocks(TileRewriter &rewriter, Operation *root);

// CodeBytes.cpp

/// Makes tensors of less than a byte an element tensors of bytes, where
/// generics under `root` write and read all of them: memory holds such an
/// element in a byte anyway, but only bytes are moved by vectors.
void storeCodesInBytes(IRRewriter &rewriter, Operation *root);

// ElementwiseTiles.cpp

/// Tiles the innermost loop of each elementwise generic under `root`, and peels
/// off what does not fill the last vector. What cannot be tiled stays.
void tileElementwise(TileRewriter &rewriter, Operation *root,
                     const VectorizationOptions &options);

/// Replaces the tiles by vector ops.
void vectorizeElementwise(TileRewriter &rewriter, Operation *root,
                          const VectorizationOptions &options);

// SubByteTiles.cpp

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

#endif // QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTTILES_H
