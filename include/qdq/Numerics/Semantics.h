// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numeric choices of a conversion: fields, profiles, and how they combine.
// docs/Semantics.md is the definition.

#ifndef QDQ_NUMERICS_SEMANTICS_H
#define QDQ_NUMERICS_SEMANTICS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

// The generated enum parsers need the declaration of FieldParser.
#include "mlir/IR/DialectImplementation.h"
#include "qdq/Numerics/QDQEnums.h.inc"

namespace mlir::qdq {

/// The fields of `#qdq.semantics`, each set or left open.
struct SemanticsFields {
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  std::optional<Enum> name;
#include "qdq/Numerics/SemanticsFields.def"

  /// Calls `fn(spelling, field)` for every field, in the order in which they
  /// print.
  template <typename Self, typename Fn>
  static void forEach(Self &self, Fn &&fn) {
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  fn(attribute, self.name);
#include "qdq/Numerics/SemanticsFields.def"
  }

  /// Sets every field that is open here to its value in `other`.
  SemanticsFields withDefaults(const SemanticsFields &other) const;

  /// True if no field is open, so that the result of an op is decided by the op
  /// alone.
  bool isComplete() const;

  bool operator==(const SemanticsFields &other) const;
  bool operator!=(const SemanticsFields &other) const {
    return !(*this == other);
  }
};

llvm::hash_code hash_value(const SemanticsFields &fields);

/// How a choice is held once it is made: the compute type as a type.
template <typename Enum>
using Resolved =
    std::conditional_t<std::is_same_v<Enum, Compute>, FloatType, Enum>;

/// All choices made. What the emitter and the evaluator work from.
struct Semantics {
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option) Resolved<Enum> name;
#include "qdq/Numerics/SemanticsFields.def"
  /// Key of stochastic rounding.
  uint64_t seed = 0;
  /// Not a choice of numbers: whether they hold, too, where a later compiler
  /// rounds a product and the sum beside it once.
  bool contractionProof = false;
};

/// The two directions that a profile may treat differently.
enum class Direction { Quantize, Dequantize };

/// The element types that decide `compute = auto` and the profiles' compute
/// rules.
struct ElementTypes {
  Direction direction;
  /// Input of a quantize or output of a dequantize: a float, or i32 into
  /// quantize.
  Type expressed;
  FloatType scale;
};

/// The fields that `profile` stands for, all of them set, for an op with these
/// element types.
SemanticsFields getProfileFields(Profile profile, ElementTypes types);

/// The choices as fields, all of them set: `resolve` gives the choices back.
SemanticsFields getFields(const Semantics &semantics);

/// Makes the remaining choices: open fields take their default, `compute =
/// auto` becomes a type.
Semantics resolve(const SemanticsFields &fields, ElementTypes types);

/// The options that every pass of this project shares: explicit fields, a
/// profile, and whether they replace what an op fixes.
struct SemanticsOptions {
  SemanticsFields fields;
  std::optional<Profile> profile;
  bool overrideSemantics = false;
  /// Key of stochastic rounding for ops without a `seed`.
  uint64_t seed = 0;
  /// An option of the targets: see `Semantics`.
  bool contractionProof = false;

  /// The semantics that a source writes on its op. Explicit fields win, then
  /// those that the source's op itself spells, then `profile=`, then `own`, the
  /// profile of the source's system. The result is complete.
  SemanticsFields stamp(const SemanticsFields &spelled, Profile own,
                        ElementTypes types) const;

  /// The semantics of an op that fixes `op`: its own fields win, then explicit
  /// fields, then `profile=`, then the defaults. With `overrideSemantics` the
  /// explicit fields and the profile win over the op's own. `opSeed` is the
  /// op's own seed, if it has one.
  Semantics resolve(const SemanticsFields &op, ElementTypes types,
                    std::optional<int64_t> opSeed = std::nullopt) const;

  /// Copies the options of the same names from a pass or an options struct that
  /// TableGen made.
  template <typename PassOrOptions>
  static SemanticsOptions from(const PassOrOptions &options);
};

template <typename PassOrOptions>
SemanticsOptions SemanticsOptions::from(const PassOrOptions &options) {
  // TableGen makes the options protected members of the pass.
  struct Access : PassOrOptions {
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  using PassOrOptions::name;
#include "qdq/Numerics/SemanticsFields.def"
    using PassOrOptions::overrideSemantics;
    using PassOrOptions::profile;
    using PassOrOptions::seed;
  };
  SemanticsOptions result;
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  result.fields.name = options.*(&Access::name);
#include "qdq/Numerics/SemanticsFields.def"
  result.profile = options.*(&Access::profile);
  result.overrideSemantics = options.*(&Access::overrideSemantics);
  result.seed = options.*(&Access::seed);
  return result;
}

/// The spellings of an enumeration's values, for diagnostics: "exact,
/// reciprocal".
template <typename Enum>
std::string listValues() {
  std::string text;
  for (uint32_t i = 0;; ++i) {
    StringRef value = stringifyEnum(static_cast<Enum>(i));
    if (value.empty())
      return text;
    text += (i ? ", " : "") + value.str();
  }
}

/// The value of `names` that differs least from `text`; empty where none is
/// near.
StringRef findNearest(StringRef text, ArrayRef<StringRef> names);

/// For the diagnostic of `text`, which spells no value of the enumeration:
/// "expected one of exact, reciprocal; did you mean 'exact'?".
template <typename Enum>
std::string expectOneOf(StringRef text) {
  std::string values = listValues<Enum>();
  SmallVector<StringRef> names;
  StringRef(values).split(names, ", ");
  StringRef nearest = findNearest(text, names);
  return "expected one of " + values +
         (nearest.empty() ? "" : "; did you mean '" + nearest.str() + "'?");
}

} // namespace mlir::qdq

#endif // QDQ_NUMERICS_SEMANTICS_H
