// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of TFLite's dialect become sums of codes, and requantize; parameters are those of the types.
// RUN: quant-opt %s --convert-tfl-to-qdq | FileCheck %s
// RUN: quant-opt %s --convert-tfl-to-qdq=profile=xnnpack | FileCheck %s --check-prefix=XNN

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>
!b = !quant.uniform<i32:f32:0, {0.25, 0.125}>
!u = !quant.uniform<u8:f32, 0.5:138>
!y = !quant.uniform<i8:f32, 0.25:-3>

// CHECK-LABEL: @quantize
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 10 : i8
// CHECK: %[[CODES:.*]] = qdq.quantize %{{.*}} scale %[[SCALE]] zero_point %[[ZERO]] semantics <rounding = nearest-away, order = round-then-add, division = exact
// CHECK: quant.scast %[[CODES]]
func.func @quantize(%x: tensor<?xf32>) -> tensor<?x!q> {
  %y = "tfl.quantize"(%x) <{qtype = tensor<?x!q>}> : (tensor<?xf32>) -> tensor<?x!q>
  return %y : tensor<?x!q>
}

// Unsigned codes.
// CHECK-LABEL: @quantize_from_codes
// CHECK: %[[CODES:.*]] = qdq.requantize {{.*}} rescale <fixed31-double> {{.*}} : (tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<ui8>) -> tensor<4xui8>
// CHECK: tensor.bitcast %[[CODES]] : tensor<4xui8> to tensor<4xi8>
func.func @quantize_from_codes(%x: tensor<4x!q>) -> tensor<4x!u> {
  %y = "tfl.quantize"(%x) {qtype = tensor<4x!u>} : (tensor<4x!q>) -> tensor<4x!u>
  return %y : tensor<4x!u>
}

// The padding is the code of 0. One multiplier a channel, and the bounds of the function.
// CHECK-LABEL: @conv_2d
// CHECK-DAG: %[[W:.*]] = arith.constant dense<3> : tensor<2x3x3x4xi8>
// CHECK: %[[PADDED:.*]] = tensor.pad {{.*}} low[0, 0, 0, 0] high[0, 1, 1, 0]
// CHECK: tensor.yield %c10_i8
// CHECK: linalg.conv_2d_nhwc_fhwc {{.*}} ins(%[[PADDED]], %[[W]] : tensor<?x9x9x4xi8>, tensor<2x3x3x4xi8>)
// CHECK: qdq.requantize {{.*}} rescale <fixed31-double> {{.*}} axis 3 clamp [-3, 21]
// XNN-LABEL: @conv_2d
// XNN: dense<[1.000000e+00, 5.000000e-01]> : tensor<2xf32>
// XNN: qdq.requantize {{.*}} rescale <f32> {{.*}} axis 3 clamp [-3, 21] semantics <rounding = nearest-even
func.func @conv_2d(%x: tensor<?x8x8x4x!q>) -> tensor<?x4x4x2x!y> {
  %w = "tfl.pseudo_qconst"() <{qtype = tensor<2x3x3x4x!w>, value = dense<3> : tensor<2x3x3x4xi8>}> : () -> tensor<2x3x3x4x!w>
  %b = "tfl.pseudo_qconst"() {qtype = tensor<2x!b>, value = dense<[1, 2]> : tensor<2xi32>} : () -> tensor<2x!b>
  %y = "tfl.conv_2d"(%x, %w, %b) <{dilation_h_factor = 1 : i32, dilation_w_factor = 1 : i32, fused_activation_function = "RELU6",
      padding = "SAME", stride_h = 2 : i32, stride_w = 2 : i32}> : (tensor<?x8x8x4x!q>, tensor<2x3x3x4x!w>, tensor<2x!b>) -> tensor<?x4x4x2x!y>
  return %y : tensor<?x4x4x2x!y>
}

