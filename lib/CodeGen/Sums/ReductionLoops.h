// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops over the terms of a tile of a reduction.

#ifndef QDQ_LIB_CODEGEN_SUMS_REDUCTIONLOOPS_H
#define QDQ_LIB_CODEGEN_SUMS_REDUCTIONLOOPS_H

#include "../Plan/TileNest.h"
#include "../Vectorize/LaneBody.h"

namespace mlir::qdq {

/// A tile that adds up something, in loops that carry its sums. Its parallel
/// loops have static sizes.
class ReductionLoops : protected TileNest {
public:
  ReductionLoops(IRRewriter &rewriter, ImplicitLocOpBuilder &b,
                 linalg::GenericOp tile, const LaneLoops &lanes, Operation *sum,
                 int64_t tableBits);

protected:
  using Sums = SmallVector<Value>;

  /// Calls `visit` for each iteration of the parallel loops that are no lanes,
  /// with their offsets set.
  void forEachResult(function_ref<void()> visit) { forEachOf(results, visit); }

  /// Where the result begins whose offsets are set.
  SmallVector<Value> getOrigin() {
    return createIndices(op.getDpsInitsMutable()[0]);
  }

  /// The terms of the tile, vector by vector, for each result whose
  /// offsets are set.
  SmallVector<Term> computeTerms();

  /// The loops over the terms from `loop` on: `addTerms` adds what is at the
  /// offsets to all sums.
  Sums addUp(ValueRange sums, function_ref<Sums(ValueRange)> addTerms,
             unsigned loop = 0);

  IRRewriter &rewriter;
  LaneLoops lanes;
  Operation *sum;

private:
  int64_t tableBits;
  /// The loops of `forEachResult`.
  SmallVector<unsigned> results;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_REDUCTIONLOOPS_H
