// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float operators beside quantized ones. Apart from the sources: who links those links no operator of floats.

#ifndef QDQ_CONVERSION_ONNXTOLINALG_PASSES_TD
#define QDQ_CONVERSION_ONNXTOLINALG_PASSES_TD

include "qdq/Conversion/Unconverted.td"
include "qdq/Numerics/PassOptions.td"

def ConvertONNXToLinalgPass : QDQ_Pass<"convert-onnx-to-linalg", "::mlir::ModuleOp"> {
  let summary = "ONNX's float operators to linalg and tensor";
  let description = [{
    Matches the operators of floats and of shapes that quantized models hold, by name, as `importers.onnx` and onnx-mlir print them; the dialect need not be registered. Operators that are not in the
    table of [Sources.md](Sources.md#onnx-operators-of-floats) stay for another compiler, and so do those of codes, which `convert-onnx-to-qdq` takes. `quant-to-llvm` runs this pass behind the sources; `lower-quant` does not.

    Products and pools become named ops of linalg (`conv_2d_nchw_fchw`, `contract`, `pooling_nchw_max`, ...), elementwise operators a `linalg.generic`, and moves of elements ops of `tensor`. Operators of opsets 7 to 28 are
    read, with `axes` and the like as attributes or as constant operands; the opset is that of the module (`onnx.opset_import`), the newest where it does not say. f16 and bf16 are computed in f32 and rounded once. Codes may be moved: signed and unsigned integers of any width.

    An operator of the table that cannot be converted (a shape that only the values tell, a mode that is not in the table) is an error that says why, or with `unconverted=keep` a remark.

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

#endif // QDQ_CONVERSION_ONNXTOLINALG_PASSES_TD
