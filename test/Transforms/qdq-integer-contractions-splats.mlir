// RUN: quant-opt %s --qdq-integer-contractions | FileCheck %s

// The sums of a splat with more elements than memory are no constant.

// CHECK-LABEL: @many_columns
// CHECK: linalg.matmul {{.*}} -> tensor<4x2147483647xi32>
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%{{.*}} : tensor<8x2147483647xi8>)
func.func @many_columns(%x: tensor<4x8xi8>, %s: f32) -> tensor<4x2147483647xf32> {
  %w = arith.constant dense<3> : tensor<8x2147483647xi8>
  %z = arith.constant 5 : i8
  %a = qdq.dequantize %x scale %s zero_point %z : (tensor<4x8xi8>, f32, i8) -> tensor<4x8xf32>
  %b = qdq.dequantize %w scale %s : (tensor<8x2147483647xi8>, f32) -> tensor<8x2147483647xf32>
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2147483647xf32>
  %i = linalg.fill ins(%c : f32) outs(%e : tensor<4x2147483647xf32>) -> tensor<4x2147483647xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2147483647xf32>) outs(%i : tensor<4x2147483647xf32>) -> tensor<4x2147483647xf32>
  return %r : tensor<4x2147483647xf32>
}
