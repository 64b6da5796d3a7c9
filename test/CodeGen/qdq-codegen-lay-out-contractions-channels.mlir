// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The channels of a convolution are lanes where its lines of results are short.
// RUN: quant-opt %s --qdq-codegen-lay-out-contractions --canonicalize --split-input-file | FileCheck %s

// A line of 3 pixels: the weight is transposed, the picture stays. The bias is added in the same
// order, and the result is transposed.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d1)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>
// CHECK-DAG: #[[BIAS:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-LABEL: @short(
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x8x5x5xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], {{.*}}} ins(%[[A]], %{{.*}} : tensor<?x8x5x5xf32>, tensor<8x3x3x32xf32>)
// CHECK: %[[B:.*]] = linalg.generic {{.*}}#[[BIAS]]{{.*}} ins(%[[SUM]], %{{.*}} : tensor<?x3x3x32xf32>, tensor<32xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<?x9x32xf32>) outs({{.*}}) permutation = [0, 2, 1]
func.func @short(%a: tensor<?x8x5x5xf32>, %bias: tensor<32xf32>, %init: tensor<?x32x3x3xf32>, %e: tensor<?x32x3x3xf32>) -> tensor<?x32x3x3xf32> {
  %w = arith.constant dense<0.5> : tensor<32x8x3x3xf32>
  %p = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<?x8x5x5xf32>, tensor<32x8x3x3xf32>) outs(%init : tensor<?x32x3x3xf32>) -> tensor<?x32x3x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, y, x) -> (n, c, y, x)>, affine_map<(n, c, y, x) -> (c)>, affine_map<(n, c, y, x) -> (n, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p, %bias : tensor<?x32x3x3xf32>, tensor<32xf32>) outs(%e : tensor<?x32x3x3xf32>) {
  ^bb0(%s: f32, %b: f32, %out: f32):
    %t = arith.addf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x32x3x3xf32>
  return %y : tensor<?x32x3x3xf32>
}

// -----

// Whole vectors, and few channels.
// CHECK-LABEL: @long(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x8x5x34xf32>, tensor<32x8x3x3xf32>)
// CHECK-NOT: linalg.transpose
func.func @long(%a: tensor<1x8x5x34xf32>, %w: tensor<32x8x3x3xf32>, %init: tensor<1x32x3x32xf32>) -> tensor<1x32x3x32xf32> {
  %p = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x5x34xf32>, tensor<32x8x3x3xf32>) outs(%init : tensor<1x32x3x32xf32>) -> tensor<1x32x3x32xf32>
  return %p : tensor<1x32x3x32xf32>
}

// CHECK-LABEL: @few(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x8x5x7xf32>, tensor<3x8x3x3xf32>)
// CHECK-NOT: linalg.transpose
func.func @few(%a: tensor<1x8x5x7xf32>, %w: tensor<3x8x3x3xf32>, %init: tensor<1x3x3x5xf32>) -> tensor<1x3x3x5xf32> {
  %p = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x5x7xf32>, tensor<3x8x3x3xf32>) outs(%init : tensor<1x3x3x5xf32>) -> tensor<1x3x3x5xf32>
  return %p : tensor<1x3x3x5xf32>
}

// -----

// Pixels of a line that read patches far apart, however many they are.
// CHECK-LABEL: @patches(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x3x16x256xf32>, tensor<3x8x8x48xf32>)
func.func @patches(%a: tensor<1x3x16x256xf32>, %init: tensor<1x48x2x32xf32>) -> tensor<1x48x2x32xf32> {
  %w = arith.constant dense<0.5> : tensor<48x3x8x8xf32>
  %p = linalg.conv_2d_nchw_fchw {strides = dense<8> : tensor<2xi64>} ins(%a, %w : tensor<1x3x16x256xf32>, tensor<48x3x8x8xf32>) outs(%init : tensor<1x48x2x32xf32>) -> tensor<1x48x2x32xf32>
  return %p : tensor<1x48x2x32xf32>
}

// -----

// The picture of a depthwise convolution is transposed too, which 25 terms repay, and 4 do not.
// CHECK-LABEL: @depthwise(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x6x6x64xf32>, tensor<5x5x64xf32>)
func.func @depthwise(%a: tensor<1x64x6x6xf32>, %init: tensor<1x64x2x2xf32>) -> tensor<1x64x2x2xf32> {
  %w = arith.constant dense<0.5> : tensor<64x5x5xf32>
  %p = linalg.depthwise_conv_2d_nchw_chw ins(%a, %w : tensor<1x64x6x6xf32>, tensor<64x5x5xf32>) outs(%init : tensor<1x64x2x2xf32>) -> tensor<1x64x2x2xf32>
  return %p : tensor<1x64x2x2xf32>
}

// CHECK-LABEL: @depthwise_of_few(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x64x5x5xf32>, tensor<64x2x2xf32>)
func.func @depthwise_of_few(%a: tensor<1x64x5x5xf32>, %init: tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32> {
  %w = arith.constant dense<0.5> : tensor<64x2x2xf32>
  %p = linalg.depthwise_conv_2d_nchw_chw ins(%a, %w : tensor<1x64x5x5xf32>, tensor<64x2x2xf32>) outs(%init : tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32>
  return %p : tensor<1x64x4x4xf32>
}
