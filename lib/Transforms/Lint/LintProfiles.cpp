// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-lint: systems that disagree, found by evaluating each on the inputs where
// they could.

#include "../Analysis/ElementFunctions.h"
#include "LintChecks.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

/// Groups of elements that are looked at, and values in each: enough for 8
/// bits, a sample beyond.
static constexpr size_t kMaxGroups = 16;
static constexpr int64_t kMaxCodes = 256;
static constexpr int64_t kMaxConstants = 4096;

static std::string toText(const std::optional<Number> &number) {
  if (!number)
    return "no defined code";
  SmallString<24> text;
  if (auto *integer = std::get_if<APSInt>(&*number))
    integer->toString(text);
  else
    std::get<APFloat>(*number).toString(text);
  return std::string(text);
}

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
  int64_t center = 0;
  if (parameters.zeroPoint.value &&
      parameters.zeroPoint.domain == ZeroPointDomain::Stored)
    if (auto *z = std::get_if<APSInt>(&*parameters.zeroPoint.value))
      center = z->getExtValue();
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
  int64_t z = 0;
  if (parameters.zeroPoint.value &&
      parameters.zeroPoint.domain == ZeroPointDomain::Stored)
    if (auto *integer = std::get_if<APSInt>(&*parameters.zeroPoint.value))
      z = integer->getExtValue();
  double scale = parameters.scale.convertToDouble();
  auto [first, last] = getCodeRange(storage, parameters);
  for (int64_t code = first; code < last; ++code) {
    APFloat tie((code - z + 0.5) * scale);
    bool losesInfo;
    tie.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
    if (!tie.isFiniteNonZero())
      continue;
    APFloat below = tie, above = tie;
    below.next(/*nextDown=*/true);
    above.next(/*nextDown=*/false);
    ties.append({tie, below, above});
  }
  return ties;
}

/// One remark for an op: the profiles under which some probe gives something
/// else, and an example.
template <typename MakeFunction>
static void
reportProfiles(Operation *op, LintReport &report, ElementTypes types,
               const Semantics &semantics,
               ArrayRef<std::pair<GroupParameters, SmallVector<Number>>> probes,
               StringRef noun, MakeFunction makeFunction) {
  SmallVector<StringRef> names;
  std::string example;
  for (uint32_t i = 0; !stringifyEnum(static_cast<Profile>(i)).empty(); ++i) {
    auto profile = static_cast<Profile>(i);
    Semantics other = resolve(getProfileFields(profile, types), types);
    auto differs = [&]() {
      for (const auto &[parameters, inputs] : probes) {
        auto ours = makeFunction(semantics, parameters);
        auto theirs = makeFunction(other, parameters);
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
  Semantics semantics = resolve(op.getSemanticsFields(), types);
  auto real = dyn_cast<FloatType>(types.expressed);
  Storage storage = op.getStorage();
  if (!parameters || !real || storage.isFloat() ||
      semantics.rounding == Rounding::Stochastic)
    return;
  SmallVector<std::pair<GroupParameters, SmallVector<Number>>> probes;
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
  reportProfiles(op, report, types, semantics, probes, "input",
                 [&](const Semantics &chosen, const GroupParameters &of) {
                   return QuantizeFunction{chosen, storage, of};
                 });
}

void mlir::qdq::lintProfiles(DequantizeOp op, LintReport &report) {
  auto parameters = getConstantParameters(op);
  Storage storage = op.getStorage();
  if (!parameters || storage.isFloat())
    return;
  ElementTypes types = op.getElementTypes();
  Semantics semantics = resolve(op.getSemanticsFields(), types);
  SmallVector<std::pair<GroupParameters, SmallVector<Number>>> probes;
  for (const GroupParameters &of :
       ArrayRef(*parameters).take_front(kMaxGroups)) {
    SmallVector<Number> codes;
    auto add = [&](int64_t code) {
      codes.push_back(APSInt(APInt(storage.getWidth(), code, /*isSigned=*/true,
                                   /*implicitTrunc=*/true),
                             /*isUnsigned=*/!storage.isSigned));
    };
    auto [first, last] = getCodeRange(storage, of);
    for (int64_t code = first; code <= last; ++code)
      add(code);
    add(storage.lo);
    add(storage.hi);
    probes.push_back({of, codes});
  }
  auto expressed = cast<FloatType>(types.expressed);
  reportProfiles(op, report, types, semantics, probes, "code",
                 [&](const Semantics &chosen, const GroupParameters &of) {
                   DequantizeFunction function{chosen, expressed, of};
                   return [function](const Number &q) {
                     return std::optional<Number>(function(q));
                   };
                 });
}
