// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Consumer fusion of elementwise linalg.generic ops.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

static bool isParallel(linalg::GenericOp op) {
  return op && op.getNumLoops() == op.getNumParallelLoops();
}

/// True where fusion saves a tensor and computes nothing twice.
static bool isFree(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return isParallel(producer) && isParallel(consumer) &&
         producer->hasOneUse() &&
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

/// True for a collapse_shape of an elementwise op of expand_shapes, which go,
/// too, where the dimensions are units: what is computed of a sum of each row
/// need not keep the place of the row.
static bool dropsUnits(OpOperand *operand) {
  auto reshape = dyn_cast<tensor::CollapseShapeOp>(operand->getOwner());
  auto generic = operand->get().getDefiningOp<linalg::GenericOp>();
  if (!reshape || !isParallel(generic) || !generic->hasOneUse())
    return false;
  ArrayRef<int64_t> shape = reshape.getSrcType().getShape();
  auto isUnits = [&](const ReassociationIndices &group) {
    return llvm::count_if(group,
                          [&](int64_t dim) { return shape[dim] != 1; }) <= 1;
  };
  auto isExpanded = [](Value input) {
    return !isa<ShapedType>(input.getType()) ||
           input.getDefiningOp<tensor::ExpandShapeOp>();
  };
  return llvm::all_of(reshape.getReassociationIndices(), isUnits) &&
         llvm::all_of(generic.getDpsInputs(), isExpanded);
}

namespace {
struct FuseElementwisePass
    : qdq::impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, isFree);
    linalg::populateFoldReshapeOpsByCollapsingPatterns(patterns, dropsUnits);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
