// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that move and resize. test_importers_tflite_floats.py holds their values against LiteRT.
// RUN: quant-opt --convert-tfl-to-linalg %s | FileCheck %s

// Rows 0 0 1 1, columns 0 1.
// CHECK-LABEL: func.func @nearest(
// CHECK: %[[ROWS:.*]] = linalg.generic
// CHECK: arith.divui %{{.*}}, %c2 : index
// CHECK: tensor.extract %arg0
// CHECK: linalg.generic
// CHECK: tensor.extract %[[ROWS]]
func.func @nearest(%x: tensor<1x2x3x1xf32>) -> tensor<1x4x2x1xf32> {
  %size = "tfl.pseudo_const"() {value = dense<[4, 2]> : tensor<2xi32>} : () -> tensor<2xi32>
  %y = "tfl.resize_nearest_neighbor"(%x, %size) : (tensor<1x2x3x1xf32>, tensor<2xi32>) -> tensor<1x4x2x1xf32>
  return %y : tensor<1x4x2x1xf32>
}

// Rows at round(i * 2 / 4).
// CHECK-LABEL: func.func @nearest_corners(
// CHECK: arith.constant dense<[0, 1, 1, 2, 2]> : tensor<5xindex>
func.func @nearest_corners(%x: tensor<1x3x1x1xf32>) -> tensor<1x5x1x1xf32> {
  %size = "tfl.pseudo_const"() {value = dense<[5, 1]> : tensor<2xi32>} : () -> tensor<2xi32>
  %y = "tfl.resize_nearest_neighbor"(%x, %size) {align_corners = true} : (tensor<1x3x1x1xf32>, tensor<2xi32>) -> tensor<1x5x1x1xf32>
  return %y : tensor<1x5x1x1xf32>
}

// Rows at (i + 1/2) / 2 - 1/2: -1/4, 1/4, 3/4, 5/4. The weights are those of LiteRT, also outside.
// CHECK-LABEL: func.func @bilinear(
// CHECK: arith.constant dense<{{\[\[\[\[}}1.250000e+00]], {{\[\[}}7.500000e-01]], {{\[\[}}2.500000e-01]], {{\[\[}}7.500000e-01]]]]>
// CHECK: arith.constant dense<{{\[\[\[\[}}-2.500000e-01]], {{\[\[}}2.500000e-01]], {{\[\[}}7.500000e-01]], {{\[\[}}2.500000e-01]]]]>
// CHECK: linalg.generic
// CHECK-COUNT-3: arith.addf
func.func @bilinear(%x: tensor<1x2x1x1xf32>) -> tensor<1x4x1x1xf32> {
  %size = "tfl.pseudo_const"() {value = dense<[4, 1]> : tensor<2xi32>} : () -> tensor<2xi32>
  %y = "tfl.resize_bilinear"(%x, %size) {half_pixel_centers = true} : (tensor<1x2x1x1xf32>, tensor<2xi32>) -> tensor<1x4x1x1xf32>
  return %y : tensor<1x4x1x1xf32>
}

// Weights of codes in units of 2^-10, halves away from zero.
// CHECK-LABEL: func.func @bilinear_codes(
// CHECK: arith.constant dense<{{\[\[\[\[}}1024]], {{\[\[}}512]], {{\[\[}}1024]]]]> : tensor<1x3x1x1xi64>
// CHECK: %[[POSITIVE:.*]] = arith.cmpi sgt
// CHECK: %[[HALF:.*]] = arith.select %[[POSITIVE]], %c524288_i64, %c-524288_i64
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %[[HALF]]
// CHECK: arith.divsi %[[SUM]], %c1048576_i64
func.func @bilinear_codes(%x: tensor<1x2x1x1xi8>) -> tensor<1x3x1x1xi8> {
  %size = "tfl.pseudo_const"() {value = dense<[3, 1]> : tensor<2xi32>} : () -> tensor<2xi32>
  %y = "tfl.resize_bilinear"(%x, %size) {align_corners = true} : (tensor<1x2x1x1xi8>, tensor<2xi32>) -> tensor<1x3x1x1xi8>
  return %y : tensor<1x3x1x1xi8>
}

// CHECK-LABEL: func.func @pad(
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: tensor.pad %arg0 low[1, 0] high[0, 2]
// CHECK: tensor.yield %[[ZERO]]
// CHECK: %[[SEVEN:.*]] = arith.constant 7.000000e+00 : f32
// CHECK: tensor.pad %arg0 low[1, 0] high[0, 2]
// CHECK: tensor.yield %[[SEVEN]]
func.func @pad(%x: tensor<2x3xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %amounts = "tfl.pseudo_const"() {value = dense<[[1, 0], [0, 2]]> : tensor<2x2xi32>} : () -> tensor<2x2xi32>
  %seven = "tfl.pseudo_const"() {value = dense<7.0> : tensor<f32>} : () -> tensor<f32>
  %a = "tfl.pad"(%x, %amounts) : (tensor<2x3xf32>, tensor<2x2xi32>) -> tensor<3x5xf32>
  %b = "tfl.padv2"(%x, %amounts, %seven) : (tensor<2x3xf32>, tensor<2x2xi32>, tensor<f32>) -> tensor<3x5xf32>
  return %a, %b : tensor<3x5xf32>, tensor<3x5xf32>
}

