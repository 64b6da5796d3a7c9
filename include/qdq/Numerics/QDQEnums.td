// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choices of a quantization, one enumeration each. docs/Semantics.md defines
// every value.

#ifndef QDQ_NUMERICS_QDQENUMS_TD
#define QDQ_NUMERICS_QDQENUMS_TD

include "mlir/IR/EnumAttr.td"

class QDQ_Enum<string name, string summary, list<I32EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::mlir::qdq";
}

def QDQ_Rounding : QDQ_Enum<"Rounding", "how a real number becomes a storage code", [
  I32EnumCase<"NearestEven", 0, "nearest-even">,
  I32EnumCase<"NearestAway", 1, "nearest-away">,
  I32EnumCase<"NearestUp", 2, "nearest-up">,
  I32EnumCase<"NearestDown", 3, "nearest-down">,
  I32EnumCase<"TowardZero", 4, "toward-zero">,
  I32EnumCase<"Floor", 5, "floor">,
  I32EnumCase<"Ceil", 6, "ceil">,
  I32EnumCase<"AwayFromZero", 7, "away-from-zero">,
  I32EnumCase<"ToOdd", 8, "to-odd">,
  I32EnumCase<"Stochastic", 9, "stochastic">
]>;

def QDQ_Order : QDQ_Enum<"Order", "where an integer zero point enters", [
  I32EnumCase<"RoundThenAdd", 0, "round-then-add">,
  I32EnumCase<"AddThenRound", 1, "add-then-round">
]>;

def QDQ_Division : QDQ_Enum<"Division", "x / s or x * (1 / s)", [
  I32EnumCase<"Exact", 0, "exact">,
  I32EnumCase<"Reciprocal", 1, "reciprocal">
]>;

def QDQ_Compute : QDQ_Enum<"Compute", "type of the division or multiplication", [
  I32EnumCase<"Auto", 0, "auto">,
  I32EnumCase<"F16", 1, "f16">,
  I32EnumCase<"BF16", 2, "bf16">,
  I32EnumCase<"F32", 3, "f32">,
  I32EnumCase<"F64", 4, "f64">
]>;

def QDQ_Subtract : QDQ_Enum<"Subtract", "domain of dequantize's q - z", [
  I32EnumCase<"Wide", 0, "wide">,
  I32EnumCase<"Wrap32", 1, "wrap32">,
  I32EnumCase<"Float", 2, "float">,
  I32EnumCase<"Output", 3, "output">
]>;

def QDQ_Overflow : QDQ_Enum<"Overflow", "integer codes outside the range", [
  I32EnumCase<"Saturate", 0, "saturate">,
  I32EnumCase<"Wrap", 1, "wrap">,
  I32EnumCase<"Undefined", 2, "undefined">
]>;

def QDQ_NaNCode : QDQ_Enum<"NaNCode", "code of a NaN in integer storage", [
  I32EnumCase<"Lowest", 0, "lowest">,
  I32EnumCase<"ZeroPoint", 1, "zero-point">,
  I32EnumCase<"Highest", 2, "highest">,
  I32EnumCase<"Zero", 3, "zero">,
  I32EnumCase<"Undefined", 4, "undefined">
]>;

def QDQ_Fusion : QDQ_Enum<"Fusion", "whether a multiply and the add beside it round once", [
  I32EnumCase<"None", 0, "none">,
  I32EnumCase<"FMA", 1, "fma">
]>;

def QDQ_FloatOverflow : QDQ_Enum<"FloatOverflow", "values beyond a float storage's range", [
  I32EnumCase<"Saturate", 0, "saturate">,
  I32EnumCase<"IEEE", 1, "ieee">
]>;

def QDQ_ZeroPointDomain : QDQ_Enum<"ZeroPointDomain",
    "units of the zero point: storage codes, or a bias in expressed units", [
  I32EnumCase<"Stored", 0, "stored">,
  I32EnumCase<"Expressed", 1, "expressed">
]>;

def QDQ_RangeMode : QDQ_Enum<"RangeMode", "how choose_params places the range", [
  I32EnumCase<"Asymmetric", 0, "asymmetric">,
  I32EnumCase<"Symmetric", 1, "symmetric">,
  I32EnumCase<"ORT", 2, "ort">
]>;

// The names are those of torchao's ScaleCalculationMode, except `fit`, TOSA's
// rule. `floor` is the rule of OCP MX.
def QDQ_PowerOfTwo : QDQ_Enum<"PowerOfTwo", "how choose_params rounds a scale to a power of two", [
  I32EnumCase<"Floor", 0, "floor">,
  I32EnumCase<"RCeil", 1, "rceil">,
  I32EnumCase<"Ceil", 2, "ceil">,
  I32EnumCase<"Even", 3, "even">,
  I32EnumCase<"Fit", 4, "fit">
]>;

// docs/Semantics.md defines each kind under `requantize`.
def QDQ_Rescale : QDQ_Enum<"Rescale", "how requantize multiplies an accumulator by its scales", [
  I32EnumCase<"Exact", 0, "exact">,
  I32EnumCase<"QDQ", 1, "qdq">,
  I32EnumCase<"F32", 2, "f32">,
  I32EnumCase<"F64", 3, "f64">,
  I32EnumCase<"Separate", 4, "separate">,
  I32EnumCase<"Fixed31Double", 5, "fixed31-double">,
  I32EnumCase<"Fixed31Single", 6, "fixed31-single">,
  I32EnumCase<"Fixed15", 7, "fixed15">
]>;

// `off`, `profile`, and the kinds of Rescale.
def QDQ_ContractionRescale : QDQ_Enum<"ContractionRescale", "whether contractions of dequantized tensors become integers, and how their results are rescaled", [
  I32EnumCase<"Off", 0, "off">,
  I32EnumCase<"Exact", 1, "exact">,
  I32EnumCase<"QDQ", 2, "qdq">,
  I32EnumCase<"F32", 3, "f32">,
  I32EnumCase<"F64", 4, "f64">,
  I32EnumCase<"Separate", 5, "separate">,
  I32EnumCase<"Fixed31Double", 6, "fixed31-double">,
  I32EnumCase<"Fixed31Single", 7, "fixed31-single">,
  I32EnumCase<"Fixed15", 8, "fixed15">,
  I32EnumCase<"Profile", 9, "profile">
]>;

def QDQ_Profile : QDQ_Enum<"Profile", "named bundle of semantics", [
  I32EnumCase<"ONNX", 0, "onnx">,
  I32EnumCase<"ORT", 1, "ort">,
  I32EnumCase<"Quant", 2, "quant">,
  I32EnumCase<"MLIR22", 3, "mlir22">,
  I32EnumCase<"StableHLO", 4, "stablehlo">,
  I32EnumCase<"OneDNN", 5, "onednn">,
  I32EnumCase<"Quark", 6, "quark">,
  I32EnumCase<"PMX", 7, "pmx">,
  I32EnumCase<"Torch", 8, "torch">,
  I32EnumCase<"TorchDecomposed", 9, "torch-decomposed">,
  I32EnumCase<"TFLite", 10, "tflite">,
  I32EnumCase<"XNNPACK", 11, "xnnpack">
]>;

#endif // QDQ_NUMERICS_QDQENUMS_TD
