// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream's elimination of empty tensors, where it is right:
// docs/upstream/eliminate-empty-tensors-shared-fill.

#include "../Analysis/MayTrap.h"
#include "PrepareBufferization.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::bufferization;

/// True if something else reads one of the tensors between `user`, which takes
/// the empty one, and `end`. Upstream follows ops of more results by their
/// destinations, each of which has a use of its own.
static bool isShared(Operation *user, Operation *end) {
  for (Operation *op = user; op != end && op->getNumResults() == 1;
       op = *op->getUsers().begin())
    if (!op->getResult(0).hasOneUse())
      return true;
  return false;
}

/// The buffer in which a result ends belongs to that result alone. What says
/// where in it is computed before `user` then.
static Value extractOwnSubset(RewriterBase &rewriter,
                              SubsetInsertionOpInterface op,
                              tensor::EmptyOp empty, Operation *user) {
  if (isa<MaterializeInDestinationOp>(op.getOperation()) && isShared(user, op))
    return {};
  if (!qdq::mayComputeBefore(op.getValuesNeededToBuildSubsetExtraction(), user,
                             DominanceInfo()))
    return {};
  return buildSubsetExtraction(rewriter, op, empty, user);
}

/// An empty tensor for each use: the analysis compares all uses of one with
/// each other.
static void unshareEmptyTensors(RewriterBase &rewriter, Operation *root) {
  root->walk([&](tensor::EmptyOp empty) {
    if (empty->use_empty())
      return;
    rewriter.setInsertionPointAfter(empty);
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(empty->getUses())))
      rewriter.modifyOpInPlace(use.getOwner(), [&] {
        use.set(rewriter.clone(*empty)->getResult(0));
      });
  });
}

LogicalResult mlir::qdq::eliminateEmptyTensors(Operation *root) {
  IRRewriter rewriter(root->getContext());
  unshareEmptyTensors(rewriter, root);
  OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  OneShotAnalysisState state(root, options);
  if (failed(analyzeOp(root, state)))
    return failure();
  return bufferization::eliminateEmptyTensors(rewriter, root, state,
                                              extractOwnSubset);
}
