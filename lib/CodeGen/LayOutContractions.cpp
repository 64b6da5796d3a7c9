// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions as linalg.generic ops, in the layouts that vectors read.

#include "Dots/LayOutByteContractions.h"
#include "Sums/LayOutConstants.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LAYOUTCONTRACTIONSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// True for a named op whose sums `qdq-codegen-vectorize` forms in vectors.
static bool isNamedSum(linalg::LinalgOp op) {
  if (isa<linalg::GenericOp>(op.getOperation()) ||
      op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return false;
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0]);
  return sum.isInteger(32) || sum.isF32();
}

static LogicalResult generalizeSums(IRRewriter &rewriter, Operation *root) {
  SmallVector<linalg::LinalgOp> sums;
  root->walk([&](linalg::LinalgOp op) {
    if (isNamedSum(op))
      sums.push_back(op);
  });
  for (linalg::LinalgOp op : sums) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op->emitOpError("is a sum that does not become a linalg.generic");
  }
  return success();
}

namespace {
struct LayOutContractionsPass
    : qdq::impl::LayOutContractionsPassBase<LayOutContractionsPass> {
  using LayOutContractionsPassBase::LayOutContractionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    if (failed(generalizeSums(rewriter, getOperation())))
      return signalPassFailure();
    layOutConstants(rewriter, getOperation());
    if (byteDots)
      layOutByteContractions(rewriter, getOperation());
  }
};
} // namespace
