// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes into and out of the qdq dialect.

#ifndef QDQ_CONVERSION_PASSES_TD
#define QDQ_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"
include "qdq/Conversion/Unconverted.td"
include "qdq/Numerics/PassOptions.td"

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def ConvertQuantToQDQPass : QDQ_Pass<"convert-quant-to-qdq", "::mlir::ModuleOp"> {
  let summary = "MLIR quant dialect to qdq";
  let description = [{
    `quant.qcast` and `quant.dcast` become `qdq.quantize` and `qdq.dequantize`, the parameters of
    the quantized type constants; `quant.scast` disappears. Quantized types become storage types
    (`ui8` for `u8`) on functions, calls, branches, globals, and ops that move elements. On any
    other op a quantized type is an error
    ([Rationale.md](Rationale.md#interfaces-and-one-list-say-which-ops-may-be-retyped)). The profile
    is `quant`.

    With MLIR 23, codes may be floats, or places in a table of quantiles, which `quant.dcast`
    looks up.

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
    opsets 10 to 28. A missing operand, an `onnx.NoValue` or a value of type `none` means no zero
    point. The shape of the scale defines the granularity; an absent `block_size` is inferred if
    only one fits. The pass also reads the spelling of torch-mlir and IREE, `torch.operator` with
    the name `onnx.…` ([TorchMLIR.md](sources/TorchMLIR.md)).

    The profile is `onnx`. `precision` (as `compute`; `ort` ignores it) and `saturate = 0` (as
    `float_overflow = ieee`) stay under every profile.

    `onnx.Custom` of these domains is matched, too:

    | domain | function | profile |
    |---|---|---|
    | `com.microsoft` | `QuantizeLinear`, `DequantizeLinear`, and the operators below | `ort` |
    | `com.amd.quark` | `ExtendedQuantizeLinear`, `ExtendedDequantizeLinear`, `BFPQuantizeDequantize`, `MXQuantizeDequantize` | `quark` |
    | `com.vai.quantize` | `VitisQuantizeLinear`, `VitisDequantizeLinear`, `BFPFixNeuron`, `MXFixNeuron` | `quark` |
    | `pmx`, `opmx` | `DequantizeLinear` (int8, and int4 through `qdq.unpack`) | `pmx` |

    Operators on codes:

    | operator | becomes |
    |---|---|
    | `onnx.MatMulInteger`, `onnx.ConvInteger` | a sum of products in i32, modulo 2^32 |
    | `onnx.QLinearMatMul`, `onnx.QLinearConv`, `QLinearConv` (`channels_last`), `QGemm` | such a sum, in i64 where i32 might overflow, and `qdq.requantize` |
    | `onnx.QLinearMatMul` with float8 | a contraction of dequantized operands in f32, and `qdq.quantize` |
    | `MatMulIntegerToFloat`, `QGemm` without a scale of y | such a sum and `qdq.dequantize` |
    | `DynamicQuantizeMatMul` | `qdq.choose_params`, `qdq.quantize`, then as the last |
    | `MatMulNBits` | `qdq.unpack`, `qdq.dequantize` and a contraction; with `accuracy_level = 4`, A in i8 by blocks and sums of integers |
    | `GatherBlockQuantized` | a gather of codes and their parameters, `qdq.unpack` where bytes hold several, and `qdq.dequantize`; zeros for indices out of range |
    | `QLinearMul`, `QLinearGlobalAveragePool` | integers, and `qdq.requantize` |
    | `QLinearAdd`, `QLinearSigmoid`, `QLinearLeakyRelu`, `QLinearAveragePool` | a function of floats between `qdq.dequantize` and `qdq.quantize`; `QLinearAdd` and `QLinearSigmoid` by ONNX Runtime's own formulas under its profile |
    | `QLinearConcat` | `qdq.dequantize` and `qdq.quantize` of each input, and a `tensor.concat` |
    | `QLinearSoftmax` | a function of floats between `qdq.dequantize` and `qdq.quantize`; under the profile `ort` ONNX Runtime's table of exponentials, of constant scales and static rows |

    The profile selects the rescaling: f64 for `onnx`, f32 for `ort`. `QLinearMatMul` and
    `QLinearConv` add the zero point before rounding under `onnx`, after it under `ort`. Integer
    rescaling (`tflite`) needs constant scales. Quark's block formats become `qdq.choose_params`
    with powers of two as f64 scales, `qdq.quantize` and `qdq.dequantize`.

    ```mlir
    %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %z = "onnx.Constant"() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
    %q = "onnx.QuantizeLinear"(%x, %s, %z) {axis = 1 : si64}
       : (tensor<3x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<3x4xui8>
    ```
    becomes
    ```mlir
    %s = arith.constant 5.000000e-01 : f32
    %z = arith.constant dense<128> : tensor<ui8>
    %q = qdq.quantize %x scale %s zero_point %z semantics <rounding = nearest-even, order = round-then-add, ...>
       : (tensor<3x4xf32>, f32, tensor<ui8>) -> tensor<3x4xui8>
    ```
  }];
  let options = !listconcat(QDQ_SemanticsOptions, [QDQ_UnconvertedOption]);
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "qdq::QDQDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def ConvertOneDNNToQDQPass : QDQ_Pass<"convert-onednn-to-qdq", "::mlir::ModuleOp"> {
  let summary = "oneDNN Graph Quantize, Dequantize, DynamicQuantize, DynamicDequantize to qdq";
  let description = [{
    Matches the four ops `onednn_graph.…` with oneDNN's attributes and defaults: `qtype`
    (`per_tensor`, `per_channel`, and `per_group` for `dynamic_dequantize`), `axis` (1),
    `group_shape`, `scales`, `zps`. s8 is `i8` or `si8`, u8 is `ui8`. Zero points have one element
    or the shape of the scales. A static `quantize` to f8 becomes two ops, because oneDNN rounds to
    f16 first. The profile is `onednn`.

    ```mlir
    %y = "onednn_graph.dynamic_dequantize"(%w, %s) {qtype = "per_group", group_shape = array<i64: 1, 32>}
       : (tensor<4x64xi4>, tensor<4x2xf16>) -> tensor<4x64xf16>
    ```
    becomes
    ```mlir
    %y = qdq.dequantize %w scale %s block_shape [1, 32] semantics <rounding = nearest-even, order = add-then-round, ...>
       : (tensor<4x64xi4>, tensor<4x2xf16>) -> tensor<4x64xf16>
    ```
  }];
  let options = !listconcat(QDQ_SemanticsOptions, [QDQ_UnconvertedOption]);
  let dependentDialects = ["arith::ArithDialect", "qdq::QDQDialect",
                           "tensor::TensorDialect"];
}

def ConvertStableHLOToQDQPass : QDQ_Pass<"convert-stablehlo-to-qdq", "::mlir::ModuleOp"> {
  let summary = "StableHLO on quantized types to qdq";
  let description = [{
    Matches ops `stablehlo.…` with an operand or result of a `!quant.uniform` type. The profile is
    `stablehlo`.

    | ops | become |
    |---|---|
    | `uniform_quantize`, `uniform_dequantize` | `qdq.quantize`, `qdq.dequantize`; from codes to codes both |
    | `constant` | `arith.constant` |
    | `broadcast_in_dim`, `concatenate`, `pad`, `reshape`, `reverse`, `slice`, `transpose`, and the dynamic forms `dynamic_broadcast_in_dim`, `dynamic_reshape`, `dynamic_slice`, `dynamic_update_slice` | the same op on codes |
    | `dot_general`, `convolution`, and elementwise ops | the same op on reals, between `qdq.dequantize` and `qdq.quantize` |

    The last row is the specification's `dequantize_op_quantize`, or `hybrid_dequantize_then_op` for
    a real result. StableHLO's own passes lower these ops, and `qdq-integer-contractions` then finds
    their contractions. `convert-quant-to-qdq` refuses the quantized types of ops that stay.

    ```mlir
    %q = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:10>>
    ```
    becomes
    ```mlir
    %s = arith.constant 5.000000e-01 : f32
    %z = arith.constant 10 : i8
    %c = qdq.quantize %x scale %s zero_point %z semantics <rounding = nearest-even, order = add-then-round, ...>
       : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
    %q = quant.scast %c : tensor<4xi8> to tensor<4x!quant.uniform<i8:f32, 5.000000e-01:10>>
    ```
  }];
  let options = !listconcat(QDQ_SemanticsOptions, [QDQ_UnconvertedOption]);
  let dependentDialects = ["arith::ArithDialect", "qdq::QDQDialect",
                           "quant::QuantDialect", "tensor::TensorDialect"];
}

def ConvertTOSAToQDQPass : QDQ_Pass<"convert-tosa-to-qdq", "::mlir::ModuleOp"> {
  let summary = "tosa.rescale and TOSA's block formats to qdq";
  let description = [{
    | op | becomes |
    |---|---|
    | `tosa.rescale` | `qdq.requantize` of the input less its zero point: `fixed31-single` or `fixed31-double` by `rounding_mode` (`INEXACT_ROUND` rounds once), `fixed15` for multipliers of 16 bits; `per_channel` is the last axis; the output saturates |
    | `tosa.cast_from_block_scaled` | `qdq.dequantize` with blocks along the last dimension |
    | `tosa.cast_to_block_scaled` | `qdq.choose_params` with `power_of_two <fit>`, and `qdq.quantize`; a block with a NaN or an infinity has the scale NaN |
    | `tosa.matmul_t_block_scaled` | two `qdq.dequantize` and `linalg.contract` |
    | with MLIR 23: `tosa.conv2d_block_scaled` | two `qdq.dequantize`, `linalg.conv_2d_nhwc_fhwc`, and the bias |
    | `tosa.reshape_block_scaled`, `tosa.row_gather_block_scaled` | the same movement of codes and scales; an index beyond the rows reads the last ones |
    | `tosa.cast` to `!tosa.block_scaled`, and back | the ops of the two casts above |

    Upstream's passes lower TOSA's other ops.

    ```mlir
    %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %t = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
    %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %zo = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %y = tosa.rescale %x, %m, %t, %zi, %zo {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
       : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4xi8>
    ```
    becomes
    ```mlir
    %m = arith.constant 1073741824 : i32
    %t = arith.constant 33 : i8
    %z = arith.constant 3 : i8
    %y = qdq.requantize %x rescale <fixed31-double> multiplier %m shift %t zero_point %z semantics <...>
       : (tensor<4xi32>, i32, i8, i8) -> tensor<4xi8>
    ```
  }];
  let options = !listconcat(QDQ_SemanticsOptions, [QDQ_UnconvertedOption]);
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "qdq::QDQDialect", "tensor::TensorDialect"];
}

def ConvertTorchToQDQPass : QDQ_Pass<"convert-torch-to-qdq", "::mlir::ModuleOp"> {
  let summary = "PyTorch's quantized_decomposed and torchao operators to qdq";
  let description = [{
    Matches operators of torch-mlir's importer for `torch.export`:
    `torch.quantized_decomposed.quantize_per_tensor`, or `torch.operator` with such a name. Tensors
    are `!torch.vtensor` with an element type, or builtin. Operands except scales and zero points
    must be constants or `torch.prim.ListConstruct`.

    | operator, behind `torch.` | overloads |
    |---|---|
    | `quantized_decomposed.quantize_per_tensor`, `dequantize_per_tensor` | `tensor`, `tensor2` |
    | `quantized_decomposed.quantize_per_channel`, `dequantize_per_channel` | |
    | `quantized_decomposed.quantize_per_token`, `dequantize_per_token` | |
    | `quantized_decomposed.quantize_per_channel_group`, `dequantize_per_channel_group` | |
    | `quantized_decomposed.choose_qparams`, `choose_qparams_symmetric` of f32 | `tensor` |
    | `quantized_decomposed.choose_qparams_per_token`, `choose_qparams_per_token_asymmetric` of f32 | |
    | `quantized_decomposed.convert_element_type` of floats | `no_fuse` |
    | `torchao.quantize_affine`, `dequantize_affine`, `choose_qparams_affine` of f32 | |

    The profile is `torch-decomposed`. An operator that differs from this profile keeps PyTorch's
    computation ([Sources.md](Sources.md#pytorch)), unless you name another system by `profile=`.
    Parameters from ranges follow PyTorch's formulas under every profile. `quant_min` and
    `quant_max` become `clamp`; zero points of 64 bits become i32.

    ```mlir
    %s = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
    %z = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
    %low = "torch.constant.int"() <{value = -127 : i64}> : () -> !torch.int
    %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
    %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %q = "torch.quantized_decomposed.quantize_per_tensor"(%x, %s, %z, %low, %high, %dtype)
       : (tensor<3x4xf32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> tensor<3x4xi8>
    ```
    becomes
    ```mlir
    %s = arith.constant 5.000000e-01 : f32
    %z = arith.constant 3 : i32
    %q = qdq.quantize %x scale %s zero_point %z clamp [-127, 127] semantics <rounding = nearest-even, order = round-then-add, ...>
       : (tensor<3x4xf32>, f32, i32) -> tensor<3x4xi8>
    ```
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
    casts of `torch_c` disappear. Signed elements become signless; `ui8` stays. If any other op
    still has a value of a torch type, nothing changes: torch-mlir converts the types later.

    ```mlir
    func.func @f(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
      %t = "torch_c.to_builtin_tensor"(%x) : (!torch.vtensor<[4],f32>) -> tensor<4xf32>
      %u = arith.negf %t : tensor<4xf32>
      %y = "torch_c.from_builtin_tensor"(%u) : (tensor<4xf32>) -> !torch.vtensor<[4],f32>
      return %y : !torch.vtensor<[4],f32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %u = arith.negf %x : tensor<4xf32>
      return %u : tensor<4xf32>
    }
    ```
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
         "qdq.encode stays, and stands in place of the arithmetic of qdq.quantize, for a target that has better code">
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
    Each op on tensors becomes `linalg.generic` in destination-passing style, with scalar `arith`
    and `math` in its body:

    | op | becomes |
    |---|---|
    | `qdq.quantize`, `qdq.dequantize`, `qdq.requantize`, `qdq.unpack` | one elementwise generic |
    | `qdq.choose_params` | a reduction and an elementwise generic |
    | `qdq.pack` | a reduction |

    Constant per-tensor parameters move into the body. Static blocks that divide their dimension get
    a dimension of their own (`tensor.expand_shape`); for other blocks the body loads the parameters
    at `d floordiv block`. Unranked tensors are flattened. `ui8` and `si8` storage passes through
    `tensor.bitcast`. `populateQDQFusionPatterns` lets upstream's elementwise fusion join an unpack,
    a pack or a computed scale with its neighbor.
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
    `math` ops of the same shape; parameters of vectors are broadcast. Ops on tensors stay.
  }];
  let options = !listconcat(QDQ_ElementOptions, QDQ_KeepElementOps);
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "vector::VectorDialect"];
}

#endif // QDQ_CONVERSION_PASSES_TD
