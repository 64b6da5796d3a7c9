// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-simplify: a quantize of a dequantize as one quantize of the codes.

#include "../Analysis/RoundTrips.h"
#include "SimplifyPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "qdq/IR/FunctionPattern.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

namespace {
/// The forms of a merged op: which zero point it has.
enum class MergedForm {
  /// That of the quantize; the dequantize has none, or zero.
  Target,
  /// The difference of both, as an integer; the scales are equal.
  Difference,
  /// That of the dequantize, as a bias; the quantize has none, or zero.
  Bias,
  /// Both in one, a float in storage units.
  Sum
};
} // namespace

static APFloat toF32(double value) {
  return APFloat(static_cast<float>(value));
}

/// The parameters of one group in this form, or nothing where it does not
/// apply.
static std::optional<GroupParameters> mergeParameters(const RoundTrip &group,
                                                      MergedForm form) {
  std::optional<int64_t> from =
      getInteger(group.dequantize.parameters.zeroPoint);
  std::optional<int64_t> to = getInteger(group.quantize.parameters.zeroPoint);
  if (!from || !to)
    return std::nullopt;
  auto toDouble = [](APFloat scale) { return scale.convertToDouble(); };
  double ratio = toDouble(group.quantize.parameters.scale) /
                 toDouble(group.dequantize.parameters.scale);
  // Neither zero, infinite nor NaN, nor a subnormal that other machines flush.
  if (!(ratio > 1e-30 && ratio < 1e30))
    return std::nullopt;
  GroupParameters merged{toF32(ratio), {}};
  switch (form) {
  case MergedForm::Target:
    if (*from != 0)
      return std::nullopt;
    merged.zeroPoint = group.quantize.parameters.zeroPoint;
    return merged;
  case MergedForm::Difference: {
    const Storage &storage = group.quantize.storage;
    int64_t difference = *to - *from;
    // A zero point lies in the range of the storage type.
    auto [lo, hi] = getIntegerBounds(IntegerType::get(
        storage.type.getContext(), storage.getWidth(),
        storage.isSigned ? IntegerType::Signed : IntegerType::Unsigned));
    if (ratio != 1 || difference < lo || difference > hi)
      return std::nullopt;
    merged.zeroPoint.value =
        APSInt(APInt(32, difference, /*isSigned=*/true), /*isUnsigned=*/false);
    return merged;
  }
  case MergedForm::Bias:
    if (*to != 0)
      return std::nullopt;
    merged.zeroPoint.value = toF32(*from);
    merged.zeroPoint.domain = ZeroPointDomain::Expressed;
    return merged;
  case MergedForm::Sum:
    merged.zeroPoint.value = toF32(*to - *from / ratio);
    return merged;
  }
  llvm_unreachable("unknown form");
}

/// A constant in the shape of `like`, with one element for each group or one
/// for all.
static Value createParameter(RewriterBase &rewriter, Location loc, Type like,
                             ArrayRef<Attribute> elements) {
  auto typed = cast<TypedAttr>(elements.front());
  auto shaped = dyn_cast<ShapedType>(like);
  if (!shaped)
    return arith::ConstantOp::create(rewriter, loc, typed);
  return arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(shaped.clone(typed.getType()), elements));
}

static Value createScale(RewriterBase &rewriter, Location loc, Type like,
                         ArrayRef<GroupParameters> parameters) {
  SmallVector<Attribute> elements;
  for (const GroupParameters &of : parameters)
    elements.push_back(rewriter.getFloatAttr(rewriter.getF32Type(), of.scale));
  return createParameter(rewriter, loc, like, elements);
}

/// Null where no group has one.
static Value createZeroPoint(RewriterBase &rewriter, Location loc, Type like,
                             ArrayRef<GroupParameters> parameters) {
  if (!parameters.front().zeroPoint.value)
    return Value();
  // In 16 bits where possible, for the sake of a sum in 32.
  bool isShort = llvm::all_of(parameters, [](const GroupParameters &of) {
    auto *integer = std::get_if<APSInt>(&*of.zeroPoint.value);
    return integer && llvm::isInt<16>(integer->getExtValue());
  });
  Type type = rewriter.getIntegerType(isShort ? 16 : 32);
  SmallVector<Attribute> elements;
  for (const GroupParameters &of : parameters) {
    if (auto *real = std::get_if<APFloat>(&*of.zeroPoint.value))
      elements.push_back(rewriter.getFloatAttr(rewriter.getF32Type(), *real));
    else
      elements.push_back(rewriter.getIntegerAttr(
          type, std::get<APSInt>(*of.zeroPoint.value).getExtValue()));
  }
  return createParameter(rewriter, loc, like, elements);
}

