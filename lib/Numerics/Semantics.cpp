// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merging and resolving of semantics, and the table of profiles.

#include "qdq/Numerics/Semantics.h"

using namespace mlir;
using namespace mlir::qdq;

StringRef mlir::qdq::findNearest(StringRef text, ArrayRef<StringRef> names) {
  StringRef nearest;
  // As many edits are too many.
  unsigned least = text.size() / 3 + 2;
  for (StringRef name : names) {
    unsigned distance =
        text.edit_distance_insensitive(name, /*AllowReplacements=*/true, least);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

#include "qdq/Numerics/QDQEnums.cpp.inc"

SemanticsFields
SemanticsFields::withDefaults(const SemanticsFields &other) const {
  SemanticsFields result = *this;
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  if (!result.name)                                                            \
    result.name = other.name;
#include "qdq/Numerics/SemanticsFields.def"
  return result;
}

bool SemanticsFields::isComplete() const {
  bool complete = true;
  forEach(*this,
          [&](StringRef, const auto &field) { complete &= field.has_value(); });
  return complete;
}

bool SemanticsFields::operator==(const SemanticsFields &other) const {
  bool equal = true;
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  equal &= name == other.name;
#include "qdq/Numerics/SemanticsFields.def"
  return equal;
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
enum class ComputeRule {
  Auto,
  F32,
  Expressed,
  Scale,
  /// The expressed type, but at least f32.
  WideExpressed
};

/// One system: its choices, and how it picks the compute type.
struct ProfileRow {
  Profile profile;
  ComputeRule quantizeCompute, dequantizeCompute;
  SemanticsFields fields;
};
} // namespace

/// The column `compute` of the table: the rules beside it decide.
static constexpr std::nullopt_t kByRule = std::nullopt;

// The table of docs/Profiles.md, row by row.
// clang-format off
static constexpr ProfileRow kProfiles[] = {
    {Profile::ONNX, ComputeRule::Auto, ComputeRule::Auto, {Rounding::NearestEven, Order::RoundThenAdd, Division::Exact, kByRule, Subtract::Wide, Overflow::Saturate, NaNCode::Lowest, Fusion::None, FloatOverflow::Saturate}},
    {Profile::ORT, ComputeRule::F32, ComputeRule::F32, {Rounding::NearestEven, Order::RoundThenAdd, Division::Exact, kByRule, Subtract::Wrap32, Overflow::Saturate, NaNCode::Lowest, Fusion::None, FloatOverflow::Saturate}},
    {Profile::Quant, ComputeRule::Expressed, ComputeRule::Expressed, {Rounding::NearestEven, Order::AddThenRound, Division::Exact, kByRule, Subtract::Float, Overflow::Saturate, NaNCode::Lowest, Fusion::None, FloatOverflow::Saturate}},
    {Profile::MLIR22, ComputeRule::Expressed, ComputeRule::Expressed, {Rounding::TowardZero, Order::AddThenRound, Division::Exact, kByRule, Subtract::Float, Overflow::Undefined, NaNCode::Undefined, Fusion::None, FloatOverflow::Saturate}},
    {Profile::StableHLO, ComputeRule::F32, ComputeRule::F32, {Rounding::NearestEven, Order::AddThenRound, Division::Exact, kByRule, Subtract::Wrap32, Overflow::Saturate, NaNCode::Lowest, Fusion::None, FloatOverflow::Saturate}},
    {Profile::OneDNN, ComputeRule::F32, ComputeRule::F32, {Rounding::NearestEven, Order::AddThenRound, Division::Reciprocal, kByRule, Subtract::Float, Overflow::Saturate, NaNCode::Lowest, Fusion::None, FloatOverflow::IEEE}},
    {Profile::Quark, ComputeRule::F32, ComputeRule::F32, {Rounding::NearestEven, Order::RoundThenAdd, Division::Exact, kByRule, Subtract::Wide, Overflow::Saturate, NaNCode::Lowest, Fusion::None, FloatOverflow::Saturate}},
    {Profile::PMX, ComputeRule::Scale, ComputeRule::Scale, {Rounding::NearestEven, Order::AddThenRound, Division::Exact, kByRule, Subtract::Wide, Overflow::Wrap, NaNCode::Lowest, Fusion::None, FloatOverflow::Saturate}},
    {Profile::Torch, ComputeRule::F32, ComputeRule::F32, {Rounding::NearestEven, Order::AddThenRound, Division::Reciprocal, kByRule, Subtract::Wrap32, Overflow::Saturate, NaNCode::Highest, Fusion::FMA, FloatOverflow::Saturate}},
    {Profile::TorchDecomposed, ComputeRule::F32, ComputeRule::WideExpressed, {Rounding::NearestEven, Order::RoundThenAdd, Division::Reciprocal, kByRule, Subtract::Output, Overflow::Saturate, NaNCode::Zero, Fusion::None, FloatOverflow::Saturate}},
    {Profile::TFLite, ComputeRule::F32, ComputeRule::F32, {Rounding::NearestAway, Order::RoundThenAdd, Division::Exact, kByRule, Subtract::Wide, Overflow::Saturate, NaNCode::Lowest, Fusion::None, FloatOverflow::Saturate}},
    {Profile::XNNPACK, ComputeRule::F32, ComputeRule::F32, {Rounding::NearestEven, Order::RoundThenAdd, Division::Reciprocal, kByRule, Subtract::Wide, Overflow::Saturate, NaNCode::Highest, Fusion::None, FloatOverflow::Saturate}},
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
  case ComputeRule::WideExpressed:
    return types.expressed.isF64() ? Compute::F64 : Compute::F32;
  }
  llvm_unreachable("unknown compute rule");
}

SemanticsFields mlir::qdq::getProfileFields(Profile profile,
                                            ElementTypes types) {
  const ProfileRow *row = llvm::find_if(
      kProfiles, [&](const ProfileRow &r) { return r.profile == profile; });
  assert(row != std::end(kProfiles) && "every profile has a row");
  SemanticsFields fields = row->fields;
  fields.compute =
      applyRule(types.direction == Direction::Quantize ? row->quantizeCompute
                                                       : row->dequantizeCompute,
                types);
  return fields;
}

/// `compute = auto`, for each direction: docs/Semantics.md.
static FloatType resolveAuto(ElementTypes types) {
  MLIRContext *ctx = types.scale.getContext();
  if (types.direction == Direction::Dequantize) {
    bool isWide = types.scale.isF64() || types.expressed.isF64();
    return isWide ? FloatType(Float64Type::get(ctx))
                  : FloatType(Float32Type::get(ctx));
  }
  if (types.scale.getWidth() > 8)
    return types.scale;
  if (auto expressed = dyn_cast<FloatType>(types.expressed))
    return expressed;
  return Float32Type::get(ctx);
}

/// Choices but the compute type stay as they are.
template <typename Enum>
static Enum resolveField(Enum choice, ElementTypes) {
  return choice;
}

static FloatType resolveField(Compute compute, ElementTypes types) {
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

template <typename Enum>
static Enum toField(Enum choice) {
  return choice;
}
static Compute toField(FloatType type) { return toCompute(type); }

SemanticsFields mlir::qdq::getFields(const Semantics &semantics) {
  SemanticsFields result;
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  result.name = toField(semantics.name);
#include "qdq/Numerics/SemanticsFields.def"
  return result;
}

Semantics mlir::qdq::resolve(const SemanticsFields &fields,
                             ElementTypes types) {
  SemanticsFields all =
      fields.withDefaults(getProfileFields(Profile::ONNX, types));
  Semantics result;
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  result.name = resolveField(*all.name, types);
#include "qdq/Numerics/SemanticsFields.def"
  return result;
}

SemanticsFields SemanticsOptions::stamp(const SemanticsFields &spelled,
                                        Profile own, ElementTypes types) const {
  return fields.withDefaults(spelled).withDefaults(
      getProfileFields(profile.value_or(own), types));
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
  result.contractionProof = contractionProof;
  return result;
}
