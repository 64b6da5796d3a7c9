// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// math ops with one exact result as calls of LLVM's intrinsics.

#include "qdq/CodeGen/MathToIntrinsics.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/FunctionPattern.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_MATHTOINTRINSICSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// An op as a call of `intrinsic`, which takes the same operands.
template <typename OpTy>
static LogicalResult callInstead(OpTy op, PatternRewriter &rewriter,
                                 StringRef intrinsic) {
  if (!LLVM::isCompatibleType(op.getType()))
    return rewriter.notifyMatchFailure(op, "is on no type of LLVM");
  rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
      op, op.getType(), rewriter.getStringAttr(intrinsic), op->getOperands());
  return success();
}

namespace {
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
  auto add = [&](auto op, StringRef intrinsic) {
    patterns.add<FunctionPattern<callInstead<decltype(op)>>>(
        patterns.getContext(), intrinsic, benefit);
  };
  add(math::AbsFOp(), "llvm.fabs");
  add(math::CeilOp(), "llvm.ceil");
  add(math::CopySignOp(), "llvm.copysign");
  add(math::FloorOp(), "llvm.floor");
  add(math::FmaOp(), "llvm.fma");
  add(math::RoundOp(), "llvm.round");
  add(math::RoundEvenOp(), "llvm.roundeven");
  add(math::TruncOp(), "llvm.trunc");
}
