// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between buffers with gaps, as structured ops.

#include "StridedCopies.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/FunctionPattern.h"

using namespace mlir;

static LogicalResult lowerStridedCopy(memref::CopyOp op,
                                      PatternRewriter &rewriter) {
  auto from = dyn_cast<MemRefType>(op.getSource().getType());
  auto to = dyn_cast<MemRefType>(op.getTarget().getType());
  if (!from || !to)
    return rewriter.notifyMatchFailure(op, "has no rank");
  if (from.getLayout().isIdentity() && to.getLayout().isIdentity())
    return rewriter.notifyMatchFailure(op, "is one copy of memory");
  linalg::makeMemRefCopyOp(rewriter, op.getLoc(), op.getSource(),
                           op.getTarget());
  rewriter.eraseOp(op);
  return success();
}

void mlir::qdq::lowerStridedCopies(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<qdq::FunctionPattern<lowerStridedCopy>>(root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
}
