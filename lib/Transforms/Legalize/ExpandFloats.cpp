// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith casts from and to small floats to integer ops.

#include "qdq/Transforms/Legalize/ExpandFloats.h"
#include "RoundingMode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Evaluator.h"
#include "qdq/Numerics/FloatFormats.h"
#include "qdq/Numerics/Scalar.h"
#include "qdq/Transforms/Legalize/NamedBodies.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_EXPANDFLOATSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

static FloatType getFormat(Value v) {
  return cast<FloatType>(getElementTypeOrSelf(v));
}

static bool isExpanded(FloatType type, bool includeF16) {
  return type.getWidth() < 16 || (includeF16 && type.isF16());
}

namespace {
/// A cast from or to a small float, to integer ops at once: a chain of two
/// casts would be one again for a driver that folds.
template <typename OpTy>
struct ExpandCast : OpRewritePattern<OpTy> {
  ExpandCast(MLIRContext *ctx, const ExpandFloatsOptions &options,
             PatternBenefit benefit)
      : OpRewritePattern<OpTy>(ctx, benefit), options(options) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    FloatType from = getFormat(op.getIn()), to = getFormat(op.getOut());
    if (isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "is on a tensor");
    if (!isExpanded(from) && !isExpanded(to))
      return rewriter.notifyMatchFailure(op, "has no small float");
    if (isInNamedBody(op))
      return rewriter.notifyMatchFailure(op, "is what a named op computes");
    if (from.getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "is from a float wider than f64");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expand(b, op, from, to));
    return success();
  }

private:
  bool isExpanded(FloatType type) const {
    return ::isExpanded(type, options.includeF16);
  }

  /// True for formats that are bits of f16, if f16 is there.
  bool isThroughF16(FloatType format) const {
    return options.throughF16 && !options.includeF16 && hasHalfBits(format);
  }

  /// True for vectors whose magnitudes lie in a short table. Formats of as few
  /// bits have -0, and no NaN and infinity.
  bool isLookedUp(Value v) const {
    auto type = dyn_cast<VectorType>(v.getType());
    return options.lookupBits != 0 && type && type.getRank() == 1 &&
           !type.isScalable() && type.getElementTypeBitWidth() <= 6 &&
           type.getNumElements() <= LookupOp::kMaxLanes &&
           type.getNumElements() * 32 % options.lookupBits == 0;
  }

  /// `v`, a small float, as f32: its magnitude out of a table, and its sign.
  Value lookUp(ImplicitLocOpBuilder &b, Value v) const {
    FloatType format = getFormat(v);
    unsigned width = format.getWidth();
    SmallVector<int32_t> magnitudes;
    for (uint64_t code = 0; code < uint64_t(1) << (width - 1); ++code) {
      llvm::APFloat number(format.getFloatSemantics(),
                           llvm::APInt(width, code));
      magnitudes.push_back(roundToFormat(number, llvm::APFloat::IEEEsingle())
                               .bitcastToAPInt()
                               .getZExtValue());
    }
    auto table = VectorType::get(magnitudes.size(), b.getI32Type());
    auto shape = cast<VectorType>(v.getType());
    Scalar code = Scalar(b, v)
                      .bitcast(b.getIntegerType(width))
                      .toUnsigned(b.getI32Type());
    Value entries = arith::ConstantOp::create(
        b, DenseElementsAttr::get(table, ArrayRef(magnitudes)));
    Scalar magnitude(
        b, LookupOp::create(b, shape.clone(b.getI32Type()), entries, code));
    Scalar sign = (code << (32 - width)) & (int64_t(1) << 31);
    return (magnitude | sign).bitcast(b.getF32Type());
  }

  /// `v`, a small float, as f32.
  Value decode(ImplicitLocOpBuilder &b, Value v) const {
    if (isLookedUp(v))
      return lookUp(b, v);
    FloatType format = getFormat(v);
    if (!isThroughF16(format))
      return emitDecode(b, v, b.getF32Type());
    Scalar wide = Scalar(b, emitDecodeAsHalf(b, v)).to(b.getF32Type());
    int scale = getHalfScale(format);
    return scale == 0 ? wide : wide * std::ldexp(1.0, scale);
  }

  Value expand(ImplicitLocOpBuilder &b, arith::ExtFOp op, FloatType from,
               FloatType to) const {
    if (to.isBF16())
      return emitDecode(b, op.getIn(), to);
    if (to.isF16() && isThroughF16(from) && getHalfScale(from) == 0)
      return emitDecodeAsHalf(b, op.getIn());
    Value wide = decode(b, op.getIn());
    if (to.isF32())
      return wide;
    if (isExpanded(to))
      return emitEncode(b, wide, to, options.tellsRanges);
    if (to.isF16())
      return arith::TruncFOp::create(b, op.getType(), wide);
    return arith::ExtFOp::create(b, op.getType(), wide);
  }

  Value expand(ImplicitLocOpBuilder &b, arith::TruncFOp op, FloatType from,
               FloatType to) const {
    Value v = op.getIn();
    if (isExpanded(from))
      v = decode(b, v);
    else if (from.getWidth() < 32)
      v = Scalar(b, v).to(b.getF32Type());
    FormatRounding how;
    if (op.getRoundingmode())
      how.rounding = toRounding(*op.getRoundingmode());
    if (how.rounding != Rounding::NearestEven || from.getWidth() > 32)
      v = emitRoundToFormat(b, v, to, how);
    return emitEncode(b, v, to, options.tellsRanges);
  }

  ExpandFloatsOptions options;
};

struct ExpandFloatsPass : qdq::impl::ExpandFloatsPassBase<ExpandFloatsPass> {
  using ExpandFloatsPassBase::ExpandFloatsPassBase;

  void runOnOperation() override {
    auto isSmall = [&](Value v) {
      return isExpanded(getFormat(v), includeF16);
    };
    generalizeNamedBodies(getOperation(), [&](Operation *op) {
      return isa<arith::ExtFOp, arith::TruncFOp>(op) &&
             (isSmall(op->getOperand(0)) || isSmall(op->getResult(0)));
    });
    // A greedy driver would fold casts of NaN and infinities, which upstream
    // gets wrong (docs/upstream/truncf-nan-to-f4); a walk does not visit what
    // it creates.
    apply(arith::populateExpandScalingExtTruncPatterns);
    apply([&](RewritePatternSet &patterns) {
      populateExpandFloatsPatterns(
          patterns, {includeF16, throughF16, tellsRanges, lookupBits});
    });
  }

private:
  void apply(function_ref<void(RewritePatternSet &)> populate) {
    RewritePatternSet patterns(&getContext());
    populate(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void mlir::qdq::populateExpandFloatsPatterns(RewritePatternSet &patterns,
                                             const ExpandFloatsOptions &options,
                                             PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createExpandFloatsPass());
  patterns.add<ExpandCast<arith::ExtFOp>, ExpandCast<arith::TruncFOp>>(
      patterns.getContext(), options, benefit);
}
