// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream's elimination of empty tensors, where it is right:
// docs/upstream/eliminate-empty-tensors-shared-fill, -of-a-branch.

#include "../Analysis/MayTrap.h"
#include "Preparations.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace {
/// The way of a result from `user`, which takes the empty tensor, to where it
/// ends.
struct Way {
  /// Something else uses one of the tensors between, or writes to the last.
  bool isShared = false;
  /// It ends there in one branch only, and might be of another size.
  bool isConditional = false;
};
} // namespace

/// The one result of an op; none of an op of several, which upstream follows by
/// their destinations, each of which has a use of its own.
static OpResult getOnlyResult(Operation *op) {
  return op->getNumResults() == 1 ? op->getResult(0) : OpResult();
}

/// The result into which the owner of a use puts what it reads.
static OpResult getResult(OpOperand *use) {
  Operation *op = use->getOwner();
  if (isa<scf::YieldOp>(op) && isa<scf::IfOp>(op->getParentOp()))
    return op->getParentOp()->getResult(use->getOperandNumber());
  return getOnlyResult(op);
}

/// True if no op writes to the tensor of a use, or to a part of it.
static bool isOnlyRead(OpOperand &first, const AnalysisState &state) {
  SetVector<OpOperand *> uses;
  uses.insert(&first);
  for (size_t i = 0; i < uses.size(); ++i) {
    OpOperand &use = *uses[i];
    // A yield or call passes the tensor on to what is not followed here.
    if (state.bufferizesToMemoryWrite(use) ||
        use.getOwner()->hasTrait<OpTrait::IsTerminator>() ||
        isa<CallOpInterface>(use.getOwner()))
      return false;
    for (AliasingValue alias : state.getAliasingValues(use))
      for (OpOperand &next : alias.value.getUses())
        uses.insert(&next);
  }
  return true;
}

static Way findWay(Operation *user, Operation *end,
                   const AnalysisState &state) {
  Way way;
  for (OpResult result = getOnlyResult(user); result;) {
    if (llvm::is_contained(result.getUsers(), end)) {
      way.isShared |= llvm::any_of(result.getUses(), [&](OpOperand &use) {
        return use.getOwner() != end && !isOnlyRead(use, state);
      });
      way.isConditional |= end->getBlock() != result.getOwner()->getBlock();
      break;
    }
    OpOperand *next = nullptr;
    for (OpOperand &use : result.getUses()) {
      if (isa<tensor::DimOp>(use.getOwner()))
        continue;
      // Of several uses, the one that comes to the end is not known.
      way.isShared |= next != nullptr;
      way.isConditional |=
          use.getOwner()->getBlock() != result.getOwner()->getBlock();
      next = &use;
    }
    if (!next)
      break;
    result = getResult(next);
  }
  return way;
}

/// The buffer in which a result ends belongs to that result alone. What says
/// where in it is computed before `user` then.
static Value extractOwnSubset(RewriterBase &rewriter,
                              SubsetInsertionOpInterface op,
                              tensor::EmptyOp empty, Operation *user,
                              const AnalysisState &state) {
  Way way = findWay(user, op, state);
  if (way.isConditional ||
      (way.isShared && isa<MaterializeInDestinationOp>(op.getOperation())))
    return {};
  if (!qdq::mayComputeBefore(op.getValuesNeededToBuildSubsetExtraction(), user,
                             DominanceInfo()))
    return {};
  Value subset = buildSubsetExtraction(rewriter, op, empty, user);
  // Ops before `user` compute parts, and can put them into a part of this.
  auto whole = subset ? subset.getDefiningOp<ToTensorOp>() : ToTensorOp();
  if (whole && whole->getBlock() == whole.getBuffer().getParentBlock()) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfterValue(whole.getBuffer());
    rewriter.moveOpBefore(whole, rewriter.getInsertionBlock(),
                          rewriter.getInsertionPoint());
  }
  return subset;
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
  // Buffers of the caller first: parts of a tensor then go to parts of those.
  for (bool toCaller : {true, false})
    if (failed(bufferization::eliminateEmptyTensors(
            rewriter, root, state,
            [&](RewriterBase &rewriter, SubsetInsertionOpInterface op,
                tensor::EmptyOp empty, Operation *user) {
              if (isa<MaterializeInDestinationOp>(op.getOperation()) !=
                  toCaller)
                return Value();
              return extractOwnSubset(rewriter, op, empty, user, state);
            })))
      return failure();
  return success();
}
