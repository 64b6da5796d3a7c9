// RUN: quant-opt %s --qdq-quantize-activations=format=blocks --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-quantize-activations=format=q8-0 --split-input-file | FileCheck %s --check-prefix=Q8
// RUN: quant-opt %s --qdq-quantize-activations=format=none --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: quant-opt %s --lower-quant=activations=blocks --split-input-file | FileCheck %s --check-prefix=LOWERED

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// The last block is short. Q8_0 has blocks and roundings of its own.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[X:.*]]: tensor<?x200xf32>
// CHECK: %[[W:.*]] = qdq.dequantize
// CHECK: %[[S:.*]] = qdq.choose_params %[[X]] mode <symmetric> storage i8 block_shape [1, 64] semantics <compute = f32> : (tensor<?x200xf32>) -> tensor<?x4xf32>
// CHECK: %[[Q:.*]] = qdq.quantize %[[X]] scale %[[S]] block_shape [1, 64] semantics <compute = f32> {{.*}} -> tensor<?x200xi8>
// CHECK: %[[R:.*]] = qdq.dequantize %[[Q]] scale %[[S]] block_shape [1, 64]
// CHECK: linalg.matmul {{.*}} ins(%[[R]], %[[W]] :
// Q8-LABEL: func @rows
// Q8: %[[S:.*]] = qdq.choose_params %{{.*}} mode <symmetric> storage i8 block_shape [1, 32] {{.*}} -> tensor<?x7xf32>
// Q8: %[[Q:.*]] = qdq.quantize %{{.*}} scale %[[S]] block_shape [1, 32] semantics <rounding = nearest-away, division = reciprocal, compute = f32>
// Q8: %[[HALF:.*]] = arith.truncf %[[S]] : tensor<?x7xf32> to tensor<?x7xf16>
// Q8: qdq.dequantize %[[Q]] scale %[[HALF]] block_shape [1, 32]
// NONE-LABEL: func @rows
// NONE-NOT: qdq.quantize
// LOWERED-LABEL: func @rows
// LOWERED: -> tensor<?x200xi8>
func.func @rows(%x: tensor<?x200xf32>, %codes: tensor<8x200xi4>, %s: tensor<8x4xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %w = qdq.dequantize %codes scale %s block_shape [1, 64] : (tensor<8x200xi4>, tensor<8x4xf32>) -> tensor<8x200xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x200xf32>, tensor<8x200xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// The weight first, and blocks along its first dimension.
// CHECK-LABEL: func @weight_first
// CHECK: qdq.choose_params %{{.*}} block_shape [32] {{.*}} : (tensor<64xf32>) -> tensor<2xf32>
// CHECK: linalg.vecmat ins(%{{.*}}, %{{.*}} :
// Q8-LABEL: func @weight_first
// Q8: qdq.choose_params
func.func @weight_first(%x: tensor<64xf32>, %codes: tensor<64x8xi4>, %s: tensor<2x8xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  %w = qdq.dequantize %codes scale %s block_shape [32, 1] : (tensor<64x8xi4>, tensor<2x8xf32>) -> tensor<64x8xf32>
  %r = linalg.vecmat ins(%x, %w : tensor<64xf32>, tensor<64x8xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Blocks that are rows of records, as GGUF files have them.
// CHECK-LABEL: func @reshaped
// CHECK: qdq.choose_params %{{.*}} block_shape [1, 32] {{.*}} -> tensor<4x2xf32>
// Q8-LABEL: func @reshaped
// Q8: qdq.choose_params %{{.*}} block_shape [1, 32] {{.*}} -> tensor<4x2xf32>
func.func @reshaped(%x: tensor<4x64xf32>, %codes: tensor<8x2x32xi4>, %s: tensor<8x2x1xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %d = qdq.dequantize %codes scale %s block_shape [1, 1, 32] : (tensor<8x2x32xi4>, tensor<8x2x1xf32>) -> tensor<8x2x32xf32>
  %w = tensor.collapse_shape %d [[0], [1, 2]] : tensor<8x2x32xf32> into tensor<8x64xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<4x64xf32>, tensor<8x64xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// No blocks along what is summed.
// CHECK-LABEL: func @columns
// CHECK-NOT: qdq.quantize
// CHECK: return
// Q8-LABEL: func @columns
// Q8: qdq.quantize
func.func @columns(%x: tensor<4x64xf32>, %codes: tensor<64x8xi8>, %s: tensor<8xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = qdq.dequantize %codes scale %s axis 1 : (tensor<64x8xi8>, tensor<8xf32>) -> tensor<64x8xf32>
  %r = linalg.matmul ins(%x, %w : tensor<4x64xf32>, tensor<64x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Both are codes.
// CHECK-LABEL: func @others
// CHECK-NOT: qdq.quantize
// CHECK: return
// Q8-LABEL: func @others
// Q8-NOT: qdq.quantize
// Q8: return
func.func @others(%codes: tensor<64x8xi4>, %s: tensor<2x8xf32>, %a: tensor<4x64xi8>, %sa: tensor<f32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = qdq.dequantize %codes scale %s block_shape [32, 1] : (tensor<64x8xi4>, tensor<2x8xf32>) -> tensor<64x8xf32>
  %x = qdq.dequantize %a scale %sa : (tensor<4x64xi8>, tensor<f32>) -> tensor<4x64xf32>
  %r = linalg.matmul ins(%x, %w : tensor<4x64xf32>, tensor<64x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
