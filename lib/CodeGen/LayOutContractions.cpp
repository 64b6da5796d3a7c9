// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions as linalg.generic ops, in the layouts that vectors read.

#include "Dots/ByteLayouts.h"
#include "Sums/SumLayouts.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LAYOUTCONTRACTIONSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// Moves transpositions of tensors from outside a loop, with their static
/// destinations, before the loop. Nothing of these could trap in a loop that is
/// not entered.
static void hoistTranspositions(Operation *root) {
  auto isLayout = [](Operation *op, Region *) {
    auto empty = dyn_cast<tensor::EmptyOp>(op);
    auto transpose = dyn_cast<linalg::TransposeOp>(op);
    return (empty && empty.getType().hasStaticShape()) ||
           (transpose && transpose.hasPureTensorSemantics());
  };
  root->walk([&](LoopLikeOpInterface loop) {
    moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) {
          return loop.isDefinedOutsideOfLoop(value);
        },
        isLayout, [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  });
}

/// True for a named op whose sums `qdq-codegen-vectorize` forms in vectors.
static bool isNamedSum(linalg::LinalgOp op) {
  if (isa<linalg::GenericOp>(op.getOperation()) ||
      op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return false;
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0]);
  return sum.isInteger(8) || sum.isInteger(32) || sum.isF32();
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
    widenCodes(rewriter, getOperation());
    collapseLanes(rewriter, getOperation());
    layOutChannels(rewriter, getOperation());
    layOutFields(rewriter, getOperation(), blockFloats);
    layOutFactors(rewriter, getOperation());
    hoistTranspositions(getOperation());
    if (byteDots != ByteDots::None)
      layOutByteContractions(rewriter, getOperation());
    if (byteDots == ByteDots::X86Pairs)
      mergeWindows(rewriter, getOperation());
  }
};
} // namespace
