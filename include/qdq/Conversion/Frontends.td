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
    Matches [ONNX's operators on floats and shapes](Sources.md#onnx-operators-of-floats).
    `quant-to-llvm` runs this pass; `lower-quant` does not. f16 and bf16 are computed in f32 and
    rounded once. The opset is `onnx.opset_import` of the module, else the newest. Under
    `profile=ort`, [functions of f32](Semantics.md#functions-of-floats) have ONNX Runtime's bits.

    ```mlir
    %y = "onnx.MaxPool"(%x) {kernel_shape = [2, 2]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
    ```
    becomes
    ```mlir
    %y = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %2 : tensor<1x3x8x8xf32>, tensor<2x2xf32>) ...
    ```
  }];
  let options = [
    QDQ_EnumOption<"profile", "profile", QDQ_Profile,
      "the system whose functions of f32 to match: ", "; only ort differs from the rest">,
    QDQ_UnconvertedOption, QDQ_SizeChecksOption
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def ConvertTFLToLinalgPass : QDQ_Pass<"convert-tfl-to-linalg", "::mlir::ModuleOp"> {
  let summary = "TFLite's operators on floats to linalg and tensor";
  let description = [{
    Matches [TFLite's operators on floats](Sources.md#tflite-operators-of-floats). Ops with
    quantized operands or results stay. `quant-to-llvm` runs this pass; `lower-quant` does not.
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
    Matches ops `tfl.…` whose codes have `!quant.uniform` types that express f32.
    [Sources.md](Sources.md#tflite) lists the ops and the arithmetic of each. Further ones are
    `quantize`, `dequantize`, `max_pool_2d`, `maximum`, `minimum`, and movement of codes: `reshape`,
    `squeeze`, `expand_dims`, `transpose`, `pad`, `padv2`, `concatenation`, `strided_slice`,
    `slice`, `split` and `split_v`.

    Padding is the code of 0. `convert-quant-to-qdq` removes the `quant.scast` between the ops. The
    profile is `tflite`. Example: [TFLite.md](sources/TFLite.md).
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
