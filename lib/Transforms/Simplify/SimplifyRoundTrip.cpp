// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-simplify: a quantize of a dequantize that gives every code back.

#include "../Analysis/RoundTrips.h"
#include "SimplifyPatterns.h"
#include "qdq/IR/FunctionPattern.h"

using namespace mlir;
using namespace mlir::qdq;

/// Every code comes back as it was.
static LogicalResult removeRoundTrip(QuantizeOp op, PatternRewriter &rewriter,
                                     const SimplifyOptions &options) {
  std::string reason;
  FailureOr<RoundTripOps> ops = RoundTripOps::get(op, reason);
  if (failed(ops))
    return rewriter.notifyMatchFailure(op, reason);
  Value codes = ops->dequantize.getInput();
  if (codes.getType() != op.getResult().getType())
    return rewriter.notifyMatchFailure(op, "the storage type changes");
  int64_t worst = 0;
  SmallVector<Number> inputs = ops->getInputCodes();
  for (const RoundTrip &group : ops->groups) {
    auto identity = [](const Number &code) { return std::optional(code); };
    std::optional<int64_t> difference =
        measureDifference(group, identity, inputs, getBound(op, options));
    if (!difference)
      return rewriter.notifyMatchFailure(op, "a code changes");
    worst = std::max(worst, *difference);
  }
  reportDifference(op, "removed with the dequantize before it", worst,
                   ops->dequantize.getStorageElementType());
  rewriter.replaceOp(op, codes);
  return success();
}

void mlir::qdq::populateSimplifyRoundTripPatterns(
    RewritePatternSet &patterns, const SimplifyOptions &options,
    PatternBenefit benefit) {
  // Before all others: nothing is cheaper than no op.
  patterns.add<FunctionPattern<removeRoundTrip>>(patterns.getContext(), options,
                                                 benefit.getBenefit() + 2);
}
