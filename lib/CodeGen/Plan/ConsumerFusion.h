// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops tiled, and fused with the elementwise op that alone uses their result.

#ifndef QDQ_LIB_CODEGEN_PLAN_CONSUMERFUSION_H
#define QDQ_LIB_CODEGEN_PLAN_CONSUMERFUSION_H

#include "TilePlan.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

namespace mlir::qdq {

/// The elementwise op beside `op` that alone uses its result, and reads each
/// element once. Null if there is none.
linalg::GenericOp getElementwiseConsumer(linalg::LinalgOp op);

/// Replaces the ops of a block by tiles in the same loops, with the fills that
/// they start from. The first one has the loops, of these sizes, 0 for whole
/// ones; of the others nothing else uses the results. An op that two of them
/// use is there twice. Fails, and changes nothing, if they cannot be tiled.
FailureOr<SmallVector<LoopLikeOpInterface>>
tileFused(TileRewriter &rewriter, ArrayRef<linalg::LinalgOp> ops,
          ArrayRef<OpFoldResult> sizes,
          scf::SCFTilingOptions::LoopType loopType);

/// Replaces `op` and its elementwise user `user` by tiles in the same loops:
/// `sizes` has a size for each loop of `op`, 0 for whole loops. The fill that
/// `op` starts from becomes one of each tile. Fails, and changes nothing, if
/// they cannot be tiled.
FailureOr<SmallVector<LoopLikeOpInterface>>
tileWithConsumer(TileRewriter &rewriter, linalg::LinalgOp op,
                 linalg::GenericOp user, ArrayRef<OpFoldResult> sizes,
                 scf::SCFTilingOptions::LoopType loopType);

/// The same in a nest of loops, with the user if there is one, else with the
/// fill alone. A loop that one tile covers stays as it is. Peels what does not
/// fill the last tile of each loop, and gives the loops over that.
SmallVector<scf::ForOp> tileAndPeel(TileRewriter &rewriter,
                                    linalg::GenericOp op,
                                    ArrayRef<int64_t> sizes);

/// The same for tiles of `width` columns, of which the operands have one, and
/// one iteration of the other parallel loops of these.
void tileColumns(TileRewriter &rewriter, linalg::GenericOp op,
                 ArrayRef<OpOperand *> operands, unsigned column,
                 int64_t width);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_PLAN_CONSUMERFUSION_H
