// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-lint: remarks on conversions that do what they say, but perhaps not what
// was meant.

#include "LintChecks.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LINTPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

namespace {
struct LintPass : qdq::impl::LintPassBase<LintPass> {
  using LintPassBase::LintPassBase;

  void runOnOperation() override {
    qdq::LintReport report;
    auto lint = [&](auto op) {
      qdq::lintTypes(op, report);
      qdq::lintConstants(op, report);
      qdq::lintProfiles(op, report);
    };
    getOperation()->walk([&](Operation *op) {
      if (auto quantize = dyn_cast<qdq::QuantizeOp>(op))
        lint(quantize);
      else if (auto dequantize = dyn_cast<qdq::DequantizeOp>(op))
        lint(dequantize);
      else if (auto requantize = dyn_cast<qdq::RequantizeOp>(op))
        qdq::lintRequantize(requantize, report);
      else
        qdq::lintContraction(op, report);
    });
    report.emit(details);
    markAllAnalysesPreserved();
  }
};
} // namespace
