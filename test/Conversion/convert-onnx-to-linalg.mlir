// RUN: quant-opt --convert-onnx-to-linalg --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @relu
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: linalg.generic {{.*}} outs(%[[EMPTY]]
// CHECK: arith.maximumf
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "onnx.Relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The named op, and the bias behind it.
// CHECK-LABEL: func.func @conv_padded
// CHECK: %[[PADDED:.*]] = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK: %[[SUM:.*]] = linalg.conv_2d_nchw_fchw {{.*}} ins(%[[PADDED]], %arg1 :
// CHECK: linalg.generic {{.*}} ins(%[[SUM]],
// CHECK: arith.addf
func.func @conv_padded(%x: tensor<?x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<?x4x8x8xf32> {
  %y = "onnx.Conv"(%x, %w, %b) {pads = [1, 1, 1, 1]}
     : (tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<?x4x8x8xf32>
  return %y : tensor<?x4x8x8xf32>
}

// -----

// CHECK-LABEL: func.func @conv_depthwise
// CHECK: linalg.depthwise_conv_2d_nchw_chw
func.func @conv_depthwise(%x: tensor<1x4x8x8xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %y = "onnx.Conv"(%x, %w) {group = 4 : si64} : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %y : tensor<1x4x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @conv_groups
// CHECK: linalg.conv_2d_ngchw_gfchw
// CHECK: tensor.collapse_shape
func.func @conv_groups(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<1x6x6x6xf32> {
  %y = "onnx.Conv"(%x, %w) {group = 2 : si64} : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x6x6xf32>
  return %y : tensor<1x6x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @matmul
// CHECK: linalg.contract
func.func @matmul(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %y = "onnx.MatMul"(%x, %w) : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Codes are compared as what they are.
// CHECK-LABEL: func.func @max_pool_codes
// CHECK-SAME: tensor<1x2x4x4xui8>
// CHECK: arith.maxui
// CHECK-LABEL: func.func @max_pool_floats
// CHECK: linalg.pooling_nchw_max
func.func @max_pool_codes(%x: tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xui8> {
  %y = "onnx.MaxPool"(%x) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xui8>
  return %y : tensor<1x2x2x2xui8>
}
func.func @max_pool_floats(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32> {
  %y = "onnx.MaxPool"(%x) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// -----

// The batch stays one dimension, whose size is that of the input.
// CHECK-LABEL: func.func @reshape_batch
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2, 3]]
// CHECK-SAME: tensor<?x4x2x2xf32> into tensor<?x16xf32>
func.func @reshape_batch(%x: tensor<?x4x2x2xf32>) -> tensor<?x16xf32> {
  %s = "onnx.Constant"() {value = dense<[-1, 16]> : tensor<2xi64>} : () -> tensor<2xi64>
  %y = "onnx.Reshape"(%x, %s) : (tensor<?x4x2x2xf32>, tensor<2xi64>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// A shape that the types tell is not computed.
// CHECK-LABEL: func.func @reshape_computed
// CHECK-NEXT: tensor.expand_shape
// CHECK-NEXT: return
func.func @reshape_computed(%x: tensor<6xf32>, %o: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %s = "onnx.Shape"(%o) : (tensor<2x3xf32>) -> tensor<2xi64>
  %y = "onnx.Reshape"(%x, %s) : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Before opset 13 over all dimensions from the axis on.
// CHECK-LABEL: func.func @softmax_flat
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2]]
// CHECK: linalg.softmax dimension(1)
// CHECK: tensor.expand_shape
module attributes {onnx.opset_import = {"ai.onnx" = 11 : i64}} {
  func.func @softmax_flat(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %y = "onnx.Softmax"(%x) {axis = 1 : si64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %y : tensor<2x3x4xf32>
  }
}

// -----

// Nodes that are in no table stay, and so do their constants; those that a
// function returns become ones of arith.
// CHECK-LABEL: func.func @others
// CHECK-DAG: %[[A:.*]] = "onnx.Constant"()
// CHECK-DAG: %[[B:.*]] = arith.constant dense<2.0
// CHECK: "onnx.Unique"(%arg0, %[[A]])
// CHECK: "onnx.QuantizeLinear"
func.func @others(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi8>) {
  %a = "onnx.Constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %b = "onnx.Constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %y = "onnx.Unique"(%x, %a) {equation = "i,i->i"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %q = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return %y, %b, %q : tensor<4xf32>, tensor<4xf32>, tensor<4xi8>
}

// -----

// Open sizes that come from one dimension are the same: no branch at run time.
// CHECK-LABEL: func.func @add_open_residual
// CHECK-NOT: scf.if
// CHECK: return
// CHECK-LABEL: func.func @add_open_unknown
// CHECK: scf.if
func.func @add_open_residual(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %0 = "onnx.MatMul"(%x, %w) : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %1 = "onnx.Relu"(%0) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = "onnx.Add"(%1, %x) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
func.func @add_open_unknown(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %z = "onnx.Add"(%x, %y) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// -----

// A window of four weights in steps of two: each step of the result has two places, whose windows have two weights each.
// CHECK-LABEL: func.func @transposed_convolution(
// CHECK: %[[PADDED:.*]] = tensor.pad %arg0 low[0, 0, 1] high[0, 0, 1]
// CHECK: arith.constant dense<{{.*}}3.000000e+00, 1.000000e+00]]], {{.*}}4.000000e+00, 2.000000e+00]]]]]> : tensor<1x2x1x1x2xf32>
// CHECK: %[[W:.*]] = tensor.collapse_shape
// CHECK: %[[SUMS:.*]] = linalg.conv_1d_ncw_fcw {{.*}} ins(%[[PADDED]], %[[W]] : tensor<1x1x7xf32>, tensor<2x1x2xf32>) outs(%{{.*}} : tensor<1x2x6xf32>)
// CHECK: linalg.transpose
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 1] [1, 1, 10] [1, 1, 1] : tensor<1x1x12xf32> to tensor<1x1x10xf32>
func.func @transposed_convolution(%x: tensor<1x1x5xf32>) -> tensor<1x1x10xf32> {
  %w = arith.constant dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %y = "onnx.ConvTranspose"(%x, %w) {strides = [2], pads = [1, 1]} : (tensor<1x1x5xf32>, tensor<1x1x4xf32>) -> tensor<1x1x10xf32>
  return %y : tensor<1x1x10xf32>
}

// -----

// A batch of one in all operands is a loop, not a repeated dimension: a contraction.
// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d2, d3)>
// CHECK-DAG: #[[K1:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-LABEL: func.func @einsum_of_one(
// CHECK: linalg.generic {indexing_maps = [#[[Q]], #[[K1]], {{.*}}]
// CHECK-LABEL: func.func @einsum_of_three(
// CHECK: linalg.generic {indexing_maps = [#[[Q]], #[[K]], {{.*}}]
func.func @einsum_of_one(%q: tensor<1x4x8xf32>, %k: tensor<1x6x8xf32>) -> tensor<1x4x6xf32> {
  %y = "onnx.Einsum"(%q, %k) {equation = "...id,...jd->...ij"} : (tensor<1x4x8xf32>, tensor<1x6x8xf32>) -> tensor<1x4x6xf32>
  return %y : tensor<1x4x6xf32>
}

func.func @einsum_of_three(%q: tensor<3x4x8xf32>, %k: tensor<1x6x8xf32>) -> tensor<3x4x6xf32> {
  %y = "onnx.Einsum"(%q, %k) {equation = "...id,...jd->...ij"} : (tensor<3x4x8xf32>, tensor<1x6x8xf32>) -> tensor<3x4x6xf32>
  return %y : tensor<3x4x6xf32>
}

// -----

// Last results may be absent, and others are not used.
// CHECK-LABEL: func.func @values_alone(
// CHECK: return %{{.*}} : tensor<3x2xf32>
// CHECK-LABEL: func.func @further_result(
// CHECK-NOT: onnx
// CHECK: return %{{.*}} : tensor<5x1x2x4xf32>
func.func @values_alone(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %y = "onnx.TopK"(%x) {k = 2 : si64} : (tensor<3x4xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

func.func @further_result(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<5x1x2x4xf32> {
  %y, %h, %z = "onnx.RNN"(%x, %w, %r) : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, none, tensor<f32>)
  return %y : tensor<5x1x2x4xf32>
}
