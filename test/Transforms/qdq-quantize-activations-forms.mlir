// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of weights that activations get, and those that they do not.
// RUN: quant-opt %s --qdq-quantize-activations=format=blocks | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @open_size(
// CHECK: qdq.choose_params %{{.*}} block_shape [1, 64] {{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @open_size(%x: tensor<4x?xf32>, %codes: tensor<8x?xi4>, %s: tensor<8x?xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = qdq.dequantize %codes scale %s block_shape [1, 64] : (tensor<8x?xi4>, tensor<8x?xf32>) -> tensor<8x?xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<4x?xf32>, tensor<8x?xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Rows that are one block, in another shape.
// CHECK-LABEL: func @whole_rows(
// CHECK: qdq.choose_params %{{.*}} block_shape [1, 32] {{.*}} : (tensor<4x64xf32>) -> tensor<4x2xf32>
func.func @whole_rows(%x: tensor<4x64xf32>, %codes: tensor<8x2x32xi4>, %s: tensor<8x2x1xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %d = qdq.dequantize %codes scale %s block_shape [1, 1, 0] : (tensor<8x2x32xi4>, tensor<8x2x1xf32>) -> tensor<8x2x32xf32>
  %w = tensor.collapse_shape %d [[0], [1, 2]] : tensor<8x2x32xf32> into tensor<8x64xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<4x64xf32>, tensor<8x64xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Reals of 16 bits; blocks along columns; blocks of several rows; blocks that no row of the weight holds.
// CHECK-LABEL: func @others(
// CHECK-NOT: qdq.choose_params
// CHECK: return
func.func @others(%half: tensor<4x64xf16>, %x: tensor<4x64xf32>, %codes: tensor<8x64xi4>, %s: tensor<8x2xf16>, %t: tensor<2x64xf32>, %more: tensor<8x2x32xi4>, %u: tensor<2x2x1xf32>, %v: tensor<8x2x2xf32>, %inithalf: tensor<4x8xf16>, %init: tensor<4x8xf32>)
    -> (tensor<4x8xf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %wa = qdq.dequantize %codes scale %s block_shape [1, 32] : (tensor<8x64xi4>, tensor<8x2xf16>) -> tensor<8x64xf16>
  %a = linalg.matmul indexing_maps = [#x, #w, #y] ins(%half, %wa : tensor<4x64xf16>, tensor<8x64xf16>) outs(%inithalf : tensor<4x8xf16>) -> tensor<4x8xf16>
  %wb = qdq.dequantize %codes scale %t block_shape [4, 1] : (tensor<8x64xi4>, tensor<2x64xf32>) -> tensor<8x64xf32>
  %b = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %wb : tensor<4x64xf32>, tensor<8x64xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  %dc = qdq.dequantize %more scale %u block_shape [4, 1, 32] : (tensor<8x2x32xi4>, tensor<2x2x1xf32>) -> tensor<8x2x32xf32>
  %wc = tensor.collapse_shape %dc [[0], [1, 2]] : tensor<8x2x32xf32> into tensor<8x64xf32>
  %c = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %wc : tensor<4x64xf32>, tensor<8x64xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  %dd = qdq.dequantize %more scale %v block_shape [1, 1, 24] : (tensor<8x2x32xi4>, tensor<8x2x2xf32>) -> tensor<8x2x32xf32>
  %wd = tensor.collapse_shape %dd [[0], [1, 2]] : tensor<8x2x32xf32> into tensor<8x64xf32>
  %d = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %wd : tensor<4x64xf32>, tensor<8x64xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a, %b, %c, %d : tensor<4x8xf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Blocks along two summed dimensions, and along a window.
// CHECK-LABEL: func @several_sums(
// CHECK-NOT: qdq.choose_params
// CHECK: return
func.func @several_sums(%x: tensor<4x64x64xf32>, %codes: tensor<64x64xi4>, %s: tensor<2x2xf32>, %line: tensor<100xf32>, %window: tensor<64xi4>, %t: tensor<2xf32>, %init: tensor<4xf32>, %places: tensor<37xf32>) -> (tensor<4xf32>, tensor<37xf32>) {
  %w = qdq.dequantize %codes scale %s block_shape [32, 32] : (tensor<64x64xi4>, tensor<2x2xf32>) -> tensor<64x64xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(m, k, l) -> (m, k, l)>, affine_map<(m, k, l) -> (k, l)>, affine_map<(m, k, l) -> (m)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x, %w : tensor<4x64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %product = arith.mulf %p, %q : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %v = qdq.dequantize %window scale %t block_shape [32] : (tensor<64xi4>, tensor<2xf32>) -> tensor<64xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%line, %v : tensor<100xf32>, tensor<64xf32>) outs(%places : tensor<37xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %product = arith.mulf %p, %q : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<37xf32>
  return %a, %b : tensor<4xf32>, tensor<37xf32>
}
