// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-simplify: cheaper ops that give the same codes.

#include "qdq/Transforms/Simplify.h"
#include "SimplifyPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_SIMPLIFYPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

namespace {
struct SimplifyPass : qdq::impl::SimplifyPassBase<SimplifyPass> {
  using SimplifyPassBase::SimplifyPassBase;

  void runOnOperation() override {
    if (maxCodeDiff < 0) {
      emitError(getOperation()->getLoc())
          << "max-code-diff is " << maxCodeDiff.getValue()
          << ": expected 0 or more";
      return signalPassFailure();
    }
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    RewritePatternSet patterns(&getContext());
    qdq::populateSimplifyPatterns(patterns, {maxCodeDiff});
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
    getOperation()->walk(
        [](qdq::QuantizeOp op) { op->removeAttr(qdq::kCodesMovedAttr); });
  }
};
} // namespace

void mlir::qdq::populateSimplifyPatterns(RewritePatternSet &patterns,
                                         const SimplifyOptions &options,
                                         PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createSimplifyPass());
  populateSimplifyZeroPointPatterns(patterns, benefit);
  populateSimplifyDivisionPatterns(patterns, options, benefit);
  populateSimplifyRoundTripPatterns(patterns, options, benefit);
  populateSimplifyRequantizePatterns(patterns, options, benefit);
}
