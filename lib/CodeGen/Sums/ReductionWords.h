// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of products with codes of few bits, which are read in words.

#ifndef QDQ_LIB_CODEGEN_SUMS_REDUCTIONWORDS_H
#define QDQ_LIB_CODEGEN_SUMS_REDUCTIONWORDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// Splits the loops of each generic under `root` that adds up products with
/// codes of at most 4 bits, in any order, so that a vector holds words of four
/// bytes, and lays out its other factor for the elements of these:
///
///   for n, block, byte, element:
///     sum[n] += x[block, byte, element] * w[n, block, byte]
///
/// becomes, with y[block, b, element, part, word] the transposed x,
///
///   for n, block, part, word, b, element:
///     sum[n] += y[block, b, element, part, word] * w[n, block, part, word, b]
///
/// where parts are the blocks of one vector. `LaneLoops::ofWords` tells the new
/// loops. Only where a vector holds a table of all codes, a whole number of
/// vectors makes a block, or a whole number of blocks a vector, and enough sums
/// share x; and where blocks are parts of a vector, nothing is rounded to a
/// narrower type behind the table.
///
/// Gives the new sums, with the number of their loops that are lanes.
DenseMap<Operation *, unsigned>
layOutReductionWords(IRRewriter &rewriter, Operation *root, int64_t vectorBits);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_REDUCTIONWORDS_H
