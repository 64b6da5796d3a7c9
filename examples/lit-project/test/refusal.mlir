// What is wrong is refused, at its place: a scale for each row, but of another length.
// RUN: not quant-opt --lower-quant %s 2>&1 | FileCheck %s

// CHECK: refusal.mlir:6:8: error: 'onnx.QuantizeLinear' op scale has 3 elements: expected 1, or 4
func.func @rows(%x: tensor<4x8xf32>, %scale: tensor<3xf32>) -> tensor<4x8xi8> {
  %q = "onnx.QuantizeLinear"(%x, %scale) {axis = 0 : si64} : (tensor<4x8xf32>, tensor<3xf32>) -> tensor<4x8xi8>
  return %q : tensor<4x8xi8>
}
