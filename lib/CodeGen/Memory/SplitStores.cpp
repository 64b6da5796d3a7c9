// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores of several registers, one by one from the first address on.

#include "../Plan/Tiles.h"
#include "PlainTransfer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_SPLITSTORESPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// A write of whole registers as one of each.
struct SplitWrite : OpRewritePattern<vector::TransferWriteOp> {
  SplitWrite(MLIRContext *context, int64_t vectorBits)
      : OpRewritePattern(context), vectorBits(vectorBits) {}

  LogicalResult matchAndRewrite(vector::TransferWriteOp op,
                                PatternRewriter &rewriter) const override {
    if (!movesNeighbors(op) || op.hasOutOfBoundsDim())
      return rewriter.notifyMatchFailure(op, "does not write a plain vector");
    VectorType type = op.getVectorType();
    int64_t lanes = vectorBits / type.getElementTypeBitWidth();
    int64_t count = type.getNumElements();
    if (lanes == 0 || count <= lanes || count % lanes != 0)
      return rewriter.notifyMatchFailure(op, "does not write whole registers");
    Location loc = op.getLoc();
    SmallVector<Value> indices(op.getIndices());
    Value first = indices.back();
    for (int64_t at = 0; at < count; at += lanes) {
      Value part = vector::ExtractStridedSliceOp::create(
          rewriter, loc, op.getVector(), at, lanes, int64_t(1));
      indices.back() = rewriter.createOrFold<arith::AddIOp>(
          loc, first, arith::ConstantIndexOp::create(rewriter, loc, at));
      vector::TransferWriteOp::create(rewriter, loc, part, op.getBase(),
                                      indices, op.getPermutationMapAttr(),
                                      op.getInBoundsAttr());
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  int64_t vectorBits;
};

struct SplitStoresPass : qdq::impl::SplitStoresPassBase<SplitStoresPass> {
  using SplitStoresPassBase::SplitStoresPassBase;

  void runOnOperation() override {
    if (failed(checkVectorBits(getOperation(), vectorBits)))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<SplitWrite>(&getContext(), vectorBits);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