// NumPy's reflect and symmetric.
// CHECK-LABEL: func.func @mirror_pad(
// CHECK: arith.constant dense<[1, 0, 1, 2, 1, 0]> : tensor<6xindex>
// CHECK: arith.constant dense<[0, 0, 1, 2, 2, 1]> : tensor<6xindex>
func.func @mirror_pad(%x: tensor<3xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %amounts = "tfl.pseudo_const"() {value = dense<[[1, 2]]> : tensor<1x2xi32>} : () -> tensor<1x2xi32>
  %a = "tfl.mirror_pad"(%x, %amounts) {mode = 0 : i32} : (tensor<3xf32>, tensor<1x2xi32>) -> tensor<6xf32>
  %b = "tfl.mirror_pad"(%x, %amounts) {mode = 1 : i32} : (tensor<3xf32>, tensor<1x2xi32>) -> tensor<6xf32>
  return %a, %b : tensor<6xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func @pack(
// CHECK: tensor.concat dim(1) {{.*}} : (tensor<3x1xi8>, tensor<3x1xi8>) -> tensor<3x2xi8>
// CHECK: tensor.bitcast {{.*}} : tensor<3x2xi8> to tensor<3x2xui8>
func.func @pack(%x: tensor<3xui8>, %y: tensor<3xui8>) -> tensor<3x2xui8> {
  %r = "tfl.pack"(%x, %y) {axis = 1 : i32, values_count = 2 : i32} : (tensor<3xui8>, tensor<3xui8>) -> tensor<3x2xui8>
  return %r : tensor<3x2xui8>
}

// CHECK-LABEL: func.func @unpack(
// CHECK: tensor.extract_slice %arg0[0, 0] [2, 1] [1, 1]
// CHECK: tensor.extract_slice %arg0[0, 1] [2, 1] [1, 1]
// CHECK: tensor.extract_slice %arg0[0, 2] [2, 1] [1, 1]
func.func @unpack(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %r:3 = "tfl.unpack"(%x) {axis = 1 : i32, num = 3 : i32} : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1, %r#2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @broadcast_to(
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<3x1xf32>) outs(%{{.*}} : tensor<2x3x4xf32>)
func.func @broadcast_to(%x: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %shape = "tfl.pseudo_const"() {value = dense<[2, 3, 4]> : tensor<3xi32>} : () -> tensor<3xi32>
  %r = "tfl.broadcast_to"(%x, %shape) : (tensor<3x1xf32>, tensor<3xi32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @gather(
// CHECK-COUNT-2: tensor.extract %arg0[%{{.*}}, %{{.*}}] : tensor<4x3xf32>
func.func @gather(%x: tensor<4x3xf32>, %i: tensor<2xi32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %a = "tfl.gather"(%x, %i) {axis = 0 : i32} : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %b = "tfl.embedding_lookup"(%i, %x) : (tensor<2xi32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @shape(
// CHECK: %[[ROWS:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: tensor.from_elements %[[ROWS]], %c3_i32 : tensor<2xi32>
func.func @shape(%x: tensor<?x3xf32>) -> tensor<2xi32> {
  %r = "tfl.shape"(%x) : (tensor<?x3xf32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}

// CHECK-LABEL: func.func @depth_to_space(
// CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<1x1x2x2x2x2xf32>
// CHECK: linalg.transpose {{.*}} permutation = [0, 1, 3, 2, 4, 5]
// CHECK: tensor.collapse_shape {{.*}} into tensor<1x2x4x2xf32>
func.func @depth_to_space(%x: tensor<1x1x2x8xf32>) -> tensor<1x2x4x2xf32> {
  %r = "tfl.depth_to_space"(%x) {block_size = 2 : i32} : (tensor<1x1x2x8xf32>) -> tensor<1x2x4x2xf32>
  return %r : tensor<1x2x4x2xf32>
}

// CHECK-LABEL: func.func @space_to_depth(
// CHECK: tensor.expand_shape {{.*}} into tensor<1x1x2x2x2x2xi8>
// CHECK: linalg.transpose {{.*}} permutation = [0, 1, 3, 2, 4, 5]
// CHECK: tensor.collapse_shape {{.*}} into tensor<1x1x2x8xi8>
func.func @space_to_depth(%x: tensor<1x2x4x2xui8>) -> tensor<1x1x2x8xui8> {
  %r = "tfl.space_to_depth"(%x) {block_size = 2 : i32} : (tensor<1x2x4x2xui8>) -> tensor<1x1x2x8xui8>
  return %r : tensor<1x1x2x8xui8>
}

// Weights of f16.
// CHECK-LABEL: func.func @dequantize_f16(
// CHECK: arith.extf %{{.*}} : f16 to f32
func.func @dequantize_f16(%x: tensor<4xf16>) -> tensor<4xf32> {
  %r = "tfl.dequantize"(%x) : (tensor<4xf16>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
