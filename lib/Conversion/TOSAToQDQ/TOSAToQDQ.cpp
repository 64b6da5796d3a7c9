// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quantized ops of TOSA to qdq: their patterns, and the pass.

#include "qdq/Conversion/TOSAToQDQ/TOSAToQDQ.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/Walk.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTTOSATOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isTOSAQuantizationOp(Operation *op) {
  // By name: MLIR 23 has operators on blocks that MLIR 22 lacks.
  StringRef name = op->getName().getStringRef();
  return isa<tosa::RescaleOp>(op) ||
         (name.starts_with("tosa.") &&
          (name.ends_with("_block_scaled") ||
           llvm::any_of(op->getOperandTypes(), isBlockScaled) ||
           llvm::any_of(op->getResultTypes(), isBlockScaled)));
}

namespace {
template <typename OpTy,
          LogicalResult (*translate)(const ForeignOp &, OpTy, const Stamp &)>
struct TOSAOpLowering : OpRewritePattern<OpTy> {
  TOSAOpLowering(MLIRContext *ctx, const SemanticsOptions &options,
                 PatternBenefit benefit)
      : OpRewritePattern<OpTy>(ctx, benefit), options(options) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    // None rounds anything that a profile chooses.
    return translate(ForeignOp(op, rewriter), op,
                     Stamp{options, Profile::ONNX});
  }

  SemanticsOptions options;
};

/// An op that MLIR 22 lacks, by its name.
struct NamedOpLowering : RewritePattern {
  NamedOpLowering(StringRef name, Translation *translate, MLIRContext *ctx,
                  const SemanticsOptions &options, PatternBenefit benefit)
      : RewritePattern(name, benefit, ctx), translate(translate),
        options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkBlockEnd(op, rewriter)))
      return failure();
    return translate(ForeignOp(op, rewriter), Stamp{options, Profile::ONNX});
  }

  Translation *translate;
  SemanticsOptions options;
};
} // namespace

void mlir::qdq::populateTOSAToQDQPatterns(RewritePatternSet &patterns,
                                          const SemanticsOptions &options,
                                          PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertTOSAToQDQPass());
  patterns
      .add<TOSAOpLowering<tosa::RescaleOp, translateRescale>,
           TOSAOpLowering<tosa::CastFromBlockScaledOp, translateCastFromBlocks>,
           TOSAOpLowering<tosa::CastToBlockScaledOp, translateCastToBlocks>,
           TOSAOpLowering<tosa::MatmulTBlockScaledOp, translateProductOfBlocks>,
           TOSAOpLowering<tosa::CastOp, translateBlockScaledCast>>(
          patterns.getContext(), options, benefit);
  auto add = [&](StringRef name, Translation *translate) {
    patterns.add<NamedOpLowering>(name, translate, patterns.getContext(),
                                  options, benefit);
  };
  add("tosa.conv2d_block_scaled", translateConvolutionOfBlocks);
  add("tosa.reshape_block_scaled", translateReshapeOfBlocks);
  add("tosa.row_gather_block_scaled", translateRowGatherOfBlocks);
}

namespace {
struct ConvertTOSAToQDQPass
    : qdq::impl::ConvertTOSAToQDQPassBase<ConvertTOSAToQDQPass> {
  using ConvertTOSAToQDQPassBase::ConvertTOSAToQDQPassBase;

  void runOnOperation() override {
    if (!hasAny(getOperation(), isTOSAQuantizationOp))
      return markAllAnalysesPreserved();
    RewritePatternSet patterns(&getContext());
    populateTOSAToQDQPatterns(patterns, SemanticsOptions::from(*this));
    if (failed(convertByWalk(getOperation(), std::move(patterns),
                             isTOSAQuantizationOp, unconverted)))
      return signalPassFailure();
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](tosa::ConstOp constant) {
          if (constant->use_empty())
            constant.erase();
        });
  }
};
} // namespace
