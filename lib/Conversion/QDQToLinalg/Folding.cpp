// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which qdq ops become part of the generic of their neighbour.

#include "Folding.h"
#include "PackedContainers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;
using Role = IterationSpace::Role;

template <typename OpTy>
static RankedTensorType getValueType(OpTy op) {
  return dyn_cast<RankedTensorType>(op.getInput().getType());
}

/// The loops of `op`, split further where `splits` say.
template <typename OpTy>
static FailureOr<IterationSpace>
split(OpTy op, const QDQToLinalgOptions &options,
      const IterationSpace::Splits &splits, std::string &reason) {
  return IterationSpace::get(getValueType(op), op.getGranularity(),
                             op.getScale().getType(), options.blockForm, reason,
                             /*isPadded=*/false, splits);
}

/// The op that gives the scale of `op`, where its body may compute it.
template <typename OpTy>
static DequantizeOp getScaleOp(OpTy op, const QDQToLinalgOptions &options) {
  auto scale = op.getScale().template getDefiningOp<DequantizeOp>();
  if (!scale || !getValueType(op) || !getValueType(scale))
    return {};
  std::string reason;
  FailureOr<IterationSpace> space = split(op, options, {}, reason);
  int64_t rank = getValueType(op).getRank();
  if (failed(space) || !space->isProjected(space->getParameterDims()))
    return {};
  // Along the innermost dimension, a scale that changes would be computed for
  // every element.
  if (rank > 0 && space->getRole(rank - 1) == Role::Each)
    return {};
  return scale;
}

bool mlir::qdq::isComputedByUsers(DequantizeOp op,
                                  const QDQToLinalgOptions &options) {
  return !op->use_empty() && llvm::all_of(op->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    // Operand 1 is the scale.
    if (use.getOperandNumber() != 1)
      return false;
    if (auto quantize = dyn_cast<QuantizeOp>(user))
      return getScaleOp(quantize, options) == op;
    auto dequantize = dyn_cast<DequantizeOp>(user);
    return dequantize && getScaleOp(dequantize, options) == op;
  });
}

/// The lengths of the blocks of scales that are computed in the body.
template <typename OpTy>
static IterationSpace::Splits
getScaleSplits(OpTy op, const QDQToLinalgOptions &options) {
  IterationSpace::Splits splits(getValueType(op).getRank());
  DequantizeOp scale = getScaleOp(op, options);
  if (!scale)
    return splits;
  std::string reason;
  SmallVector<ParameterDim> dims =
      split(op, options, {}, reason)->getParameterDims();
  while (scale && isComputedByUsers(scale, options)) {
    dims = nestParameterDims(dims, scale.getGranularity(),
                             scale.getScale().getType());
    for (const ParameterDim &dim : dims)
      if (dim.length > 1)
        splits[dim.dim].push_back(dim.length);
    scale = scale.getScale().getDefiningOp<DequantizeOp>();
  }
  return splits;
}

/// The loops with all splits that fit: those of the packing first.
template <typename OpTy>
static FailureOr<ConversionSpace>
getSpaceWith(OpTy op, std::optional<SlotDigits> digits,
             const QDQToLinalgOptions &options, std::string &reason) {
  IterationSpace::Splits scaleSplits = getScaleSplits(op, options);
  std::string ignored;
  if (digits) {
    IterationSpace::Splits packed = digits->getSplits(scaleSplits.size());
    IterationSpace::Splits both = packed;
    for (auto [all, lengths] : llvm::zip(both, scaleSplits))
      all.append(lengths);
    for (const IterationSpace::Splits &splits : {both, packed})
      if (auto space = split(op, options, splits, ignored); succeeded(space))
        return ConversionSpace{*space, digits};
  }
  if (auto space = split(op, options, scaleSplits, ignored); succeeded(space))
    return ConversionSpace{*space, std::nullopt};
  FailureOr<IterationSpace> space = split(op, options, {}, reason);
  if (failed(space))
    return failure();
  return ConversionSpace{*space, std::nullopt};
}

static std::optional<SlotDigits> getDigits(const BitLayout &layout,
                                           RankedTensorType elements) {
  std::optional<BitLayout> along = packAlongLastAxis(layout, elements);
  return along ? SlotDigits::get(*along) : std::nullopt;
}

FailureOr<ConversionSpace>
mlir::qdq::getSpace(QuantizeOp op, const QDQToLinalgOptions &options,
                    std::string &reason) {
  return getSpaceWith(op, std::nullopt, options, reason);
}

FailureOr<ConversionSpace>
mlir::qdq::getSpace(DequantizeOp op, const QDQToLinalgOptions &options,
                    std::string &reason) {
  std::optional<SlotDigits> digits;
  if (auto unpack = op.getInput().getDefiningOp<UnpackOp>())
    digits = getDigits(unpack.getLayout(), getValueType(op));
  return getSpaceWith(op, digits, options, reason);
}

std::optional<ConversionSpace>
mlir::qdq::getSpace(PackOp op, const QDQToLinalgOptions &options) {
  auto quantize = op.getElements().getDefiningOp<QuantizeOp>();
  if (!quantize || !quantize->hasOneUse() || !getValueType(quantize) ||
      quantize.resolveSemantics(options.semantics).rounding ==
          Rounding::Stochastic)
    return std::nullopt;
  auto type = getValueType(quantize);
  if (type.getShape() !=
      cast<RankedTensorType>(op.getElements().getType()).getShape())
    return std::nullopt;
  std::optional<SlotDigits> digits = getDigits(op.getLayout(), type);
  if (!digits)
    return std::nullopt;
  std::string reason;
  FailureOr<ConversionSpace> result =
      getSpaceWith(quantize, digits, options, reason);
  if (failed(result) || !result->digits ||
      !result->space.isProjected(result->space.getParameterDims()))
    return std::nullopt;
  return *result;
}

bool mlir::qdq::isPackedByUser(QuantizeOp op,
                               const QDQToLinalgOptions &options) {
  if (!op->hasOneUse())
    return false;
  auto pack = dyn_cast<PackOp>(*op->user_begin());
  return pack && getSpace(pack, options).has_value();
}

bool mlir::qdq::isUnpackedByUser(OpOperand &use,
                                 const QDQToLinalgOptions &options) {
  auto op = dyn_cast<DequantizeOp>(use.getOwner());
  if (!op || use.getOperandNumber() != 0 || !getValueType(op) ||
      isComputedByUsers(op, options))
    return false;
  std::string reason;
  FailureOr<ConversionSpace> space = getSpace(op, options, reason);
  return succeeded(space) && space->digits.has_value();
}
