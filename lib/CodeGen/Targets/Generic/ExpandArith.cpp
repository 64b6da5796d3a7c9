// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith ops that LLVM has no instruction for, or a wrong one.

#include "../LowerToTarget.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "qdq/Numerics/FloatFormats.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;

namespace {
/// The bits of a scalar bf16 as those of an f32. LLVM 22 makes an FGETSIGN of a
/// bitcast whose sign alone is used, which x86 lowers to 0 for bf16:
/// docs/upstream/x86-bf16-sign.
struct BitcastOpLowering : OpConversionPattern<arith::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;

  static bool isOfBF16(arith::BitcastOp op) {
    return op.getIn().getType().isBF16() && op.getType().isInteger();
  }

  LogicalResult
  matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isOfBF16(op))
      return rewriter.notifyMatchFailure(op, "is not of a scalar bf16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    qdq::Scalar wide = qdq::Scalar(b, adaptor.getIn()).to(b.getF32Type());
    Value bits = shiftRight(wide.bitcast(b.getI32Type()), 16).to(op.getType());
    rewriter.replaceOp(op, bits);
    return success();
  }
};

/// A cast from f64 to bf16 by f32, rounded to odd. LLVM rounds to nearest
/// twice.
struct WideTruncFOpLowering : OpConversionPattern<arith::TruncFOp> {
  using OpConversionPattern::OpConversionPattern;

  static bool isWide(arith::TruncFOp op) {
    return getElementTypeOrSelf(op.getIn()).isF64() &&
           getElementTypeOrSelf(op.getType()).isBF16() &&
           op.getRoundingmode().value_or(
               arith::RoundingMode::to_nearest_even) ==
               arith::RoundingMode::to_nearest_even;
  }

  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isWide(op))
      return rewriter.notifyMatchFailure(op, "is not from f64 to bf16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value odd = qdq::emitTruncateToOdd(b, adaptor.getIn(), b.getF32Type());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
    return success();
  }
};

} // namespace

LogicalResult mlir::qdq::lowerArith(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  arith::populateArithExpandOpsPatterns(patterns);
  arith::populateExpandBFloat16Patterns(patterns);
  patterns.add<BitcastOpLowering, WideTruncFOpLowering>(root->getContext());
  // Legal are maximumf, minimumf and those of integers, of which LLVM has
  // intrinsics, and the extension of bf16, a shift everywhere.
  ConversionTarget target(*root->getContext());
  target.addLegalDialect<arith::ArithDialect>();
  target
      .addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
                    arith::MaxNumFOp, arith::MinNumFOp>();
  target.addDynamicallyLegalOp<arith::BitcastOp>(
      [](arith::BitcastOp op) { return !BitcastOpLowering::isOfBF16(op); });
  // Some processors flush subnormals in theirs.
  target.addDynamicallyLegalOp<arith::TruncFOp>([](arith::TruncFOp op) {
    return !WideTruncFOpLowering::isWide(op) &&
           (!getElementTypeOrSelf(op.getIn()).isF32() ||
            !getElementTypeOrSelf(op.getType()).isBF16());
  });
  return applyPartialConversion(root, target, std::move(patterns));
}
