// Values: constants fold to their codes. 2.5 / 1 is a tie, 300 saturates.
// RUN: quant-opt --convert-onnx-to-qdq --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @codes
// CHECK: dense<[2, 4, 127, -128]> : tensor<4xi8>
func.func @codes() -> tensor<4xi8> {
  %x = arith.constant dense<[2.5, 3.5, 300.0, 0x7FC00000]> : tensor<4xf32>
  %scale = arith.constant dense<1.0> : tensor<f32>
  %q = "onnx.QuantizeLinear"(%x, %scale) : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return %q : tensor<4xi8>
}
