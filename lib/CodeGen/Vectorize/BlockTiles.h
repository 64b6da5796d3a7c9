// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generics with short or dynamic blocks, tiled so that a tile lies in one.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_BLOCKTILES_H
#define QDQ_LIB_CODEGEN_VECTORIZE_BLOCKTILES_H

#include "../Plan/TilePlan.h"

namespace mlir::qdq {

/// Tiles each generic under `root` whose body loads a parameter at the number
/// of a block, `linalg.index / block`: whole blocks, and what is left over
/// peeled. A tile has the parameter as a scalar or as an operand with a
/// projected permutation, as generics over divisible blocks have it. Less than
/// a block of a dynamic size, the innermost loop, is planned as a loop: vectors
/// would cost code twice, and LLVM makes some of such a loop.
LogicalResult tileBlocks(TileRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_BLOCKTILES_H
