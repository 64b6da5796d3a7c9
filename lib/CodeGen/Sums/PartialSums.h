// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps that write out partial sums, a file each.

#ifndef QDQ_LIB_CODEGEN_SUMS_PARTIALSUMS_H
#define QDQ_LIB_CODEGEN_SUMS_PARTIALSUMS_H

#include "../Plan/TilePlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

// LayOutPartialSums.cpp

/// Splits the loop over the terms of a sum where that is even, and transposes a
/// factor that enough results share: the terms of one partial sum follow each
/// other where lanes are results, and elements of one place in a storage word
/// where lanes are terms. The sum that takes the place of `op`.
linalg::GenericOp layOutPartialSums(IRRewriter &rewriter, linalg::GenericOp op);

// PartialSumOps.cpp

/// Replaces a tile by the sum of its partial sums, and by what joins them.
void writeOutPartialSums(TileRewriter &rewriter, linalg::GenericOp tile,
                         int64_t vectorBits);

// PartialSumTree.cpp

/// Adds to each element of `init` the partial sums of that element. They are
/// joined in halves, l with l + n / 2, until one is left. `isLane` tells which
/// dimensions of `sums` count them, as one number with the outermost first; the
/// others are the dimensions of `init`. With `sharesWords`, the innermost of
/// these is whole, and short.
Value joinPartialSums(ImplicitLocOpBuilder &b, Value sums, Value init,
                      ArrayRef<bool> isLane, bool sharesWords);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_PARTIALSUMS_H
