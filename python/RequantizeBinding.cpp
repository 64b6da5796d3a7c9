// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of evaluator that is about requantize: codes, and multipliers from
// scales.

#include "EvaluatorBinding.h"
#include "EvaluatorElements.h"
#include "qdq/Numerics/CodeDifference.h"

namespace nb = nanobind;
using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

template <typename Enum>
static Enum toEnum(const std::string &text) {
  std::optional<Enum> value = symbolizeEnum<Enum>(text);
  if (!value)
    throw nb::value_error(
        ("'" + text + "' is none of " + listValues<Enum>()).c_str());
  return *value;
}

using Multipliers = std::vector<std::pair<MlirType, Bytes>>;

namespace {
/// A requantize of one element, as Python names its parts. Multipliers have one
/// element each; shift, fraction, limit and zero point are integers, or None.
struct OneRequantize {
  RescaleNumbers numbers;
  Semantics semantics;
  Storage storage;
  ZeroPointNumber zeroPoint;

  OneRequantize(const std::string &rescale, MlirAttribute semanticsAttr,
                MlirType storageType, const Multipliers &multipliers,
                std::optional<int64_t> shift, std::optional<int64_t> fraction,
                std::optional<int64_t> limit, std::optional<int64_t> z,
                std::optional<std::pair<int64_t, int64_t>> clamp) {
    auto toNumber = [](std::optional<int64_t> value) {
      return value ? std::optional(APSInt::get(*value)) : std::nullopt;
    };
    numbers = {toEnum<Rescale>(rescale),
               {},
               toNumber(shift),
               toNumber(fraction),
               limit};
    FloatType single = Float32Type::get(unwrap(storageType).getContext());
    for (auto &[type, bytes] : multipliers)
      numbers.multipliers.push_back(
          Elements(unwrap(type)).read(bytes.data(), 0));
    auto toFloat = [&](MlirType type) {
      auto real = dyn_cast<FloatType>(unwrap(type));
      return real ? real : single;
    };
    FloatType first = toFloat(multipliers.front().first);
    semantics = resolve(getFields(semanticsAttr),
                        {Direction::Quantize, first.isF64() ? first : single,
                         toFloat(multipliers.back().first)});
    storage = Storage::get(unwrap(storageType), clamp);
    if (z)
      zeroPoint.value = APSInt::get(*z);
  }
};
} // namespace

/// Codes and a mask of where they are defined.
static void
requantize(const std::string &rescale, MlirAttribute semantics,
           MlirType storage, MlirType inputType, const Multipliers &multipliers,
           std::optional<int64_t> shift, std::optional<int64_t> fraction,
           std::optional<int64_t> limit, std::optional<int64_t> zeroPoint,
           Bytes x, MutableBytes codes, MutableBytes defined,
           std::optional<std::pair<int64_t, int64_t>> clamp) {
  OneRequantize one(rescale, semantics, storage, multipliers, shift, fraction,
                    limit, zeroPoint, clamp);
  Elements input(unwrap(inputType)), output(unwrap(storage));
  size_t count = input.count(x.size(), "x has a part of an element");
  if (output.count(codes.size(), "codes has a part of an element") != count ||
      defined.size() != count)
    throw nb::value_error("x, codes and defined differ in length");

  nb::gil_scoped_release release;
  for (size_t i = 0; i < count; ++i) {
    std::optional<Number> code = evaluateRequantize(
        one.semantics, one.storage, one.numbers,
        std::get<APSInt>(input.read(x.data(), i)), one.zeroPoint);
    defined.data()[i] = code.has_value();
    if (code)
      output.write(codes.data(), i, *code);
  }
}

/// (difference, accumulator), or None where it cannot be measured.
static std::optional<std::pair<int64_t, int64_t>>
codeDifference(const std::string &rescale, MlirAttribute semantics,
               MlirType storage, const Multipliers &multipliers,
               std::optional<int64_t> shift, std::optional<int64_t> fraction,
               std::optional<int64_t> limit, std::optional<int64_t> zeroPoint,
               std::tuple<double, double, double> scales, uint64_t magnitude,
               std::optional<std::pair<int64_t, int64_t>> clamp) {
  OneRequantize one(rescale, semantics, storage, multipliers, shift, fraction,
                    limit, zeroPoint, clamp);
  auto [a, b, y] = scales;
  auto found = measureCodeDifference(one.semantics, one.storage, one.numbers,
                                     {APFloat(a), APFloat(b), APFloat(y)},
                                     one.zeroPoint, magnitude);
  if (!found)
    return std::nullopt;
  return std::pair(found->difference, found->accumulator);
}

/// (multiplier, shift), or None.
static std::optional<std::pair<int64_t, int64_t>>
fixedMultiplier(const std::string &rescale, double multiplier) {
  Rescale kind = toEnum<Rescale>(rescale);
  if (!isFixedPoint(kind) || kind == Rescale::Exact)
    throw nb::value_error("not a fixed kind");
  auto fixed = getFixedMultiplier(kind, multiplier);
  if (!fixed)
    return std::nullopt;
  return std::pair(fixed->multiplier, fixed->shift);
}

/// (multipliers, shifts, fractions, limit) for scales (a, b, y) that f64 holds.
static std::tuple<std::vector<int64_t>, std::vector<int64_t>,
                  std::vector<int64_t>, int64_t>
exactMultipliers(const std::vector<std::tuple<double, double, double>> &scales,
                 uint64_t magnitude, std::optional<int64_t> reach,
                 const std::string &rounding, const std::string &order) {
  SmallVector<RescaleScales> channels;
  for (auto [a, b, y] : scales)
    channels.push_back({APFloat(a), APFloat(b), APFloat(y)});
  std::string reason;
  FailureOr<ExactMultipliers> chosen = chooseExactMultipliers(
      channels, magnitude, reach, toEnum<Rounding>(rounding),
      toEnum<Order>(order), reason);
  if (failed(chosen))
    throw nb::value_error(reason.c_str());
  auto toVector = [](ArrayRef<int64_t> values) {
    return std::vector<int64_t>(values.begin(), values.end());
  };
  return {toVector(chosen->multipliers), toVector(chosen->shifts),
          toVector(chosen->fractions), chosen->limit};
}

void mlir::qdq::addRequantizeEvaluator(nb::module_ &m) {
  m.def("requantize", &requantize, nb::arg("rescale"), nb::arg("semantics"),
        nb::arg("storage"), nb::arg("input"), nb::arg("multipliers"),
        nb::arg("shift").none(), nb::arg("fraction").none(),
        nb::arg("limit").none(), nb::arg("zero_point").none(), nb::arg("x"),
        nb::arg("codes"), nb::arg("defined"),
        nb::arg("clamp").none() = nb::none());
  m.def("code_difference", &codeDifference, nb::arg("rescale"),
        nb::arg("semantics"), nb::arg("storage"), nb::arg("multipliers"),
        nb::arg("shift").none(), nb::arg("fraction").none(),
        nb::arg("limit").none(), nb::arg("zero_point").none(),
        nb::arg("scales"), nb::arg("magnitude"),
        nb::arg("clamp").none() = nb::none());
  m.def("fixed_multiplier", &fixedMultiplier, nb::arg("rescale"),
        nb::arg("multiplier"));
  m.def("exact_multipliers", &exactMultipliers, nb::arg("scales"),
        nb::arg("magnitude"), nb::arg("reach").none(), nb::arg("rounding"),
        nb::arg("order") = "round-then-add");
}
