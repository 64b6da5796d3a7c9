// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merging and resolving of semantics, and the table of profiles.

#include "qdq/Numerics/Semantics.h"

using namespace mlir;
using namespace mlir::qdq;

#include "qdq/Numerics/QDQEnums.cpp.inc"

SemanticsFields
SemanticsFields::withDefaults(const SemanticsFields &other) const {
  SemanticsFields result;
  auto merge = [](auto own, auto fallback) { return own ? own : fallback; };
  result.rounding = merge(rounding, other.rounding);
  result.order = merge(order, other.order);
  result.division = merge(division, other.division);
  result.compute = merge(compute, other.compute);
  result.subtract = merge(subtract, other.subtract);
  result.overflow = merge(overflow, other.overflow);
  result.nan = merge(nan, other.nan);
  result.fusion = merge(fusion, other.fusion);
  result.floatOverflow = merge(floatOverflow, other.floatOverflow);
  return result;
}

bool SemanticsFields::isComplete() const {
  bool complete = true;
  forEach(*this,
          [&](StringRef, const auto &field) { complete &= field.has_value(); });
  return complete;
}

bool SemanticsFields::operator==(const SemanticsFields &other) const {
  return rounding == other.rounding && order == other.order &&
         division == other.division && compute == other.compute &&
         subtract == other.subtract && overflow == other.overflow &&
         nan == other.nan && fusion == other.fusion &&
         floatOverflow == other.floatOverflow;
}

llvm::hash_code mlir::qdq::hash_value(const SemanticsFields &fields) {
  llvm::hash_code hash(0);
  SemanticsFields::forEach(fields, [&](StringRef, const auto &field) {
    hash = llvm::hash_combine(hash, field ? static_cast<int>(*field) : -1);
  });
  return hash;
}

namespace {
/// How a profile picks the compute type.
enum class ComputeRule { Auto, F32, Expressed, Scale };

/// One system: its choices where they differ from the defaults stand in the
/// row.
struct ProfileRow {
  Profile profile;
  Order order;
  Rounding rounding;
  Division division;
  ComputeRule quantizeCompute, dequantizeCompute;
  Subtract subtract;
  Overflow overflow;
  NaNCode nan;
  Fusion fusion = Fusion::None;
};
} // namespace

// The table of docs/Semantics.md, row by row.
// clang-format off
static constexpr ProfileRow kProfiles[] = {
    {Profile::ONNX, Order::RoundThenAdd, Rounding::NearestEven, Division::Exact, ComputeRule::Auto, ComputeRule::Auto, Subtract::Wide, Overflow::Saturate, NaNCode::Lowest},
    {Profile::ORT, Order::RoundThenAdd, Rounding::NearestEven, Division::Exact, ComputeRule::F32, ComputeRule::F32, Subtract::Wrap32, Overflow::Saturate, NaNCode::Lowest},
    {Profile::Quant, Order::AddThenRound, Rounding::NearestEven, Division::Exact, ComputeRule::Expressed, ComputeRule::Expressed, Subtract::Float, Overflow::Saturate, NaNCode::Lowest},
    {Profile::MLIR22, Order::AddThenRound, Rounding::TowardZero, Division::Exact, ComputeRule::Expressed, ComputeRule::Expressed, Subtract::Float, Overflow::Undefined, NaNCode::Undefined},
    {Profile::StableHLO, Order::AddThenRound, Rounding::NearestEven, Division::Exact, ComputeRule::F32, ComputeRule::F32, Subtract::Wrap32, Overflow::Saturate, NaNCode::Lowest},
    {Profile::OneDNN, Order::AddThenRound, Rounding::NearestEven, Division::Reciprocal, ComputeRule::F32, ComputeRule::F32, Subtract::Float, Overflow::Saturate, NaNCode::Lowest},
    {Profile::Quark, Order::RoundThenAdd, Rounding::NearestEven, Division::Exact, ComputeRule::F32, ComputeRule::F32, Subtract::Wide, Overflow::Saturate, NaNCode::Lowest},
    {Profile::PMX, Order::AddThenRound, Rounding::NearestEven, Division::Exact, ComputeRule::Scale, ComputeRule::Scale, Subtract::Wide, Overflow::Wrap, NaNCode::Lowest},
    {Profile::Torch, Order::AddThenRound, Rounding::NearestEven, Division::Reciprocal, ComputeRule::F32, ComputeRule::F32, Subtract::Wrap32, Overflow::Saturate, NaNCode::Highest, Fusion::FMA},
    {Profile::TorchDecomposed, Order::RoundThenAdd, Rounding::NearestEven, Division::Reciprocal, ComputeRule::F32, ComputeRule::Expressed, Subtract::Float, Overflow::Saturate, NaNCode::Zero},
    {Profile::TFLite, Order::RoundThenAdd, Rounding::NearestAway, Division::Exact, ComputeRule::F32, ComputeRule::F32, Subtract::Wide, Overflow::Saturate, NaNCode::Lowest},
    {Profile::XNNPACK, Order::RoundThenAdd, Rounding::NearestEven, Division::Reciprocal, ComputeRule::F32, ComputeRule::F32, Subtract::Wide, Overflow::Saturate, NaNCode::Highest},
};
// clang-format on

