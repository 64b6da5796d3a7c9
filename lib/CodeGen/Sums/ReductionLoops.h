// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops over the terms of a tile of a reduction.

#ifndef QDQ_LIB_CODEGEN_SUMS_REDUCTIONLOOPS_H
#define QDQ_LIB_CODEGEN_SUMS_REDUCTIONLOOPS_H

#include "../Plan/TileNest.h"
#include "../Vectorize/LaneBody.h"

namespace mlir::qdq {

/// A tile that adds up something, in loops that carry its sums. Its parallel
/// loops have static sizes.
struct ReductionLoops : TileNest {
  ReductionLoops(IRRewriter &rewriter, ImplicitLocOpBuilder &b,
                 linalg::GenericOp tile, const LaneLoops &lanes, Operation *sum,
                 int64_t tableBits);

  /// Calls `visit` for each iteration of the parallel loops that are no lanes,
  /// with their offsets set.
  void forEachResult(function_ref<void()> visit) { forEachOf(results, visit); }
  int64_t getNumResults() const;

  /// Where the result begins whose offsets are set.
  SmallVector<Value> getOrigin() {
    return createIndices(op.getDpsInitsMutable()[0]);
  }

  /// The loops over the terms from `loop` on, which add them to the sums. There
  /// are as many sums of each result, to which its vectors of terms go in
  /// turns.
  SmallVector<Value> addUp(ValueRange sums, unsigned loop = 0);

  IRRewriter &rewriter;
  LaneLoops lanes;
  Operation *sum;
  int64_t tableBits;
  /// The loops of `forEachResult`.
  SmallVector<unsigned> results;

private:
  SmallVector<Value> addTerms(ValueRange sums);
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_REDUCTIONLOOPS_H
