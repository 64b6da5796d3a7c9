// RUN: quant-opt %s --qdq-codegen-lay-out-contractions --split-input-file | FileCheck %s

// Blocks of 16 codes of 4 bits, the low halves of 8 bytes before the high ones: fields become the innermost terms, and x follows.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @few_words(
// CHECK: %[[MOVED:.*]] = linalg.transpose ins(%arg0 : tensor<4x2x8xf32>) outs(%{{.*}} : tensor<4x8x2xf32>) permutation = [0, 2, 1]
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], {{.*}}], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%[[MOVED]], %arg1 : tensor<4x8x2xf32>, tensor<32x4x8xi8>)
// CHECK: linalg.index 3 : index
#x = affine_map<(n, b, field, byte) -> (b, field, byte)>
#w = affine_map<(n, b, field, byte) -> (n, b, byte)>
#y = affine_map<(n, b, field, byte) -> (n)>
func.func @few_words(%x: tensor<4x2x8xf32>, %w: tensor<32x4x8xi8>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x2x8xf32>, tensor<32x4x8xi8>) outs(%y : tensor<32xf32>) {
  ^bb0(%in: f32, %bytes: i8, %out: f32):
    %field = linalg.index 2 : index
    %code = qdq.extract_field %bytes slots(%field) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %p = arith.mulf %in, %real fastmath<reassoc,contract> : f32
    %s = arith.addf %out, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}

// -----

// 16 bytes fill a vector of floats, which stay. Codes of x do not.
// CHECK-LABEL: func.func @floats(
// CHECK-NOT: linalg.transpose
// CHECK-LABEL: func.func @codes(
// CHECK: linalg.transpose ins(%arg0 : tensor<4x2x16xi8>)
#x = affine_map<(n, b, field, byte) -> (b, field, byte)>
#w = affine_map<(n, b, field, byte) -> (n, b, byte)>
#y = affine_map<(n, b, field, byte) -> (n)>
func.func @floats(%x: tensor<4x2x16xf32>, %w: tensor<32x4x16xi8>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x2x16xf32>, tensor<32x4x16xi8>) outs(%y : tensor<32xf32>) {
  ^bb0(%in: f32, %bytes: i8, %out: f32):
    %field = linalg.index 2 : index
    %code = qdq.extract_field %bytes slots(%field) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %p = arith.mulf %in, %real fastmath<reassoc,contract> : f32
    %s = arith.addf %out, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}

func.func @codes(%x: tensor<4x2x16xi8>, %w: tensor<32x4x16xi8>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x2x16xi8>, tensor<32x4x16xi8>) outs(%y : tensor<32xf32>) {
  ^bb0(%in: i8, %bytes: i8, %out: f32):
    %field = linalg.index 2 : index
    %code = qdq.extract_field %bytes slots(%field) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %x_real = arith.sitofp %in : i8 to f32
    %p = arith.mulf %x_real, %real fastmath<reassoc,contract> : f32
    %s = arith.addf %out, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}
