// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk driver and the diagnostics of what it leaves.

#include "qdq/Conversion/WalkConversion.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace {
/// Keeps the match failures of one op too.
struct ReasonCollector : qdq::DeadProducers {
  void
  notifyMatchFailure(Location loc,
                     function_ref<void(Diagnostic &)> reasonCallback) override {
    Diagnostic reason(loc, DiagnosticSeverity::Error);
    reasonCallback(reason);
    reasons += (reasons.empty() ? "" : "; ") + reason.str();
  }

  std::string reasons;
};
} // namespace

void mlir::qdq::DeadProducers::notifyOperationInserted(
    Operation *op, OpBuilder::InsertPoint previous) {
  if (!previous.isSet())
    candidates.insert(op);
}

void mlir::qdq::DeadProducers::notifyOperationErased(Operation *op) {
  candidates.erase(op);
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      candidates.insert(producer);
}

void mlir::qdq::DeadProducers::erase(MLIRContext *ctx) {
  IRRewriter rewriter(ctx, this);
  while (!candidates.empty()) {
    SmallVector<Operation *> ops(candidates.begin(), candidates.end());
    for (Operation *op : ops)
      if (candidates.erase(op) && isOpTriviallyDead(op))
        rewriter.eraseOp(op);
  }
}

bool mlir::qdq::standsForTerminator(Operation *op) {
  Operation *parent = op->getParentOp();
  return parent && !op->isRegistered() && !op->getNextNode() &&
         !parent->hasTrait<OpTrait::NoTerminator>();
}

LogicalResult mlir::qdq::checkBlockEnd(Operation *op, RewriterBase &rewriter) {
  if (standsForTerminator(op))
    return rewriter.notifyMatchFailure(
        op, "ends its block: expected a terminator after it");
  return success();
}

/// True if one of `left` computes an operand and has given it no rank: that
/// says why both are left.
static bool lacksRankOf(const DenseSet<Operation *> &left, Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<UnrankedTensorType>(operand.getType()) &&
           left.contains(operand.getDefiningOp());
  });
}

LogicalResult mlir::qdq::convertByWalk(
    Operation *root, const FrozenRewritePatternSet &patterns,
    function_ref<bool(Operation *)> isIllegal, Unconverted unconverted) {
  DeadProducers producers;
  walkAndApplyPatterns(root, patterns, &producers);
  producers.erase(root->getContext());

  // The driver tells a listener why a pattern failed, but not on which op: what
  // is left is tried again, one by one.
  ReasonCollector collector;
  PatternRewriter rewriter(root->getContext());
  rewriter.setListener(&collector);
  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  SmallVector<Operation *> left;
  root->walk([&](Operation *op) {
    if (isIllegal(op))
      left.push_back(op);
  });
  // Backwards: an op may go once its users are gone.
  SmallVector<std::pair<Operation *, std::string>> errors;
  for (Operation *op : llvm::reverse(left)) {
    collector.reasons.clear();
    rewriter.setInsertionPoint(op);
    if (failed(applicator.matchAndRewrite(op, rewriter)))
      errors.emplace_back(op, collector.reasons);
  }
  bool mayStay = unconverted == Unconverted::Keep;
  DenseSet<Operation *> refused(llvm::from_range,
                                llvm::make_first_range(errors));
  for (auto &[op, reasons] : llvm::reverse(errors)) {
    if (lacksRankOf(refused, op))
      continue;
    InFlightDiagnostic diagnostic =
        mayStay ? op->emitRemark() << "'" << op->getName() << "' op stays: "
                : op->emitOpError();
    diagnostic << (reasons.empty() ? "was not converted" : reasons);
  }
  collector.erase(root->getContext());
  return success(mayStay || errors.empty());
}
