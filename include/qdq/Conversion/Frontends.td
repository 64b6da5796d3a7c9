// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of whole networks: TFLite's, and ONNX's on floats. The library is
// apart from the sources, so that `QDQCore` does not link it.

#ifndef QDQ_CONVERSION_FRONTENDS_TD
#define QDQ_CONVERSION_FRONTENDS_TD

include "qdq/Conversion/SourceOptions.td"
include "qdq/Numerics/PassOptions.td"

def ConvertONNXToLinalgPass : QDQ_Pass<"convert-onnx-to-linalg", "::mlir::ModuleOp"> {
  let summary = "ONNX's float operators to linalg and tensor";
  let description = [{
    Matches [ONNX's operators on floats and shapes](Sources.md#onnx-operators-of-floats) of opsets 7
    to 28. `quant-to-llvm` runs this pass; `lower-quant` does not.

    Products and pools become named ops of `linalg`, elementwise operators `linalg.generic`, moves
    of elements ops of `tensor`. f16 and bf16 are computed in f32 and rounded once. The opset is
    `onnx.opset_import` of the module, else the newest.

    RNN, GRU, LSTM and com.microsoft's DynamicQuantizeLSTM become `scf.for`. The products of the last
    are nodes `DynamicQuantizeMatMul`, which `convert-onnx-to-qdq` lowers.

    ```mlir
    %y = "onnx.MaxPool"(%x) {kernel_shape = [2, 2]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
    ```
    becomes
    ```mlir
    %y = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %2 : tensor<1x3x8x8xf32>, tensor<2x2xf32>) ...
    ```
  }];
  let options = [QDQ_UnconvertedOption, QDQ_SizeChecksOption];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def ConvertTFLToLinalgPass : QDQ_Pass<"convert-tfl-to-linalg", "::mlir::ModuleOp"> {
  let summary = "TFLite's operators on floats to linalg and tensor";
  let description = [{
    Matches [TFLite's operators on floats](Sources.md#tflite-operators-of-floats), ops `tfl.…`. Ops
    with quantized operands or results stay. Results are those of `convert-onnx-to-linalg`, with the
    channels last. `quant-to-llvm` runs this pass; `lower-quant` does not.
  }];
  let options = [QDQ_UnconvertedOption, QDQ_SizeChecksOption];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "tensor::TensorDialect"];
}

def ConvertTFLToQDQPass : QDQ_Pass<"convert-tfl-to-qdq", "::mlir::ModuleOp"> {
  let summary = "TFLite's dialect on quantized types to qdq";
  let description = [{
    Matches ops `tfl.…` whose codes have `!quant.uniform` types that express f32. They become
    `qdq.quantize`, `qdq.dequantize`, `qdq.requantize`, and integer arithmetic on codes:

    - casts: `quantize`, `dequantize`
    - products: `conv_2d`, `depthwise_conv_2d`, `transpose_conv` of signed codes, `fully_connected`,
      `batch_matmul`; also of floats by a quantized filter
    - arithmetic: `add`, `sub`, `mul`, `div`, `squared_difference`, `average_pool_2d`, `mean`, `sum`,
      `relu`, `relu6`, `relu_0_to_1`, `relu_n1_to_1`, `leaky_relu`, `abs`, `neg`, `max_pool_2d`,
      `maximum`, `minimum`
    - functions: `logistic`, `tanh`, `gelu`, `exp`, `log`, `sqrt`, `rsqrt`, `softmax`; `elu` and
      `hard_swish` of 8 bits
    - movement: `reshape`, `squeeze`, `expand_dims`, `transpose`, `pad`, `padv2`, `concatenation`,
      `strided_slice`, `slice`, `split`, `split_v`
    - movement that `convert-tfl-to-linalg` lowers: `broadcast_to`, `depth_to_space`,
      `embedding_lookup`, also of floats from a quantized table, `gather`, `mirror_pad`, `pack`, `resize_bilinear`, `resize_nearest_neighbor`, `select_v2`,
      `space_to_depth`, `tile`, `unpack`

    Padding is the code of 0. `quant.scast` converts codes between the ops; `convert-quant-to-qdq`
    removes these casts, and refuses the quantized types of ops that stay. The profile is `tflite`,
    LiteRT's reference kernels; `profile=xnnpack` selects its default delegate. Example:
    [TFLite.md](sources/TFLite.md); arithmetic of each op: [Sources.md](Sources.md#tflite).
  }];
  let options = !listconcat(QDQ_SemanticsOptions,
                            [QDQ_UnconvertedOption, QDQ_SizeChecksOption]);
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "qdq::QDQDialect", "quant::QuantDialect",
                           "tensor::TensorDialect"];
}

#endif // QDQ_CONVERSION_FRONTENDS_TD