/// The keyword of a float type that may compute, or `Auto` for any other type.
static Compute toCompute(Type type) {
  if (type.isF16())
    return Compute::F16;
  if (type.isBF16())
    return Compute::BF16;
  if (type.isF32())
    return Compute::F32;
  if (type.isF64())
    return Compute::F64;
  return Compute::Auto;
}

static Compute applyRule(ComputeRule rule, ElementTypes types) {
  switch (rule) {
  case ComputeRule::Auto:
    return Compute::Auto;
  case ComputeRule::F32:
    return Compute::F32;
  case ComputeRule::Expressed:
    return toCompute(types.expressed);
  case ComputeRule::Scale:
    return toCompute(types.scale);
  }
  llvm_unreachable("unknown compute rule");
}

SemanticsFields mlir::qdq::getProfileFields(Profile profile,
                                            ElementTypes types) {
  const ProfileRow *row = llvm::find_if(
      kProfiles, [&](const ProfileRow &r) { return r.profile == profile; });
  assert(row != std::end(kProfiles) && "every profile has a row");
  SemanticsFields fields;
  fields.rounding = row->rounding;
  fields.order = row->order;
  fields.division = row->division;
  fields.compute =
      applyRule(types.direction == Direction::Quantize ? row->quantizeCompute
                                                       : row->dequantizeCompute,
                types);
  fields.subtract = row->subtract;
  fields.overflow = row->overflow;
  fields.nan = row->nan;
  fields.fusion = row->fusion;
  fields.floatOverflow = FloatOverflow::Saturate;
  return fields;
}

/// `compute = auto`, for each direction: docs/Semantics.md.
static FloatType resolveAuto(ElementTypes types) {
  MLIRContext *ctx = types.scale.getContext();
  if (types.direction == Direction::Dequantize)
    return types.scale.isF64() || types.expressed.isF64()
               ? FloatType(Float64Type::get(ctx))
               : FloatType(Float32Type::get(ctx));
  if (types.scale.getWidth() > 8)
    return types.scale;
  if (auto expressed = dyn_cast<FloatType>(types.expressed))
    return expressed;
  return Float32Type::get(ctx);
}

static FloatType resolveCompute(Compute compute, ElementTypes types) {
  MLIRContext *ctx = types.scale.getContext();
  switch (compute) {
  case Compute::Auto:
    return resolveAuto(types);
  case Compute::F16:
    return Float16Type::get(ctx);
  case Compute::BF16:
    return BFloat16Type::get(ctx);
  case Compute::F32:
    return Float32Type::get(ctx);
  case Compute::F64:
    return Float64Type::get(ctx);
  }
  llvm_unreachable("unknown compute type");
}

Semantics mlir::qdq::resolve(const SemanticsFields &fields,
                             ElementTypes types) {
  SemanticsFields all =
      fields.withDefaults(getProfileFields(Profile::ONNX, types));
  return {*all.rounding,     *all.order,
          *all.division,     resolveCompute(*all.compute, types),
          *all.subtract,     *all.overflow,
          *all.nan,          *all.fusion,
          *all.floatOverflow};
}

SemanticsFields SemanticsOptions::stamp(const SemanticsFields &own,
                                        ElementTypes types) const {
  SemanticsFields base = profile ? getProfileFields(*profile, types) : own;
  return fields.withDefaults(base).withDefaults(
      getProfileFields(Profile::ONNX, types));
}

Semantics SemanticsOptions::resolve(const SemanticsFields &op,
                                    ElementTypes types,
                                    std::optional<int64_t> opSeed) const {
  SemanticsFields chosen =
      profile ? fields.withDefaults(getProfileFields(*profile, types)) : fields;
  Semantics result = mlir::qdq::resolve(
      overrideSemantics ? chosen.withDefaults(op) : op.withDefaults(chosen),
      types);
  result.seed = opSeed.value_or(seed);
  return result;
}
