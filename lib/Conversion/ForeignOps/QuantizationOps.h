// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The qdq ops that stand for a foreign op: their parameters and semantics.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_QUANTIZATIONOPS_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_QUANTIZATIONOPS_H

#include "ForeignOp.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/Walk.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Which elements of the input share a scale. Both null: all of them.
struct Placement {
  IntegerAttr axis;
  DenseI64ArrayAttr blockShape;

  bool isTensor() const { return !axis && !blockShape; }
};

/// The parameters of an op; `zeroPoint` is null where the op has none.
struct QuantizationParameters {
  Placement placement;
  ForeignTensor scale, zeroPoint;
  ZeroPointDomain domain = ZeroPointDomain::Stored;
};

/// The sources of semantics for the ops that a source makes, beside the ops:
/// the profile of the source's system, and the options.
struct Stamp {
  SemanticsOptions options;
  Profile own;

  Profile getProfile() const { return options.profile.value_or(own); }

  /// The complete semantics of an op that itself spells `spelled`.
  SemanticsAttr operator()(ElementTypes types,
                           const SemanticsFields &spelled = {}) const {
    return SemanticsAttr::get(types.scale.getContext(),
                              options.stamp(spelled, own, types));
  }
};

/// Replaces an op by qdq ops, or refuses it with a reason.
using Translation = LogicalResult(const ForeignOp &op, const Stamp &stamp);

/// The translation of what has been read of an op, and the one that reads it:
/// `read(op, stamp)`, or `read(op)`, says which operands it allows.
template <typename Node>
using TranslationOf = LogicalResult(const ForeignOp &op, const Stamp &stamp,
                                    const Node &node);
template <auto read, auto translate>
LogicalResult readAndTranslate(const ForeignOp &op, const Stamp &stamp) {
  auto readNode = [&] {
    if constexpr (std::is_invocable_v<decltype(read), const ForeignOp &>)
      return read(op);
    else
      return read(op, stamp);
  };
  auto node = readNode();
  return failed(node) ? failure() : translate(op, stamp, *node);
}

/// A pattern of a source: looks for the translation of an op, and applies it.
class SourceLowering : public RewritePattern {
public:
  using Lower = LogicalResult (*)(const ForeignOp &op,
                                  const SemanticsOptions &options);

  /// Of the ops of a name.
  SourceLowering(StringRef name, MLIRContext *ctx, Lower lower,
                 const SemanticsOptions &options, PatternBenefit benefit,
                 bool runtimeChecks = false)
      : RewritePattern(name, benefit, ctx), lower(lower), options(options),
        runtimeChecks(runtimeChecks) {}

  /// Of all ops.
  SourceLowering(MLIRContext *ctx, Lower lower, const SemanticsOptions &options,
                 PatternBenefit benefit, bool runtimeChecks = false)
      : RewritePattern(MatchAnyOpTypeTag(), benefit, ctx), lower(lower),
        options(options), runtimeChecks(runtimeChecks) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    return lower(ForeignOp(op, rewriter, runtimeChecks), options);
  }

private:
  Lower lower;
  SemanticsOptions options;
  bool runtimeChecks;
};

/// A pass, whose generated base is `Base`, that converts the ops of a source.
template <typename Base>
struct SourcePass : Base {
  using Base::Base;

  /// The casts of torch-mlir's spelling are ops of this dialect, which nobody
  /// may have loaded where it is registered.
  LogicalResult initialize(MLIRContext *ctx) override {
    ctx->getOrLoadDialect("torch_c");
    return success();
  }

protected:
  /// Applies the patterns that `populate` adds, if `isSource` is true for any
  /// op; none may be left. Then erases what nobody uses.
  void convert(function_ref<bool(Operation *)> isSource,
               function_ref<void(RewritePatternSet &)> populate,
               function_ref<void(Operation *)> eraseDead) {
    Operation *root = this->getOperation();
    if (!hasAny(root, isSource))
      return this->markAllAnalysesPreserved();
    RewritePatternSet patterns(&this->getContext());
    populate(patterns);
    if (failed(convertByWalk(root, std::move(patterns), isSource,
                             this->unconverted)))
      return this->signalPassFailure();
    eraseDead(root);
  }
};

/// Refuses a zero point that is constant and no code of `storage`.
LogicalResult checkZeroPointRange(const ForeignOp &op, ForeignTensor zeroPoint,
                                  Type storage);

/// The scale as an operand of a qdq op.
Value materializeScale(const ForeignOp &op,
                       const QuantizationParameters &parameters);

/// The op that does it. `scale` replaces the parameters' scale where it is
/// given; `clamp` narrows the range of the codes.
Value createQuantize(const ForeignOp &op, ForeignTensor input, Type storage,
                     const QuantizationParameters &parameters,
                     SemanticsAttr semantics, Value scale = nullptr,
                     DenseI64ArrayAttr clamp = nullptr);
Value createDequantize(const ForeignOp &op, ForeignTensor input, Type expressed,
                       const QuantizationParameters &parameters,
                       SemanticsAttr semantics);

/// The same from f32, of an op that itself spells `spelled`, and to f32.
Value quantizeF32(const ForeignOp &op, const Stamp &stamp, ForeignTensor input,
                  Type storage, const QuantizationParameters &parameters,
                  const SemanticsFields &spelled = {},
                  DenseI64ArrayAttr clamp = nullptr);
Value dequantizeF32(const ForeignOp &op, const Stamp &stamp,
                    ForeignTensor input,
                    const QuantizationParameters &parameters,
                    const SemanticsFields &spelled = {});

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_QUANTIZATIONOPS_H
