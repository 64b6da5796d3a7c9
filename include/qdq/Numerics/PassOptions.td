// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that choose numerics, the same on every pass.

#ifndef QDQ_NUMERICS_PASSOPTIONS_TD
#define QDQ_NUMERICS_PASSOPTIONS_TD

include "mlir/Pass/PassBase.td"
include "qdq/Numerics/QDQEnums.td"

/// A pass that explains errors in its options. Without `operation` it runs on
/// any operation.
class QDQ_Pass<string name, string operation = "">
    : PassBase<name, "::mlir::qdq::OptionsPass<" # operation # ">">;

/// A choice as an option, std::nullopt by default. The text lists the values,
/// because the generated documentation omits them.
class QDQ_EnumOption<string name, string spelling, EnumInfo enum,
                     string before = "", string after = "">
    : Option<name, spelling, "std::optional<::mlir::qdq::" # enum.className # ">",
             "std::nullopt",
             before # !interleave(!foreach(case, enum.enumerants, case.str), ", ") # after>;

// The profile, the fields of SemanticsFields.def, the seed and the override.
defvar QDQ_SemanticsOptions = [
  QDQ_EnumOption<"profile", "profile", QDQ_Profile,
    "the system to match: ", "; replaces what a source stamps, but for what its op spells">,
  QDQ_EnumOption<"rounding", "rounding", QDQ_Rounding>,
  QDQ_EnumOption<"order", "order", QDQ_Order>,
  QDQ_EnumOption<"division", "division", QDQ_Division>,
  QDQ_EnumOption<"compute", "compute", QDQ_Compute>,
  QDQ_EnumOption<"subtract", "subtract", QDQ_Subtract>,
  QDQ_EnumOption<"overflow", "overflow", QDQ_Overflow>,
  QDQ_EnumOption<"nan", "nan", QDQ_NaNCode>,
  QDQ_EnumOption<"fusion", "fusion", QDQ_Fusion>,
  QDQ_EnumOption<"floatOverflow", "float-overflow", QDQ_FloatOverflow>,
  Option<"seed", "seed", "uint64_t", "0",
    "key of stochastic rounding, for ops without a seed of their own">,
  Option<"overrideSemantics", "override-semantics", "bool", "false",
    "let the options and the profile replace what a qdq op itself fixes">
];

#endif // QDQ_NUMERICS_PASSOPTIONS_TD