// CHECK-LABEL: @depthwise_multiplier
// CHECK: linalg.depthwise_conv_2d_nhwc_hwcm {{.*}} ins({{.*}} : tensor<1x4x4x2xi8>, tensor<3x3x2x3xi8>)
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x2x2x2x3xi32> into tensor<1x2x2x6xi32>
func.func @depthwise_multiplier(%x: tensor<1x4x4x2x!q>, %w: tensor<1x3x3x6x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x2x6x!y> {
  %none = "tfl.no_value"() {value} : () -> none
  %y = "tfl.depthwise_conv_2d"(%x, %w, %none) {depth_multiplier = 3 : i32, dilation_h_factor = 1 : i32, dilation_w_factor = 1 : i32,
      fused_activation_function = "NONE", padding = "VALID", stride_h = 1 : i32, stride_w = 1 : i32}
    : (tensor<1x4x4x2x!q>, tensor<1x3x3x6x!quant.uniform<i8:f32, 0.5>>, none) -> tensor<1x2x2x6x!y>
  return %y : tensor<1x2x2x6x!y>
}

// The kernel multiplies in f64.
// CHECK-LABEL: @fully_connected
// CHECK: tensor.collapse_shape {{.*}} : tensor<?x1x4xi8> into tensor<?x4xi8>
// CHECK: %[[M:.*]] = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK: qdq.requantize {{.*}} rescale <f64> multiplier %[[M]] {{.*}} semantics <rounding = nearest-away
func.func @fully_connected(%x: tensor<?x1x4x!q>, %w: tensor<2x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<?x2x!y> {
  %none = "tfl.no_value"() {value} : () -> none
  %y = "tfl.fully_connected"(%x, %w, %none) {fused_activation_function = "NONE", keep_num_dims = false, weights_format = "DEFAULT"}
    : (tensor<?x1x4x!q>, tensor<2x4x!quant.uniform<i8:f32, 0.5>>, none) -> tensor<?x2x!y>
  return %y : tensor<?x2x!y>
}

// CHECK-LABEL: @add
// CHECK-COUNT-3: qdq.requantize {{.*}} rescale <fixed31-double>
// XNN-LABEL: @add
// XNN: qdq.requantize {{.*}} rescale <fixed31-single>
// XNN-NOT: qdq.requantize
// XNN: return
func.func @add(%x: tensor<4x?x!q>, %z: tensor<4x1x!y>) -> tensor<4x?x!q> {
  %y = "tfl.add"(%x, %z) {fused_activation_function = "NONE"} : (tensor<4x?x!q>, tensor<4x1x!y>) -> tensor<4x?x!q>
  return %y : tensor<4x?x!q>
}

// A multiplier for each place, since the windows at the border have less elements.
// CHECK-LABEL: @average_pool_2d_padded
// CHECK: qdq.requantize {{.*}} rescale <exact> {{.*}} block_shape [1, 1, 1, 1] limit 1152 {{.*}} : (tensor<?x2x2x3xi32>, tensor<1x2x2x1xi64>, tensor<1x2x2x1xi32>
func.func @average_pool_2d_padded(%x: tensor<?x4x4x3x!q>) -> tensor<?x2x2x3x!q> {
  %y = "tfl.average_pool_2d"(%x) {filter_height = 3 : i32, filter_width = 3 : i32, fused_activation_function = "NONE", padding = "SAME",
      stride_h = 2 : i32, stride_w = 2 : i32} : (tensor<?x4x4x3x!q>) -> tensor<?x2x2x3x!q>
  return %y : tensor<?x2x2x3x!q>
}

// CHECK-LABEL: @max_pool_2d
// CHECK: linalg.pooling_nhwc_max_unsigned
func.func @max_pool_2d(%x: tensor<1x4x4x3x!u>) -> tensor<1x2x2x3x!u> {
  %y = "tfl.max_pool_2d"(%x) {filter_height = 2 : i32, filter_width = 2 : i32, fused_activation_function = "NONE", padding = "VALID",
      stride_h = 2 : i32, stride_w = 2 : i32} : (tensor<1x4x4x3x!u>) -> tensor<1x2x2x3x!u>
  return %y : tensor<1x2x2x3x!u>
}

// Tables of exponentials, indexed by the difference to the largest code of a row.
// CHECK-LABEL: @softmax
// CHECK: arith.maxsi
// CHECK: arith.constant dense<{{.*}}> : tensor<256xi32>
// CHECK: math.ctlz
// CHECK: tensor.extract
// XNN-LABEL: @softmax
// XNN: arith.constant dense<{{.*}}> : tensor<256xf32>
// XNN-NOT: math.ctlz
// XNN: arith.addf {{.*}} {qdq.in_order} : f32
// XNN-NOT: math.ctlz
// XNN: return
func.func @softmax(%x: tensor<?x10x!q>) -> tensor<?x10x!quant.uniform<i8:f32, 0.00390625:-128>> {
  %y = "tfl.softmax"(%x) {beta = 1.0 : f32} : (tensor<?x10x!q>) -> tensor<?x10x!quant.uniform<i8:f32, 0.00390625:-128>>
  return %y : tensor<?x10x!quant.uniform<i8:f32, 0.00390625:-128>>
}

// Codes are moved; one open size of a reshape is counted.
// CHECK-LABEL: @movement
// CHECK: linalg.transpose {{.*}} permutation = [1, 0]
// CHECK: tensor.reshape {{.*}} -> tensor<?x2xi8>
// CHECK-NOT: tfl.
// CHECK: return
func.func @movement(%x: tensor<4x?x!q>) -> tensor<?x2x!q> {
  %p = arith.constant dense<[1, 0]> : tensor<2xi32>
  %s = "tfl.pseudo_const"() {value = dense<[-1, 2]> : tensor<2xi32>} : () -> tensor<2xi32>
  %t = "tfl.transpose"(%x, %p) : (tensor<4x?x!q>, tensor<2xi32>) -> tensor<?x4x!q>
  %y = "tfl.reshape"(%t, %s) : (tensor<?x4x!q>, tensor<2xi32>) -> tensor<?x2x!q>
  return %y : tensor<?x2x!q>
}

// Ops on floats stay; other ops that only move elements do not.
// CHECK-LABEL: @floats
// CHECK: "tfl.add"
// CHECK: tensor.collapse_shape
func.func @floats(%x: tensor<2x2xf32>) -> tensor<4xf32> {
  %a = "tfl.add"(%x, %x) {fused_activation_function = "NONE"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = "tfl.reshape"(%a) : (tensor<2x2xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Floats by codes: a scale for each row, chosen at run time; code = x * (127 / max abs(x)).
// CHECK-LABEL: @dynamic_fully_connected
// CHECK: math.absf
// CHECK: %[[RANGES:.*]] = linalg.reduce
// CHECK: arith.divf {{.*}}, %cst
// CHECK: %[[CODES:.*]] = qdq.quantize {{.*}} clamp [-127, 127] semantics <rounding = nearest-away
// CHECK: linalg.generic {{.*}} ins(%[[CODES]],
// CHECK: arith.sitofp
// CHECK: arith.mulf
// CHECK: arith.mulf
func.func @dynamic_fully_connected(%x: tensor<?x4xf32>, %f: tensor<2x4x!w>) -> tensor<?x2xf32> {
  %none = "tfl.no_value"() {value} : () -> none
  %y = "tfl.fully_connected"(%x, %f, %none) : (tensor<?x4xf32>, tensor<2x4x!w>, none) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// A scale and a zero point for each batch.
// CHECK-LABEL: @dynamic_conv_2d
// CHECK: math.round
// CHECK: %[[CODES:.*]] = qdq.quantize %arg0 scale {{.*}} zero_point {{.*}} axis 0 clamp [-128, 127]
// CHECK: tensor.pad
// CHECK: linalg.conv_2d_nhwc_fhwc {{.*}} tensor<?x6x6x3xi16>
func.func @dynamic_conv_2d(%x: tensor<?x4x4x3xf32>, %f: tensor<2x3x3x3x!w>) -> tensor<?x4x4x2xf32> {
  %y = "tfl.conv_2d"(%x, %f) {padding = "SAME"} : (tensor<?x4x4x3xf32>, tensor<2x3x3x3x!w>) -> tensor<?x4x4x2xf32>
  return %y : tensor<?x4x4x2xf32>
}

// A table: 0 stays 0, -0.1 * 2.9 / 6 is -0.97 of the scale, and -0.05 * 2.95 / 6 is -0.49 of it.
// CHECK-LABEL: func @hard_swish
// CHECK: arith.constant dense<"0x00{{.*}}FF00"> : tensor<256xi8>
func.func @hard_swish(%x: tensor<4x!quant.uniform<i8:f32, 0.05>>) -> tensor<4x!quant.uniform<i8:f32, 0.05>> {
  %y = "tfl.hard_swish"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.05>>) -> tensor<4x!quant.uniform<i8:f32, 0.05>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.05>>
}
