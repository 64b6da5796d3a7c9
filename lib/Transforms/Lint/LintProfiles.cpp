// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-lint: systems that disagree, found by evaluating each on the inputs where
// they could.

#include "../Analysis/ElementFunctions.h"
#include "LintChecks.h"
#include "qdq/Numerics/Evaluator.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

/// Groups of elements that are looked at, and values in each: enough for 8
/// bits, a sample beyond.
static constexpr size_t kMaxGroups = 16;
static constexpr int64_t kMaxCodes = 256;
static constexpr int64_t kMaxConstants = 4096;

static bool isSame(const std::optional<Number> &a,
                   const std::optional<Number> &b) {
  if (!a || !b)
    return !a && !b;
  return getCodePosition(*a) == getCodePosition(*b);
}

/// The codes around the zero point, all of them for 8 bits or fewer.
static std::pair<int64_t, int64_t>
getCodeRange(const Storage &storage, const GroupParameters &parameters) {
  if (storage.getSpan() < kMaxCodes)
    return {storage.lo, storage.hi};
  int64_t center = getInteger(parameters.zeroPoint).value_or(0);
  int64_t first =
      std::clamp(center - kMaxCodes / 2, storage.lo, storage.hi - kMaxCodes);
  return {first, first + kMaxCodes};
}

/// Inputs where conversions part: half-way between two codes, and the
/// neighbours on either side.
static SmallVector<Number> getTies(const Storage &storage,
                                   const GroupParameters &parameters,
                                   FloatType type) {
  SmallVector<Number> ties;
  int64_t z = getInteger(parameters.zeroPoint).value_or(0);
  double scale = parameters.scale.convertToDouble();
  auto [first, last] = getCodeRange(storage, parameters);
  for (int64_t code = first; code < last; ++code) {
    APFloat tie = roundToFormat(APFloat((code - z + 0.5) * scale),
                                type.getFloatSemantics());
    if (!tie.isFiniteNonZero())
      continue;
    APFloat below = tie, above = tie;
    below.next(/*nextDown=*/true);
    above.next(/*nextDown=*/false);
    ties.append({tie, below, above});
  }
  return ties;
}

/// Inputs of one group.
using Probes = std::pair<GroupParameters, SmallVector<Number>>;

/// One remark for an op: the profiles under which some probe gives something
/// else, and an example.
template <typename OpTy>
static void reportProfiles(OpTy op, StringRef noun, ArrayRef<Probes> probes,
                           LintReport &report) {
  ElementTypes types = op.getElementTypes();
  Semantics semantics = resolve(op.getSemanticsFields(), types);
  SmallVector<StringRef> names;
  std::string example;
  for (uint32_t i = 0; !stringifyEnum(static_cast<Profile>(i)).empty(); ++i) {
    auto profile = static_cast<Profile>(i);
    Semantics other = resolve(getProfileFields(profile, types), types);
    auto differs = [&]() {
      for (const auto &[parameters, inputs] : probes) {
        auto ours = getFunction(op, semantics, parameters);
        auto theirs = getFunction(op, other, parameters);
        for (const Number &x : inputs) {
          std::optional<Number> own = ours(x), their = theirs(x);
          if (isSame(own, their))
            continue;
          if (example.empty())
            example = (noun + " " + toText(x) + " gives " + toText(their) +
                       " under " + stringifyEnum(profile) + ", and " +
                       toText(own) + " here")
                          .str();
          return true;
        }
      }
      return false;
    };
    if (differs())
      names.push_back(stringifyEnum(profile));
  }
  if (names.empty())
    return;
  report(op, Hazard::Profiles) << "other results under the profiles "
                               << llvm::join(names, ", ") << ": " << example;
}

void mlir::qdq::lintProfiles(QuantizeOp op, LintReport &report) {
  auto parameters = getConstantParameters(op);
  ElementTypes types = op.getElementTypes();
  auto real = dyn_cast<FloatType>(types.expressed);
  Storage storage = op.getStorage();
  if (!parameters || !real || storage.isFloat() ||
      resolve(op.getSemanticsFields(), types).rounding == Rounding::Stochastic)
    return;
  SmallVector<Probes> probes;
  auto constants = ConstantElements::get(op.getInput());
  if (constants && parameters->size() == 1) {
    SmallVector<Number> inputs;
    for (int64_t i = 0; i < std::min(constants->size(), kMaxConstants); ++i)
      inputs.push_back((*constants)[i]);
    probes.push_back({parameters->front(), inputs});
  } else {
    for (const GroupParameters &of :
         ArrayRef(*parameters).take_front(kMaxGroups))
      probes.push_back({of, getTies(storage, of, real)});
  }
  reportProfiles(op, "input", probes, report);
}

void mlir::qdq::lintProfiles(DequantizeOp op, LintReport &report) {
  auto parameters = getConstantParameters(op);
  Storage storage = op.getStorage();
  if (!parameters || storage.isFloat())
    return;
  SmallVector<Probes> probes;
  for (const GroupParameters &of :
       ArrayRef(*parameters).take_front(kMaxGroups)) {
    SmallVector<Number> codes;
    auto add = [&](int64_t code) {
      codes.push_back(getNumberAt(code, op.getStorageElementType()));
    };
    auto [first, last] = getCodeRange(storage, of);
    for (int64_t code = first; code <= last; ++code)
      add(code);
    add(storage.lo);
    add(storage.hi);
    probes.push_back({of, codes});
  }
  reportProfiles(op, "code", probes, report);
}
