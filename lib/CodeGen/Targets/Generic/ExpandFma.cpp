// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// math.fma on bf16 in f64: LLVM rounds it to f32 first
// (docs/upstream/x86-bf16-fma). The same on f32, for processors without it.

#include "../LowerToTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/Numerics/FloatFormats.h"

using namespace mlir;
using namespace mlir::qdq;

/// In f64, which has room for the product.
template <typename Element>
static LogicalResult expandFma(math::FmaOp op, PatternRewriter &rewriter) {
  if (!isa<Element>(getElementTypeOrSelf(op.getType())))
    return rewriter.notifyMatchFailure(op, "is on another type");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(
      op, op.getType(), emitFMAInF64(b, op.getA(), op.getB(), op.getC()));
  return success();
}

template <typename Element>
static LogicalResult expandFmas(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add(expandFma<Element>);
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}

LogicalResult mlir::qdq::lowerFma(Operation *root) {
  return expandFmas<BFloat16Type>(root);
}

LogicalResult mlir::qdq::lowerF32Fma(Operation *root) {
  return expandFmas<Float32Type>(root);
}
