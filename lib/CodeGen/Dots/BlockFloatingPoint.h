// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with short codes, of numbers in block floating point.

#ifndef QDQ_LIB_CODEGEN_DOTS_BLOCKFLOATINGPOINT_H
#define QDQ_LIB_CODEGEN_DOTS_BLOCKFLOATINGPOINT_H

#include "../Plan/TilePlan.h"

namespace mlir::qdq {

/// Plans each sum under `root` for which block floating point pays in vectors
/// of 128, 256 or 512 bits. Fails, with an error at `root`, for other vectors.
LogicalResult planBlockFloatingPoint(TileRewriter &rewriter, Operation *root,
                                     int64_t vectorBits);

/// Replaces each planned sum, or the parts that it was divided into.
void applyBlockFloatingPoint(TileRewriter &rewriter, Operation *root,
                             int64_t vectorBits);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BLOCKFLOATINGPOINT_H
