// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named sums as linalg.generic ops.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_GENERALIZEREDUCTIONSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// True for a named op that adds up what `qdq-codegen-vectorize` adds up in
/// vectors.
static bool isNamedSum(linalg::LinalgOp op) {
  if (isa<linalg::GenericOp>(op.getOperation()) ||
      op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return false;
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0]);
  return sum.isInteger(32) || sum.isF32();
}

namespace {
struct GeneralizeReductionsPass
    : qdq::impl::GeneralizeReductionsPassBase<GeneralizeReductionsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> sums;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isNamedSum(op))
        sums.push_back(op);
    });
    if (sums.empty())
      return markAllAnalysesPreserved();
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : sums) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op))) {
        op->emitOpError("is a sum that does not become a linalg.generic");
        return signalPassFailure();
      }
    }
  }
};
} // namespace
