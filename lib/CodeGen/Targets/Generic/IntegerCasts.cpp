// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts of integers to bf16 and to floats of less than 16 bits, which LLVM
// rounds twice or does not have: through f32 or f64, where they are rounded to
// odd, so that the cast from there is exact in effect.

#include "../LowerToTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/Numerics/FloatFormats.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

/// arith.sitofp and arith.uitofp.
template <typename OpTy>
static LogicalResult lowerIntegerCast(OpTy op, PatternRewriter &rewriter) {
  auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  unsigned width = getElementTypeOrSelf(op.getIn()).getIntOrFloatBitWidth();
  if (!to.isBF16() && to.getWidth() >= 16)
    return rewriter.notifyMatchFailure(op, "is to a float that LLVM has");
  if (width > 64 || isa<TensorType>(op.getType()))
    return rewriter.notifyMatchFailure(op, "is wide, or on a tensor");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto wide = cast<FloatType>(width > 32 ? b.getF64Type() : b.getF32Type());
  constexpr bool isSigned = std::is_same_v<OpTy, arith::SIToFPOp>;
  Value x =
      emitShortenToOdd(b, op.getIn(), isSigned, wide.getFPMantissaWidth());
  Value exact = OpTy::create(b, withShapeOf(wide, op.getType()), x);
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), exact);
  return success();
}

LogicalResult mlir::qdq::lowerIntegerCasts(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<FunctionPattern<lowerIntegerCast<arith::SIToFPOp>>,
               FunctionPattern<lowerIntegerCast<arith::UIToFPOp>>>(
      root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}
