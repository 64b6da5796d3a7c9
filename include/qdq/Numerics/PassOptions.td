// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that choose numerics, the same on every pass.

#ifndef QDQ_NUMERICS_PASSOPTIONS_TD
#define QDQ_NUMERICS_PASSOPTIONS_TD

include "mlir/Pass/PassBase.td"

/// A field of `#qdq.semantics` as an option; nothing where it is not given. The values stand in the text, since the generated documentation leaves them out.
class QDQ_FieldOption<string name, string spelling, string enum, string text>
    : Option<name, spelling, "std::optional<::mlir::qdq::" # enum # ">",
             "std::nullopt", text>;

defvar QDQ_SemanticsOptions = [
  QDQ_FieldOption<"profile", "profile", "Profile",
    "the system to match: onnx, ort, quant, mlir22, stablehlo, onednn, quark, pmx, torch, torch-decomposed, tflite, xnnpack; "
    "replaces what a source stamps">,
  QDQ_FieldOption<"rounding", "rounding", "Rounding",
    "nearest-even, nearest-away, nearest-up, nearest-down, toward-zero, floor, ceil, away-from-zero, to-odd, stochastic">,
  QDQ_FieldOption<"order", "order", "Order", "round-then-add, add-then-round">,
  QDQ_FieldOption<"division", "division", "Division", "exact, reciprocal">,
  QDQ_FieldOption<"compute", "compute", "Compute", "auto, f16, bf16, f32, f64">,
  QDQ_FieldOption<"subtract", "subtract", "Subtract", "wide, wrap32, float">,
  QDQ_FieldOption<"overflow", "overflow", "Overflow", "saturate, wrap, undefined">,
  QDQ_FieldOption<"nan", "nan", "NaNCode", "lowest, zero-point, highest, zero, undefined">,
  QDQ_FieldOption<"fusion", "fusion", "Fusion", "none, fma">,
  QDQ_FieldOption<"floatOverflow", "float-overflow", "FloatOverflow", "saturate, ieee">,
  Option<"seed", "seed", "int64_t", "0",
    "key of stochastic rounding, for ops without a seed of their own">,
  Option<"overrideSemantics", "override-semantics", "bool", "false",
    "let the options and the profile replace what a qdq op itself fixes">
];

#endif // QDQ_NUMERICS_PASSOPTIONS_TD
