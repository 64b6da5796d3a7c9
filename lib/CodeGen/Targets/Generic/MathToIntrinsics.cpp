// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// math ops with one exact result as calls of LLVM's intrinsics.

#include "qdq/CodeGen/MathToIntrinsics.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/DependentDialects.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_MATHTOINTRINSICSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// An op as a call of `intrinsic`, which takes the same operands.
template <typename OpTy>
struct IntrinsicCall : OpRewritePattern<OpTy> {
  IntrinsicCall(MLIRContext *context, StringRef intrinsic,
                PatternBenefit benefit)
      : OpRewritePattern<OpTy>(context, benefit), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!LLVM::isCompatibleType(op.getType()))
      return rewriter.notifyMatchFailure(op, "is on no type of LLVM");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr(intrinsic), op->getOperands());
    return success();
  }

private:
  StringRef intrinsic;
};

struct MathToIntrinsicsPass
    : qdq::impl::MathToIntrinsicsPassBase<MathToIntrinsicsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathToIntrinsicsPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void mlir::qdq::populateMathToIntrinsicsPatterns(RewritePatternSet &patterns,
                                                 PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createMathToIntrinsicsPass());
  MLIRContext *context = patterns.getContext();
  patterns.add<IntrinsicCall<math::AbsFOp>>(context, "llvm.fabs", benefit);
  patterns.add<IntrinsicCall<math::CeilOp>>(context, "llvm.ceil", benefit);
  patterns.add<IntrinsicCall<math::CopySignOp>>(context, "llvm.copysign",
                                                benefit);
  patterns.add<IntrinsicCall<math::FloorOp>>(context, "llvm.floor", benefit);
  patterns.add<IntrinsicCall<math::FmaOp>>(context, "llvm.fma", benefit);
  patterns.add<IntrinsicCall<math::RoundOp>>(context, "llvm.round", benefit);
  patterns.add<IntrinsicCall<math::RoundEvenOp>>(context, "llvm.roundeven",
                                                 benefit);
  patterns.add<IntrinsicCall<math::TruncOp>>(context, "llvm.trunc", benefit);
}
