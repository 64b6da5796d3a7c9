// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector transfers of contiguous memory by vectors of rank 1, and those of one
// element as scalars.

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_FLATTENTRANSFERSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

namespace {
/// A read of one element for all lanes. Upstream would read a vector of rank 0,
/// which nothing lowers where the memory has a stride.
struct LoadBroadcast : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    bool isOne = llvm::all_of(op.getPermutationMap().getResults(),
                              llvm::IsaPred<AffineConstantExpr>);
    if (!isOne || op.getMask() || !isa<MemRefType>(op.getShapedType()) ||
        isa<VectorType>(op.getShapedType().getElementType()))
      return rewriter.notifyMatchFailure(op, "does not read one element");
    Value element = memref::LoadOp::create(rewriter, op.getLoc(), op.getBase(),
                                           op.getIndices());
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, op.getVectorType(),
                                                     element);
    return success();
  }
};

struct FlattenTransfersPass
    : qdq::impl::FlattenTransfersPassBase<FlattenTransfersPass> {
  using FlattenTransfersPassBase::FlattenTransfersPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    vector::populateFlattenVectorTransferPatterns(patterns);
    patterns.add<LoadBroadcast>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
