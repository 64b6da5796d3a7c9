// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes into and out of the qdq dialect.

#ifndef QDQ_CONVERSION_PASSES_TD
#define QDQ_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"
include "qdq/Conversion/SourceOptions.td"
include "qdq/Numerics/PassOptions.td"

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def ConvertQuantToQDQPass : QDQ_Pass<"convert-quant-to-qdq", "::mlir::ModuleOp"> {
  let summary = "MLIR quant dialect to qdq";
  let description = [{
    `quant.qcast` and `quant.dcast` become `qdq.quantize` and `qdq.dequantize` with constant
    parameters; `quant.scast` disappears. Quantized types become storage types (`ui8` for `u8`) on
    functions, calls, branches, globals, and ops that move elements; on any other op they are an
    error. The profile is `quant`.

    ```mlir
    %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5:10>>
    ```
    becomes
    ```mlir
    %s = arith.constant 5.000000e-01 : f32
    %z = arith.constant 10 : i8
    %q = qdq.quantize %x scale %s zero_point %z semantics <rounding = nearest-even, order = add-then-round, ...>
       : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
    ```
  }];
  let options = QDQ_SemanticsOptions;
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "qdq::QDQDialect", "tensor::TensorDialect"];
}

def ConvertONNXToQDQPass : QDQ_Pass<"convert-onnx-to-qdq", "::mlir::ModuleOp"> {
  let summary = "ONNX's operators that quantize, or compute with codes, to qdq";
  let description = [{
    Matches `onnx.QuantizeLinear`, `onnx.DequantizeLinear` and `onnx.DynamicQuantizeLinear` of
    opsets 10 to 28, also as `torch.operator` with the name `onnx.…`. An absent `block_size` is
    inferred if only one fits. The profile is `onnx`. `precision` (as `compute`; `ort` ignores it)
    and `saturate = 0` (as `float_overflow = ieee`) stay under every profile. Example:
    [ONNX.md](sources/ONNX.md).

    `onnx.Custom` is matched in these domains:

    - `com.microsoft`, profile `ort`: `QuantizeLinear`, `DequantizeLinear`, and the operators below
    - `com.amd.quark`, profile `quark`: `ExtendedQuantizeLinear`, `ExtendedDequantizeLinear`,
      `BFPQuantizeDequantize`, `MXQuantizeDequantize`
    - `com.vai.quantize`, profile `quark`: `VitisQuantizeLinear`, `VitisDequantizeLinear`,
      `BFPFixNeuron`, `MXFixNeuron`
    - `pmx`, `opmx`, profile `pmx`: `DequantizeLinear` (int8, and int4 through `qdq.unpack`)
    - `qonnx.custom_op.general`, `onnx.brevitas`, `finn.custom_op.general`, profile `quant`: `Quant`
      (or `IntQuant`), `BipolarQuant`, `Trunc`, as `qdq.quantize` and `qdq.dequantize`

    Operators on codes ([formulas](Sources.md#onnx)):

    - `MatMulInteger`, `ConvInteger`: a sum of products in i32, modulo 2^32
    - `QLinearMatMul`, `QLinearConv`, `QGemm`: such a sum, in i64 where i32 might overflow, and
      `qdq.requantize` (float8: a contraction of dequantized operands, and `qdq.quantize`)
    - `MatMulIntegerToFloat`, `QGemm` without a scale of y: a sum of products, and `qdq.dequantize`
    - `DynamicQuantizeMatMul`: the same of codes from `qdq.choose_params` and `qdq.quantize`
    - `MatMulNBits`: `qdq.unpack`, `qdq.dequantize` and a contraction; with `accuracy_level = 4`
      products of codes
    - `MatMulBnb4`: `qdq.unpack`, a table of FP4 or NF4, and a contraction
    - `GatherBlockQuantized`: a gather of codes and parameters, and `qdq.dequantize`
    - `QLinearMul`, `QLinearGlobalAveragePool`: integers, and `qdq.requantize`
    - `QLinearAdd`, `QLinearSigmoid`, `QLinearLeakyRelu`, `QLinearAveragePool`, `QLinearSoftmax`,
      `QLinearConcat`, `QLinearWhere`: a function of floats between `qdq.dequantize` and
      `qdq.quantize`

    The profile selects the rescaling: f64 for `onnx`, f32 for `ort`. Integer rescaling (`tflite`)
    needs constant scales.
  }];
  let options = !listconcat(QDQ_SemanticsOptions,
                            [QDQ_UnconvertedOption, QDQ_SizeChecksOption]);
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "qdq::QDQDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def ConvertOneDNNToQDQPass : QDQ_Pass<"convert-onednn-to-qdq", "::mlir::ModuleOp"> {
  let summary = "oneDNN Graph Quantize, Dequantize, DynamicQuantize, DynamicDequantize to qdq";
  let description = [{
    Matches `quantize`, `dequantize`, `dynamic_quantize` and `dynamic_dequantize` of `onednn_graph`.
    Zero points have one element or the shape of the scales. A static `quantize` to f8 becomes two
    ops, because oneDNN rounds to f16 first. The profile is `onednn`. Example:
    [oneDNN.md](sources/oneDNN.md).
  }];
  let options = !listconcat(QDQ_SemanticsOptions, [QDQ_UnconvertedOption]);
  let dependentDialects = ["arith::ArithDialect", "qdq::QDQDialect",
                           "tensor::TensorDialect"];
}

def ConvertStableHLOToQDQPass : QDQ_Pass<"convert-stablehlo-to-qdq", "::mlir::ModuleOp"> {
  let summary = "StableHLO on quantized types to qdq";
  let description = [{
    Matches ops `stablehlo.…` with an operand or result of a `!quant.uniform` type:

    - `uniform_quantize`, `uniform_dequantize`: `qdq.quantize`, `qdq.dequantize`; both between codes
    - `constant`, `broadcast_in_dim`, `concatenate`, `pad`, `reshape`, `reverse`, `slice`,
      `transpose`, `dynamic_broadcast_in_dim`, `dynamic_reshape`, `dynamic_slice`,
      `dynamic_update_slice`: the same on codes
    - `dot_general`, `convolution`, elementwise ops: the same on reals, between `qdq.dequantize` and
      `qdq.quantize`

    The profile is `stablehlo`. Example: [StableHLO.md](sources/StableHLO.md).
  }];
  let options = !listconcat(QDQ_SemanticsOptions, [QDQ_UnconvertedOption]);
  let dependentDialects = ["arith::ArithDialect", "qdq::QDQDialect",
                           "quant::QuantDialect", "tensor::TensorDialect"];
}

def ConvertTOSAToQDQPass : QDQ_Pass<"convert-tosa-to-qdq", "::mlir::ModuleOp"> {
  let summary = "tosa.rescale and TOSA's block formats to qdq";
  let description = [{
    - `tosa.rescale`: `qdq.requantize` of the input less its zero point, by `rounding_mode`
      `fixed31-double`, or `fixed31-single` (`INEXACT_ROUND` too); `fixed15` for multipliers of 16
      bits. The output saturates.
    - `tosa.cast_from_block_scaled`: `qdq.dequantize` with blocks along the last dimension
    - `tosa.cast_to_block_scaled`: `qdq.choose_params` with `power_of_two <fit>`, and
      `qdq.quantize`; `tosa.cast` to `!tosa.block_scaled` and back likewise
    - `tosa.matmul_t_block_scaled`, `tosa.conv2d_block_scaled`: two `qdq.dequantize` and a
      contraction or convolution of `linalg`
    - `tosa.reshape_block_scaled`, `tosa.row_gather_block_scaled`: the same movement of codes and
      scales; an index beyond the rows reads the last ones

    Upstream's passes lower TOSA's other ops. Example: [TOSA.md](sources/TOSA.md).
  }];
  let options = !listconcat(QDQ_SemanticsOptions, [QDQ_UnconvertedOption]);
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "qdq::QDQDialect", "tensor::TensorDialect"];
}

def ConvertTorchToQDQPass : QDQ_Pass<"convert-torch-to-qdq", "::mlir::ModuleOp"> {
  let summary = "PyTorch's quantized_decomposed and torchao operators to qdq";
  let description = [{
    Matches operators of torch-mlir's importer for `torch.export`
    (`torch.quantized_decomposed.quantize_per_tensor`), also as `torch.operator` of that name.
    Operands except scales and zero points must be constants or `torch.prim.ListConstruct`. Example:
    [PyTorch.md](sources/PyTorch.md).

    - `quantized_decomposed`: `quantize_…` and `dequantize_…` `per_tensor`, `per_channel`,
      `per_token` and `per_channel_group`; `choose_qparams`, `choose_qparams_symmetric`,
      `choose_qparams_per_token`, `choose_qparams_per_token_asymmetric` of f32;
      `convert_element_type` of floats
    - `torchao`: `quantize_affine`, `dequantize_affine`, `choose_qparams_affine` of f32
    - `aten._scaled_mm` to f32, f16 or bf16, with one scale for each operand, or one for each row and
      each column

    The profile is `torch-decomposed`. An operator that differs from it keeps PyTorch's computation
    ([Sources.md](Sources.md#pytorch)), unless `profile=` names another system. `quant_min` and
    `quant_max` become `clamp`; zero points of 64 bits become i32.
  }];
  let options = !listconcat(QDQ_SemanticsOptions, [QDQ_UnconvertedOption]);
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "qdq::QDQDialect", "tensor::TensorDialect"];
}

def ConvertTorchTypesPass : QDQ_Pass<"convert-torch-types", "::mlir::ModuleOp"> {
  let summary = "!torch.vtensor on functions to builtin tensors";
  let description = [{
    `!torch.vtensor` types become builtin tensors on functions, calls, branches and `scf`, and the
    casts of `torch_c` disappear. Signed elements become signless; `ui8` stays. Nothing changes if
    any other op has a value of a torch type. Example: [TorchMLIR.md](sources/TorchMLIR.md).
  }];
  let dependentDialects = ["tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

defvar QDQ_ElementOptions = !listconcat(QDQ_SemanticsOptions, [
  Option<"contractionProof", "contraction-proof", "bool", "false",
         "products that a later compiler cannot round together with a sum beside them, as fma: see docs/Semantics.md">
]);

defvar QDQ_KeepElementOps = [
  Option<"elementOps", "element-ops", "bool", "false",
         "qdq.encode, qdq.extract_field and qdq.deposit_field in place of arithmetic">
];

defvar QDQ_BlockFormOption =
  Option<"blockForm", "block-form", "::mlir::qdq::BlockForm",
         "::mlir::qdq::BlockForm::Auto",
         "how blocked parameters are indexed: auto (expand where blocks are static and divide, else map), expand, map",
         [{::llvm::cl::values(
           clEnumValN(::mlir::qdq::BlockForm::Auto, "auto", "expand where possible, else map"),
           clEnumValN(::mlir::qdq::BlockForm::Expand, "expand", "a dimension of its own for the block"),
           clEnumValN(::mlir::qdq::BlockForm::Map, "map", "the body loads the parameter at d floordiv block"))}]>;

defvar QDQ_RuntimeChecksOption =
  Option<"runtimeChecks", "runtime-checks", "bool", "false",
         "assert at run time that dynamic shapes of values and parameters agree">;

def ConvertQDQToLinalgPass : QDQ_Pass<"convert-qdq-to-linalg"> {
  let summary = "qdq on tensors to one linalg.generic per op";
  let description = [{
    Each op on tensors becomes an elementwise `linalg.generic` of scalar `arith` and `math`,
    `qdq.choose_params` a reduction and such a generic, `qdq.pack` a reduction.

    Static blocks that divide their dimension get a dimension of their own (`tensor.expand_shape`);
    for other blocks the body loads the parameters at `d floordiv block`. Unranked tensors are
    flattened.
  }];
  let options = !listconcat(QDQ_ElementOptions,
                            [QDQ_BlockFormOption, QDQ_RuntimeChecksOption],
                            QDQ_KeepElementOps);
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def ConvertQDQToArithPass : QDQ_Pass<"convert-qdq-to-arith"> {
  let summary = "qdq on scalars and vectors to arith and math";
  let description = [{
    `qdq.quantize`, `qdq.dequantize` and `qdq.requantize` on scalars and vectors become `arith` and
    `math` ops of the same shape. Ops on tensors stay.
  }];
  let options = !listconcat(QDQ_ElementOptions, QDQ_KeepElementOps);
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "vector::VectorDialect"];
}

#endif // QDQ_CONVERSION_PASSES_TD
