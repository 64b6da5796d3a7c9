// Nine ops that take ten operands each have 10^9 ways through them: a search for the ends visits each value once.
// RUN: %chains %s | timeout 60 quant-opt --qdq-integer-contractions=rescale=f32 | FileCheck %s

// The quantize is too far away to be that of the product.
// CHECK-LABEL: func.func @quantize_of_chain(
// CHECK: linalg.matmul {{.*}} tensor<4x4xi32>
// CHECK: qdq.dequantize
// CHECK: qdq.quantize
#map = affine_map<(i, j) -> (i, j)>
func.func @quantize_of_chain(%x: tensor<4x8xi8>, %w: tensor<8x4xi8>, %s: f32) -> tensor<4x4xi8> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<4x8xi8>, f32) -> tensor<4x8xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<8x4xi8>, f32) -> tensor<8x4xf32>
  %a0 = linalg.matmul ins(%xd, %wd : tensor<4x8xf32>, tensor<8x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHAIN 9
  %a#1 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map, #map, #map, #map, #map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a#0, %a#0, %a#0, %a#0, %a#0, %a#0, %a#0, %a#0, %a#0, %a#0
          : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>,
            tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) {
  ^bb0(%v0: f32, %v1: f32, %v2: f32, %v3: f32, %v4: f32, %v5: f32, %v6: f32, %v7: f32, %v8: f32, %v9: f32, %out: f32):
    %p = arith.mulf %v0, %v9 : f32
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  // END
  %q = qdq.quantize %a9 scale %s : (tensor<4x4xf32>, f32) -> tensor<4x4xi8>
  return %q : tensor<4x4xi8>
}