/// The one quantize of the codes.
static QuantizeOp createMerged(RewriterBase &rewriter, const RoundTripOps &ops,
                               ArrayRef<GroupParameters> parameters,
                               const SemanticsFields &fields) {
  DequantizeOp source = ops.dequantize;
  QuantizeOp op = ops.quantize;
  Location loc = rewriter.getFusedLoc({source.getLoc(), op.getLoc()});
  Type like = ops.isGroupedByQuantize ? op.getScale().getType()
                                      : source.getScale().getType();
  ZeroPointDomainAttr domain;
  if (parameters.front().zeroPoint.domain == ZeroPointDomain::Expressed)
    domain =
        ZeroPointDomainAttr::get(op.getContext(), ZeroPointDomain::Expressed);
  auto merged = QuantizeOp::create(
      rewriter, loc, op.getType(), source.getInput(),
      createScale(rewriter, loc, like, parameters),
      createZeroPoint(rewriter, loc, like, parameters),
      ops.isGroupedByQuantize ? op.getAxisAttr() : source.getAxisAttr(),
      ops.isGroupedByQuantize ? op.getBlockShapeAttr()
                              : source.getBlockShapeAttr(),
      op.getClampAttr(), domain, SemanticsAttr::get(op.getContext(), fields));
  merged->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return merged;
}

/// The worst difference of any group; nothing if it is above `bound`.
static std::optional<int64_t> measureForm(const RoundTripOps &ops,
                                          const Semantics &semantics,
                                          ArrayRef<GroupParameters> parameters,
                                          ArrayRef<Number> inputs,
                                          int64_t bound) {
  int64_t worst = 0;
  for (auto [group, of] : llvm::zip_equal(ops.groups, parameters)) {
    QuantizeFunction merged{semantics, group.quantize.storage, of};
    std::optional<int64_t> difference =
        measureDifference(group, merged, inputs, bound);
    if (!difference)
      return std::nullopt;
    worst = std::max(worst, *difference);
  }
  return worst;
}

static LogicalResult tryForms(RoundTripOps &ops, int64_t allowed,
                              PatternRewriter &rewriter) {
  Type storageType = ops.dequantize.getStorageElementType();
  SmallVector<Number> inputs = ops.getInputCodes();
  ElementTypes types{Direction::Quantize, storageType, rewriter.getF32Type()};
  SemanticsFields fields = ops.quantize.getSemanticsFields();
  fields.compute = Compute::F32;
  fields.fusion = Fusion::None;
  for (MergedForm form : {MergedForm::Target, MergedForm::Difference,
                          MergedForm::Bias, MergedForm::Sum}) {
    SmallVector<GroupParameters> parameters;
    for (const RoundTrip &group : ops.groups)
      if (std::optional<GroupParameters> merged = mergeParameters(group, form))
        parameters.push_back(*merged);
    if (parameters.size() != ops.groups.size())
      continue;
    for (Division division : {Division::Reciprocal, Division::Exact}) {
      fields.division = division;
      std::optional<int64_t> worst =
          measureForm(ops, resolve(fields, types), parameters, inputs, allowed);
      if (!worst)
        continue;
      reportDifference(ops.quantize, "merged with the dequantize before it",
                       *worst, storageType);
      QuantizeOp merged = createMerged(rewriter, ops, parameters, fields);
      if (*worst > 0)
        merged->setAttr(kCodesMovedAttr, rewriter.getUnitAttr());
      rewriter.replaceOp(ops.quantize, merged);
      return success();
    }
  }
  return failure();
}

/// One quantize of the codes does the same: exactly, in the first form that
/// does, or else within the bound.
static LogicalResult mergeRoundTrip(QuantizeOp op, PatternRewriter &rewriter,
                                    const SimplifyOptions &options) {
  std::string reason;
  FailureOr<RoundTripOps> ops = RoundTripOps::get(op, reason);
  if (failed(ops))
    return rewriter.notifyMatchFailure(op, reason);
  if (!ops->dequantize->hasOneUse())
    return rewriter.notifyMatchFailure(op, "the reals have other uses");
  if (ops->dequantize.getStorage().isFloat() || op.getStorage().isFloat())
    return rewriter.notifyMatchFailure(op, "storage is not integer");
  int64_t allowed = getBound(op, options);
  if (succeeded(tryForms(*ops, /*allowed=*/0, rewriter)) ||
      (allowed > 0 && succeeded(tryForms(*ops, allowed, rewriter))))
    return success();
  return rewriter.notifyMatchFailure(op, "one quantize gives other codes");
}

void mlir::qdq::populateSimplifyRequantizePatterns(
    RewritePatternSet &patterns, const SimplifyOptions &options,
    PatternBenefit benefit) {
  // Before divisions: what takes an op away is worth more than what makes it
  // cheaper.
  patterns.add<FunctionPattern<mergeRoundTrip>>(patterns.getContext(), options,
                                                benefit.getBenefit() + 1);
}
