// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-lint: what constant scales, zero points and inputs decide.

#include "../Analysis/RoundTrips.h"
#include "LintChecks.h"
#include "qdq/Numerics/Evaluator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

/// A scale that is useless in the compute type.
template <typename OpTy>
static void lintScale(OpTy op, LintReport &report, const Semantics &semantics,
                      bool isInverted) {
  FloatType compute = semantics.compute;
  const llvm::fltSemantics &format = compute.getFloatSemantics();
  auto describe = [&](const Number &number) -> std::string {
    const APFloat &scale = std::get<APFloat>(number);
    // A system may write such a scale and mean it: docs/Rationale.md.
    if (scale.isNegative() && !scale.isNaN() && !scale.isZero())
      return ": expected a positive value";
    APFloat converted = roundToFormat(scale, format);
    if (!converted.isFiniteNonZero())
      return llvm::formatv(", and in the compute type '{0}' {1}", compute,
                           toText(converted));
    APFloat reciprocal = APFloat::getOne(format);
    reciprocal.divide(converted, APFloat::rmNearestTiesToEven);
    if (!isInverted || reciprocal.isFiniteNonZero())
      return "";
    return llvm::formatv(", whose reciprocal in the compute type '{0}' is {1}",
                         compute, toText(reciprocal));
  };
  lintElements(op, Hazard::Scale, "scale", op.getScale(), describe, report);
}

/// A zero point that no code stands for.
template <typename OpTy>
static void lintZeroPoint(OpTy op, LintReport &report) {
  if (op.getDomain() != ZeroPointDomain::Stored)
    return;
  std::string text = describeForeignZeroPoint(
      ConstantElements::get(op.getZeroPoint()), op.getStorageElementType());
  if (!text.empty())
    report(op, Hazard::ZeroPoint) << text;
}

/// Elements of a constant input that saturate, or that are NaN.
static void lintInput(QuantizeOp op, LintReport &report,
                      const Semantics &semantics) {
  auto inputs = ConstantElements::get(op.getInput());
  auto parameters = getConstantParameters(op);
  Storage storage = op.getStorage();
  // One group: which one an element belongs to does not matter.
  if (!inputs || !parameters || parameters->size() != 1 || storage.isFloat() ||
      storage.getWidth() > 16)
    return;
  Storage wide = Storage::get(IntegerType::get(op.getContext(), 32));
  Semantics saturating = semantics;
  saturating.overflow = Overflow::Saturate;
  QuantizeFunction function{saturating, wide, parameters->front()};
  int64_t saturated = 0, nans = 0, firstSaturated = 0, firstNaN = 0;
  int64_t count = inputs->getNumDistinct();
  for (int64_t i = 0; i < count; ++i) {
    Number x = (*inputs)[i];
    if (auto *real = std::get_if<APFloat>(&x); real && real->isNaN()) {
      firstNaN = nans++ ? firstNaN : i;
      continue;
    }
    std::optional<Number> code = function(x);
    int64_t value = code ? std::get<APSInt>(*code).getExtValue() : 0;
    if (value < storage.lo || value > storage.hi)
      firstSaturated = saturated++ ? firstSaturated : i;
  }
  if (saturated)
    report(op, Hazard::SaturatedConstant)
        << saturated << " of " << count
        << " constant values are outside of the codes " << storage.lo << " to "
        << storage.hi << ", first element " << firstSaturated;
  if (nans)
    report(op, Hazard::NaNConstant)
        << nans << " of " << count << " constant values are NaN, first element "
        << firstNaN;
}

/// A quantize after a dequantize with the same scale and zero point that does
/// not give the codes back.
static void lintRoundTrip(QuantizeOp op, LintReport &report) {
  auto source = op.getInput().getDefiningOp<DequantizeOp>();
  if (!source || source.getScale() != op.getScale() ||
      source.getZeroPoint() != op.getZeroPoint() ||
      source.getStorageElementType() != op.getStorageElementType())
    return;
  std::string reason;
  FailureOr<RoundTripOps> ops = RoundTripOps::get(op, reason);
  if (failed(ops))
    return;
  int64_t changed = 0;
  SmallVector<Number> codes = ops->getInputCodes();
  for (const RoundTrip &group : ops->groups)
    changed += llvm::count_if(codes, [&](const Number &code) {
      auto identity = [](const Number &c) { return std::optional(c); };
      return !measureDifference(group, identity, code, /*bound=*/0);
    });
  if (changed)
    report(op, Hazard::RoundTrip)
        << changed << " of " << codes.size() * ops->groups.size()
        << " codes change in this dequantize and quantize with "
           "equal parameters";
}

/// The preset that `value` is unpacked with, through casts and reshapes.
static std::optional<PackingPreset> getPreset(Value value) {
  while (value) {
    Operation *op = value.getDefiningOp();
    if (auto unpack = dyn_cast_or_null<UnpackOp>(op))
      return unpack.getPacking().getPreset();
    if (!isa_and_nonnull<tensor::CastOp, tensor::BitcastOp,
                         tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::ExtractSliceOp>(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

/// The two versions of GPTQ differ in what a stored zero point means, and one
/// file has one version.
static void lintPresets(DequantizeOp op, LintReport &report) {
  auto isGPTQ = [](std::optional<PackingPreset> preset) {
    return preset == PackingPreset::GPTQv1 || preset == PackingPreset::GPTQv2;
  };
  std::optional<PackingPreset> codes = getPreset(op.getInput());
  std::optional<PackingPreset> zeroPoints = getPreset(op.getZeroPoint());
  if (codes != zeroPoints && isGPTQ(codes) && isGPTQ(zeroPoints))
    report(op, Hazard::Packing)
        << "codes are packed as '" << stringifyEnum(*codes)
        << "', but zero points as '" << stringifyEnum(*zeroPoints)
        << "': expected one version";
}

void mlir::qdq::lintConstants(QuantizeOp op, LintReport &report) {
  Semantics semantics = resolve(op.getSemanticsFields(), op.getElementTypes());
  lintScale(op, report, semantics, semantics.division == Division::Reciprocal);
  lintZeroPoint(op, report);
  lintInput(op, report, semantics);
  lintRoundTrip(op, report);
}

void mlir::qdq::lintConstants(DequantizeOp op, LintReport &report) {
  Semantics semantics = resolve(op.getSemanticsFields(), op.getElementTypes());
  lintScale(op, report, semantics, /*isInverted=*/false);
  lintZeroPoint(op, report);
  lintPresets(op, report);
  auto parameters = getConstantParameters(op);
  Storage storage = op.getStorage();
  if (!parameters || storage.isFloat() || storage.getWidth() > 16)
    return;
  // The product grows with the distance from the zero point: the ends decide.
  for (auto [index, of] : llvm::enumerate(*parameters)) {
    DequantizeFunction function = getFunction(op, semantics, of);
    for (int64_t end : {storage.lo, storage.hi}) {
      APFloat value = std::get<APFloat>(
          function(getNumberAt(end, op.getStorageElementType())));
      if (!value.isInfinity() || !of.scale.isFinite())
        continue;
      report(op, Hazard::InfiniteCode)
          << "code " << end << " becomes infinite in "
          << op.getElementTypes().expressed << " with scale element " << index
          << ", " << toText(of.scale);
      return;
    }
  }
}
