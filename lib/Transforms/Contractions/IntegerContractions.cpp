// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-integer-contractions: contractions of dequantized tensors, as integers.

#include "qdq/Transforms/IntegerContractions.h"
#include "IntegerContraction.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_INTEGERCONTRACTIONSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// A contraction of dequantized operands as the dequantize of one of integers.
struct DequantizeSums : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    auto contraction = FloatContraction::match(op);
    if (failed(contraction))
      return rewriter.notifyMatchFailure(op, "is no contraction of floats");
    std::string reason;
    auto integers = IntegerContraction::get(*contraction, reason);
    if (failed(integers))
      return rewriter.notifyMatchFailure(op, reason);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, integers->emitReal(b));
    return success();
  }
};

struct IntegerContractionsPass
    : qdq::impl::IntegerContractionsPassBase<IntegerContractionsPass> {
  using IntegerContractionsPassBase::IntegerContractionsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateIntegerContractionPatterns(patterns);
    auto stays = [](Operation *op) {
      auto contraction = FloatContraction::match(op);
      return succeeded(contraction) &&
             (DequantizedOperand::find(contraction->getOperand(0)) ||
              DequantizedOperand::find(contraction->getOperand(1)));
    };
    if (failed(convertByWalk(getOperation(), std::move(patterns), stays,
                             Unconverted::Keep)))
      signalPassFailure();
  }
};
} // namespace

void mlir::qdq::populateIntegerContractionPatterns(RewritePatternSet &patterns,
                                                   PatternBenefit benefit) {
  patterns.add<DequantizeSums>(patterns.getContext(), benefit);
}
