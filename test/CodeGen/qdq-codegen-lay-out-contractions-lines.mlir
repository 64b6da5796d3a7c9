// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of a picture are one line where a window is one pixel.
// RUN: quant-opt %s --qdq-codegen-lay-out-contractions --canonicalize --split-input-file | FileCheck %s

// Elementwise users have the same loops; one of several lines stays.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[BIAS:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: @pixels(
// CHECK-SAME: %[[A:[^:]*]]: tensor<1x8x7x6xf32>
// CHECK: %[[AX:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0], [1], [2, 3]] : tensor<1x8x7x6xf32> into tensor<1x8x42xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], {{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[AX]], %{{.*}} : tensor<1x8x42xf32>, tensor<16x8xf32>)
// CHECK: %[[OTHER:.*]] = tensor.collapse_shape %{{.*}} : tensor<1x16x7x6xf32> into tensor<1x16x42xf32>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}}#[[BIAS]]{{.*}} ins(%[[SUM]], %{{.*}}, %[[OTHER]] : tensor<1x16x42xf32>, tensor<16xf32>, tensor<1x16x42xf32>)
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %{{.*}} : tensor<1x16x42xf32>, tensor<16x16xf32>)
// CHECK: tensor.expand_shape {{.*}} : tensor<1x16x42xf32> into tensor<1x16x7x6xf32>
func.func @pixels(%a: tensor<1x8x7x6xf32>, %w: tensor<16x8x1x1xf32>, %bias: tensor<16xf32>, %other: tensor<1x16x7x6xf32>, %v: tensor<16x16x1x1xf32>, %init: tensor<1x16x7x6xf32>) -> tensor<1x16x7x6xf32> {
  %e = tensor.empty() : tensor<1x16x7x6xf32>
  %p = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x7x6xf32>, tensor<16x8x1x1xf32>) outs(%init : tensor<1x16x7x6xf32>) -> tensor<1x16x7x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, y, x) -> (n, c, y, x)>, affine_map<(n, c, y, x) -> (c)>, affine_map<(n, c, y, x) -> (n, c, y, x)>, affine_map<(n, c, y, x) -> (n, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p, %bias, %other : tensor<1x16x7x6xf32>, tensor<16xf32>, tensor<1x16x7x6xf32>) outs(%e : tensor<1x16x7x6xf32>) {
  ^bb0(%s: f32, %b: f32, %o: f32, %out: f32):
    %t = arith.addf %s, %b : f32
    %u = arith.addf %t, %o : f32
    linalg.yield %u : f32
  } -> tensor<1x16x7x6xf32>
  %q = linalg.conv_2d_nchw_fchw ins(%y, %v : tensor<1x16x7x6xf32>, tensor<16x16x1x1xf32>) outs(%init : tensor<1x16x7x6xf32>) -> tensor<1x16x7x6xf32>
  return %q : tensor<1x16x7x6xf32>
}

// -----

// Open sizes, and a line that is a user's own: it reads rows of pixels.
// CHECK-LABEL: @open(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins({{.*}} : tensor<?x8x?xf32>, tensor<16x8xf32>)
// CHECK: tensor.expand_shape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]
func.func @open(%a: tensor<?x8x?x?xf32>, %w: tensor<16x8x1x1xf32>, %row: tensor<?xf32>, %init: tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32> {
  %p = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<?x8x?x?xf32>, tensor<16x8x1x1xf32>) outs(%init : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, y, x) -> (n, c, y, x)>, affine_map<(n, c, y, x) -> (x)>, affine_map<(n, c, y, x) -> (n, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p, %row : tensor<?x16x?x?xf32>, tensor<?xf32>) outs(%init : tensor<?x16x?x?xf32>) {
  ^bb0(%s: f32, %b: f32, %out: f32):
    %t = arith.addf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x16x?x?xf32>
  return %y : tensor<?x16x?x?xf32>
}

// -----

// What no pixel of the result reads is cut off, of a size that only the result knows as well.
// CHECK-LABEL: @wide(
// CHECK-SAME: %[[A:[^:]*]]: tensor<1x8x9x7xf32>
// CHECK: %[[CUT:.*]] = tensor.extract_slice %[[A]][0, 0, 0, 0] [1, 8, 7, 6] [1, 1, 1, 1]
// CHECK: tensor.collapse_shape %[[CUT]] {{\[\[}}0], [1], [2, 3]] : tensor<1x8x7x6xf32> into tensor<1x8x42xf32>
func.func @wide(%a: tensor<1x8x9x7xf32>, %w: tensor<16x8x1x1xf32>, %init: tensor<1x16x7x6xf32>) -> tensor<1x16x7x6xf32> {
  %p = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x9x7xf32>, tensor<16x8x1x1xf32>) outs(%init : tensor<1x16x7x6xf32>) -> tensor<1x16x7x6xf32>
  return %p : tensor<1x16x7x6xf32>
}

// CHECK-LABEL: @open_wide(
// CHECK-SAME: %[[A:[^:]*]]: tensor<1x8x?x7xf32>, {{.*}} %[[INIT:[^:]*]]: tensor<1x16x?x7xf32>
// CHECK: %[[LINES:.*]] = tensor.dim %[[INIT]], %c2
// CHECK: tensor.extract_slice %[[A]][0, 0, 0, 0] [1, 8, %[[LINES]], 7] [1, 1, 1, 1]
func.func @open_wide(%a: tensor<1x8x?x7xf32>, %w: tensor<16x8x1x1xf32>, %init: tensor<1x16x?x7xf32>) -> tensor<1x16x?x7xf32> {
  %p = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x?x7xf32>, tensor<16x8x1x1xf32>) outs(%init : tensor<1x16x?x7xf32>) -> tensor<1x16x?x7xf32>
  return %p : tensor<1x16x?x7xf32>
}

// As many lines as the operand has: nothing to cut.
// CHECK-LABEL: @open_same(
// CHECK-NOT: tensor.extract_slice
func.func @open_same(%a: tensor<1x8x?x7xf32>, %w: tensor<16x8x1x1xf32>) -> tensor<1x16x?x7xf32> {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %lines = tensor.dim %a, %c2 : tensor<1x8x?x7xf32>
  %e = tensor.empty(%lines) : tensor<1x16x?x7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16x?x7xf32>) -> tensor<1x16x?x7xf32>
  %p = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x?x7xf32>, tensor<16x8x1x1xf32>) outs(%init : tensor<1x16x?x7xf32>) -> tensor<1x16x?x7xf32>
  return %p : tensor<1x16x?x7xf32>
}

// -----

// Windows and steps of more than one pixel have lines of their own.
// CHECK-LABEL: @windows(
// CHECK-NOT: {{\[2, 3\]}}
func.func @windows(%a: tensor<1x8x18x63xf32>, %w: tensor<16x8x3x3xf32>, %init: tensor<1x16x16x61xf32>, %v: tensor<16x8x1x1xf32>, %half: tensor<1x16x9x32xf32>) -> (tensor<1x16x16x61xf32>, tensor<1x16x9x32xf32>) {
  %p = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x18x63xf32>, tensor<16x8x3x3xf32>) outs(%init : tensor<1x16x16x61xf32>) -> tensor<1x16x16x61xf32>
  %q = linalg.conv_2d_nchw_fchw {strides = dense<2> : vector<2xi64>} ins(%a, %v : tensor<1x8x18x63xf32>, tensor<16x8x1x1xf32>) outs(%half : tensor<1x16x9x32xf32>) -> tensor<1x16x9x32xf32>
  return %p, %q : tensor<1x16x16x61xf32>, tensor<1x16x9x32xf32>
}
