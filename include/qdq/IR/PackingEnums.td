// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names that #qdq.packing knows.

#ifndef QDQ_IR_PACKINGENUMS_TD
#define QDQ_IR_PACKINGENUMS_TD

include "mlir/IR/EnumAttr.td"

class QDQ_PackingEnum<string name, string summary, list<I32EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::mlir::qdq";
}

def QDQ_PackingPreset : QDQ_PackingEnum<"PackingPreset", "a system's way to pack codes", [
  I32EnumCase<"ONNX", 0, "onnx">,
  I32EnumCase<"PMXInt4x4", 1, "pmx-int4x4">,
  I32EnumCase<"GPTQv1", 2, "gptq-v1">,
  I32EnumCase<"GPTQv2", 3, "gptq-v2">,
  I32EnumCase<"AWQGemm", 4, "awq-gemm">,
  I32EnumCase<"AWQGemv", 5, "awq-gemv">,
  I32EnumCase<"MatMulNBits", 6, "matmulnbits">,
  I32EnumCase<"GGMLQ4_0", 7, "ggml-q4_0">,
  I32EnumCase<"GGMLQ4_1", 8, "ggml-q4_1">,
  I32EnumCase<"GGMLQ8_0", 9, "ggml-q8_0">,
  I32EnumCase<"GGMLMXFP4", 10, "ggml-mxfp4">
]>;

def QDQ_PackingPart : QDQ_PackingEnum<"PackingPart", "what of a preset's data is meant", [
  I32EnumCase<"Codes", 0, "codes">,
  I32EnumCase<"ZeroPoint", 1, "zero-point">,
  I32EnumCase<"Scale", 2, "scale">,
  I32EnumCase<"Minimum", 3, "minimum">
]>;

#endif // QDQ_IR_PACKINGENUMS_TD
