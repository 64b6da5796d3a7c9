// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts of integers to bf16 and to floats of less than 16 bits, which LLVM
// rounds twice or does not have: through f32 or f64, where they are rounded to
// odd, so that the cast from there is exact in effect.

#include "../LowerToTarget.h"
#include "RoundToOdd.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::qdq;

/// `x`, or the odd one of the two multiples of 2^`places` beside it where the
/// magnitude has more than `precision` bits. Both have at most `precision`
/// significant bits, and an odd one is no midpoint of a shorter format.
static Value shortenToOdd(ImplicitLocOpBuilder &b, Value x, bool isSigned,
                          unsigned precision) {
  Type type = x.getType();
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  unsigned width = element.getWidth(), places = width - precision;
  auto constant = [&](const APInt &value) -> Value {
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(b, attr);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs, APInt rhs) {
    return arith::CmpIOp::create(b, predicate, lhs, constant(rhs));
  };
  APInt low = APInt::getLowBitsSet(width, places);
  Value rest = arith::AndIOp::create(b, x, constant(low));
  Value high = arith::AndIOp::create(b, x, constant(~low));
  Value odd = arith::OrIOp::create(
      b, high, constant(APInt::getOneBitSet(width, places)));
  Value isWhole =
      compare(arith::CmpIPredicate::eq, rest, APInt::getZero(width));
  Value shortened = arith::SelectOp::create(b, isWhole, x, odd);
  // From -2^precision to 2^precision - 1.
  Value place = x;
  APInt bound = APInt::getOneBitSet(width, precision);
  if (isSigned) {
    place = arith::AddIOp::create(b, x, constant(bound));
    bound <<= 1;
  }
  Value isShort = compare(arith::CmpIPredicate::ult, place, bound);
  return arith::SelectOp::create(b, isShort, x, shortened);
}

namespace {
/// arith.sitofp and arith.uitofp.
template <typename OpTy>
struct IntegerCastLowering : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    unsigned width = getElementTypeOrSelf(op.getIn()).getIntOrFloatBitWidth();
    if (!to.isBF16() && to.getWidth() >= 16)
      return rewriter.notifyMatchFailure(op, "is to a float that LLVM has");
    if (width > 64 || isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "is wide, or on a tensor");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto wide = cast<FloatType>(width > 32 ? b.getF64Type() : b.getF32Type());
    unsigned precision = wide.getFPMantissaWidth();
    Value x = op.getIn();
    constexpr bool isSigned = std::is_same_v<OpTy, arith::SIToFPOp>;
    if (width - isSigned > precision)
      x = shortenToOdd(b, x, isSigned, precision);
    Value exact = OpTy::create(b, cloneWith(op.getType(), wide), x);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), exact);
    return success();
  }
};
} // namespace

LogicalResult mlir::qdq::lowerIntegerCasts(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<IntegerCastLowering<arith::SIToFPOp>,
               IntegerCastLowering<arith::UIToFPOp>>(root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}
