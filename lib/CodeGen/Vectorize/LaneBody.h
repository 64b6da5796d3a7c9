// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a tile, computed for all its lanes at once.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_LANEBODY_H
#define QDQ_LIB_CODEGEN_VECTORIZE_LANEBODY_H

#include "LaneLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::qdq {

/// True if `vectorizeLanes` can compute the body of `op`: elementwise ops of
/// arith and math, of which those on integers below a byte wrap or widen.
bool isLaneBody(linalg::GenericOp op);

/// Replaces a tile, whose loops outside `loops` have one iteration, by vector
/// ops. The fields of a reduction are or-ed into its destination, or into the
/// number that fills it. A value that depends on a code of at most 4 bits alone
/// is looked up in a table, where `tableBits` hold that.
void vectorizeLanes(RewriterBase &rewriter, linalg::GenericOp tile,
                    const LaneLoops &loops, int64_t tableBits);

/// The sum of floats that `op` forms, `arith.addf` or `math.fma`, if
/// `computeTerm` can compute its terms.
Operation *getSum(linalg::GenericOp op);
/// The same, if they may be added in any order.
arith::AddFOp getReassociableSum(linalg::GenericOp op);

/// An addend of a sum: a term, or the two factors of one.
using Term = SmallVector<Value, 2>;

/// Terms that the body adds to `sum`, from the iteration on at `offsets`,
/// one for each loop: vectors of all containers for each field.
SmallVector<Term> computeTerm(RewriterBase &rewriter, linalg::GenericOp op,
                              Operation *sum, const LaneLoops &loops,
                              ArrayRef<Value> offsets, int64_t tableBits);

/// Adds a term to `total` as `sum` does.
Value addTerm(OpBuilder &b, Operation *sum, Value total, const Term &term);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_LANEBODY_H
