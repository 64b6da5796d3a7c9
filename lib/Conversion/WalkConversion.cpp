// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk driver and the diagnostics of what it leaves.

#include "qdq/Conversion/WalkConversion.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace {
/// Keeps the match failures of each op.
struct ReasonCollector : RewriterBase::Listener {
  void notifyPatternBegin(const Pattern &, Operation *op) override {
    current = op;
  }
  void notifyMatchFailure(
      Location loc, function_ref<void(Diagnostic &)> reasonCallback) override {
    Diagnostic reason(loc, DiagnosticSeverity::Error);
    reasonCallback(reason);
    std::string &text = reasons[current];
    text += (text.empty() ? "" : "; ") + reason.str();
  }
  void notifyOperationErased(Operation *op) override { reasons.erase(op); }

  Operation *current = nullptr;
  DenseMap<Operation *, std::string> reasons;
};
} // namespace

LogicalResult
mlir::qdq::convertByWalk(Operation *root,
                         const FrozenRewritePatternSet &patterns,
                         function_ref<bool(Operation *)> isIllegal) {
  ReasonCollector collector;
  walkAndApplyPatterns(root, patterns, &collector);
  bool failed = false;
  root->walk([&](Operation *op) {
    if (!isIllegal(op))
      return;
    failed = true;
    auto reason = collector.reasons.find(op);
    if (reason == collector.reasons.end())
      op->emitOpError("was not converted");
    else
      op->emitOpError(reason->second);
  });
  return failure(failed);
}
