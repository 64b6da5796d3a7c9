// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops between a contraction and a quantize, past the reshape of the
// contraction's result.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Transforms/Motion.h"

using namespace mlir;
using namespace mlir::qdq;

static bool isElementwise(linalg::GenericOp op) {
  return op && op.getNumLoops() == op.getNumParallelLoops() &&
         op.getNumResults() == 1;
}

/// True if a chain of elementwise ops, each used once, quantizes the result of
/// `op`.
static bool endsInQuantize(linalg::GenericOp op) {
  while (isElementwise(op) && op->hasOneUse()) {
    Operation *user = *op->user_begin();
    if (isa<QuantizeOp>(user))
      return true;
    op = dyn_cast<linalg::GenericOp>(user);
  }
  return false;
}

/// Or the result of elementwise ops that have been moved.
static bool isContraction(linalg::LinalgOp op) {
  return op && (linalg::isaContractionOpInterface(op) ||
                linalg::isaConvolutionOpInterface(op) ||
                isElementwise(dyn_cast<linalg::GenericOp>(*op)));
}

void mlir::qdq::populateElementwiseMotionPatterns(RewritePatternSet &patterns,
                                                  PatternBenefit benefit) {
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [](OpOperand *operand) {
        auto collapse = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
        return collapse && collapse->hasOneUse() &&
               isContraction(
                   collapse.getSrc().getDefiningOp<linalg::LinalgOp>()) &&
               endsInQuantize(dyn_cast<linalg::GenericOp>(operand->getOwner()));
      });
}
