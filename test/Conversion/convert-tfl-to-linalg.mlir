// RUN: quant-opt --convert-tfl-to-linalg --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @mul
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
func.func @mul(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "tfl.mul"(%x, %x) {fused_activation_function = "NONE"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The named op, the bias, and the activation behind it.
// CHECK-LABEL: func.func @conv_2d
// CHECK: %[[PADDED:.*]] = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: %[[SUM:.*]] = linalg.conv_2d_nhwc_fhwc {{.*}} ins(%[[PADDED]], %arg1 :
// CHECK: %[[BIASED:.*]] = linalg.generic {{.*}} ins(%[[SUM]],
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[BIASED]]
// CHECK: arith.maximumf
func.func @conv_2d(%x: tensor<?x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<?x8x8x4xf32> {
  %y = "tfl.conv_2d"(%x, %w, %b) {padding = "SAME", stride_h = 1 : i32, stride_w = 1 : i32, fused_activation_function = "RELU"}
     : (tensor<?x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<?x8x8x4xf32>
  return %y : tensor<?x8x8x4xf32>
}

// -----

// CHECK-LABEL: func.func @depthwise_conv_2d
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc
func.func @depthwise_conv_2d(%x: tensor<1x8x8x4xf32>, %w: tensor<1x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %y = "tfl.depthwise_conv_2d"(%x, %w) {padding = "VALID"} : (tensor<1x8x8x4xf32>, tensor<1x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return %y : tensor<1x6x6x4xf32>
}

// -----

// CHECK-LABEL: func.func @fully_connected_open
// CHECK: tensor.collapse_shape
// CHECK: linalg.contract
// CHECK: tensor.expand_shape
func.func @fully_connected_open(%x: tensor<?x3x8xf32>, %w: tensor<4x8xf32>) -> tensor<?x3x4xf32> {
  %none = "tfl.no_value"() {value} : () -> none
  %y = "tfl.fully_connected"(%x, %w, %none) {keep_num_dims = true} : (tensor<?x3x8xf32>, tensor<4x8xf32>, none) -> tensor<?x3x4xf32>
  return %y : tensor<?x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @max_pool_2d
// CHECK: linalg.pooling_nhwc_max
func.func @max_pool_2d(%x: tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32> {
  %y = "tfl.max_pool_2d"(%x) {padding = "VALID", filter_height = 2 : i32, filter_width = 2 : i32, stride_h = 2 : i32, stride_w = 2 : i32} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @transpose_rank_0
// CHECK-SAME: (%[[X:.*]]: tensor<f32>)
// CHECK: return %[[X]]
func.func @transpose_rank_0(%x: tensor<f32>) -> tensor<f32> {
  %perm = "tfl.pseudo_const"() {value = dense<> : tensor<0xi32>} : () -> tensor<0xi32>
  %y = "tfl.transpose"(%x, %perm) : (tensor<f32>, tensor<0xi32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Ops on codes stay, and so does what nobody knows.
// CHECK-LABEL: func.func @others
// CHECK: "tfl.relu"
// CHECK: "tfl.mystery"
func.func @others(%q: tensor<4x!quant.uniform<i8:f32, 0.5>>, %x: tensor<4xf32>)
    -> (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>) {
  %y = "tfl.relu"(%q) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  %z = "tfl.mystery"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y, %z : tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>
}
