// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that normalize rows, in the same loops over rows.

#ifndef QDQ_LIB_CODEGEN_PLAN_ROWGROUP_H
#define QDQ_LIB_CODEGEN_PLAN_ROWGROUP_H

#include "TilePlan.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

namespace mlir::qdq {

/// An elementwise op, and generics before it whose results nothing else uses: a
/// softmax, a normalization by mean and variance. Some reduce rows, all do the
/// same outer loops.
struct RowGroup {
  linalg::LinalgOp getRoot() const { return ops.front(); }

  /// Replaces the group by tiles in the same loops: `sizes` has one for each
  /// loop of the root, 0 from `numOuter` on. Fails, and changes nothing, if
  /// upstream cannot tile them.
  LogicalResult tile(TileRewriter &rewriter, ArrayRef<OpFoldResult> sizes,
                     scf::SCFTilingOptions::LoopType loopType) const;

  /// The rows of a tile that sums in the written order pay for: their lanes.
  /// 1 if there is no such sum.
  int64_t getFewestRows() const;

  /// The last op, the root, comes first.
  SmallVector<linalg::LinalgOp> ops;
  /// The loops of the root around those over a row.
  unsigned numOuter;
};

/// The groups that end with one of `ops`, which are in an order.
SmallVector<RowGroup> collectRowGroups(ArrayRef<linalg::LinalgOp> ops);

/// The groups under `root` that keep a row, or a few short ones, in the first
/// cache from one op to the next.
void tileRowGroups(TileRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_PLAN_ROWGROUP_H
