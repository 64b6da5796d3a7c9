// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// math.fma on bf16 in f64: LLVM rounds it to f32 first
// (docs/upstream/x86-bf16-fma). The same on f32, for processors without it.

#include "../LowerToTarget.h"
#include "RoundToOdd.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::qdq;

/// In f64, which has room for the product, and the sum rounded to odd there.
template <typename Element>
static LogicalResult expandFma(math::FmaOp op, PatternRewriter &rewriter) {
  Type type = op.getType();
  if (!isa<Element>(getElementTypeOrSelf(type)))
    return rewriter.notifyMatchFailure(op, "is on another type");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type wide = cloneWith(type, b.getF64Type());
  auto extend = [&](Value v) -> Value {
    return arith::ExtFOp::create(b, wide, v);
  };
  Value p = arith::MulFOp::create(b, extend(op.getA()), extend(op.getB()));
  Value c = extend(op.getC());
  Value sum = arith::AddFOp::create(b, p, c);

  // The error of the rounded sum: Knuth's two-sum.
  Value cPart = arith::SubFOp::create(b, sum, p);
  Value pPart = arith::SubFOp::create(b, sum, cPart);
  Value error = arith::AddFOp::create(b, arith::SubFOp::create(b, p, pPart),
                                      arith::SubFOp::create(b, c, cPart));

  rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type,
                                               roundToOdd(b, sum, error));
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
