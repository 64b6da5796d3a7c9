// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of whole networks: TFLite's, and ONNX's on floats. The library is
// apart from the sources, so that `QDQCore` does not link it.

#ifndef QDQ_CONVERSION_FRONTENDS_TD
#define QDQ_CONVERSION_FRONTENDS_TD

include "qdq/Conversion/Unconverted.td"
include "qdq/Numerics/PassOptions.td"

def ConvertONNXToLinalgPass : QDQ_Pass<"convert-onnx-to-linalg", "::mlir::ModuleOp"> {
  let summary = "ONNX's float operators to linalg and tensor";
  let description = [{
    Matches [ONNX's operators on floats and shapes](Sources.md#onnx-operators-of-floats) of opsets 7
    to 28. All others stay. `quant-to-llvm` runs this pass; `lower-quant` does not.

    Products and pools become named ops of linalg (`conv_2d_nchw_fchw`, `contract`,
    `pooling_nchw_max`, ...), elementwise operators `linalg.generic`, moves of elements ops of
    `tensor`. `axes` and the like are attributes or constants. `onnx.opset_import` of the module
    states the opset, else it is the newest. f16 and bf16 are computed in f32 and rounded once.

    ```mlir
    %y = "onnx.MaxPool"(%x) {kernel_shape = [2, 2]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
    ```
    becomes
    ```mlir
    %0 = tensor.empty() : tensor<1x3x7x7xf32>
    %cst = arith.constant 0xFF800000 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32>
    %2 = tensor.empty() : tensor<2x2xf32>
    %y = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %2 : tensor<1x3x8x8xf32>, tensor<2x2xf32>) outs(%1 : tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32>
    ```
  }];
  let options = [QDQ_UnconvertedOption];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def ConvertTFLToLinalgPass : QDQ_Pass<"convert-tfl-to-linalg", "::mlir::ModuleOp"> {
  let summary = "TFLite's operators on floats to linalg and tensor";
  let description = [{
    Matches [TFLite's operators on floats](Sources.md#tflite-operators-of-floats), ops `tfl.…`. Ops
    with quantized operands or results stay. `quant-to-llvm` runs this pass; `lower-quant` does not.

    Products and pools become named ops of linalg with the channels last (`conv_2d_nhwc_fhwc`,
    `contract`, `pooling_nhwc_max`, ...), elementwise operators and `fused_activation_function` a
    `linalg.generic`, moves of elements ops of `tensor`. Axes, paddings and sizes are constants. f16
    and bf16 are computed in f32 and rounded once.

    ```mlir
    %y = "tfl.max_pool_2d"(%x) {padding = "VALID", filter_height = 2 : i32, filter_width = 2 : i32} : (tensor<1x8x8x3xf32>) -> tensor<1x7x7x3xf32>
    ```
    becomes
    ```mlir
    %0 = tensor.empty() : tensor<1x7x7x3xf32>
    %cst = arith.constant 0xFF800000 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x7x7x3xf32>) -> tensor<1x7x7x3xf32>
    %2 = tensor.empty() : tensor<2x2xf32>
    %y = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %2 : tensor<1x8x8x3xf32>, tensor<2x2xf32>) outs(%1 : tensor<1x7x7x3xf32>) -> tensor<1x7x7x3xf32>
    ```
  }];
  let options = [QDQ_UnconvertedOption];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "tensor::TensorDialect"];
}

def ConvertTFLToQDQPass : QDQ_Pass<"convert-tfl-to-qdq", "::mlir::ModuleOp"> {
  let summary = "TFLite's dialect on quantized types to qdq";
  let description = [{
    Matches ops `tfl.…` whose codes have `!quant.uniform` types that express f32. Between the ops
    `quant.scast` converts codes; `convert-quant-to-qdq` removes these casts, and refuses the
    quantized types of ops that stay. The profile is `tflite`, LiteRT's reference kernels;
    `profile=xnnpack` selects its default delegate ([Sources.md](Sources.md#tflite)).

    | ops | become |
    |---|---|
    | `quantize`, `dequantize` | `qdq.quantize`, `qdq.dequantize`; from codes to codes `qdq.requantize` |
    | `conv_2d`, `depthwise_conv_2d`, `transpose_conv` of 8 bits, `fully_connected`, `batch_matmul` | a sum of products of the codes in their own types, and `qdq.requantize` |
    | `conv_2d`, `depthwise_conv_2d`, `fully_connected` of floats by a quantized filter | `qdq.quantize` with parameters chosen at run time, a sum of products of codes, and floats |
    | `add`, `sub`, `mul` | integers, and `qdq.requantize` |
    | `average_pool_2d`, `mean` | a sum, and `qdq.requantize` |
    | `max_pool_2d`, `maximum`, `minimum`; `relu`, `relu6`, `relu_n1_to_1`, `leaky_relu` | the largest or smallest code; `qdq.requantize` |
    | `logistic`, `tanh`, `gelu` of 8 bits | a function of floats between `qdq.dequantize` and `qdq.quantize` |
    | `hard_swish` of 8 bits | a table of all codes |
    | `softmax` of 8 bits | integers: a table of exponentials, sums, and their reciprocals; floats with another profile than `tflite` |
    | `reshape`, `squeeze`, `expand_dims`, `transpose`, `pad`, `padv2`, `concatenation`, `strided_slice`, `slice`, `split`, `split_v` | codes in other places; elements of any type but for `pad` |
    | `broadcast_to`, `depth_to_space`, `gather`, `mirror_pad`, `pack`, `resize_bilinear`, `resize_nearest_neighbor`, `select_v2`, `space_to_depth`, `tile`, `unpack` | the same op on codes as integers, for `convert-tfl-to-linalg` |
    | `pseudo_const`, `pseudo_qconst` | `arith.constant` |

    Padding is the code of 0, and `fused_activation_function` bounds the codes. Ops on floats stay,
    except `leaky_relu` of f32.

    ```mlir
    %q = "tfl.quantize"(%x) {qtype = tensor<4x!quant.uniform<i8:f32, 0.5:10>>}
       : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:10>>
    ```
    becomes
    ```mlir
    %s = arith.constant 5.000000e-01 : f32
    %z = arith.constant 10 : i8
    %c = qdq.quantize %x scale %s zero_point %z semantics <rounding = nearest-away, order = round-then-add, ...>
       : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
    %q = quant.scast %c : tensor<4xi8> to tensor<4x!quant.uniform<i8:f32, 5.000000e-01:10>>
    ```
  }];
  let options = !listconcat(QDQ_SemanticsOptions, [QDQ_UnconvertedOption]);
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "qdq::QDQDialect", "quant::QuantDialect",
                           "tensor::TensorDialect"];
}

#endif // QDQ_CONVERSION_FRONTENDS_TD
