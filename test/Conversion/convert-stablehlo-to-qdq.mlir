// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO's casts become qdq ops; other ops stay, on codes or on reals.
// RUN: quant-opt %s --convert-stablehlo-to-qdq | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:10>
!n = !quant.uniform<i8<-127:127>:f32, 0.25:-3>
!a = !quant.uniform<u8:f32:1, {0.5:128, 0.25:3}>

// CHECK-LABEL: @quantize_axis
// CHECK-DAG: %[[S:.*]] = arith.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK-DAG: %[[Z:.*]] = {{(arith.constant dense<\[128, 3\]> :|tensor.bitcast .* to)}} tensor<2xui8>
// CHECK: qdq.quantize %{{.*}} scale %[[S]] zero_point %[[Z]] axis 1 semantics <rounding = nearest-even, order = add-then-round
func.func @quantize_axis(%x: tensor<?x2xf32>) -> tensor<?x2x!a> {
  %y = "stablehlo.uniform_quantize"(%x) : (tensor<?x2xf32>) -> tensor<?x2x!a>
  return %y : tensor<?x2x!a>
}

// From codes to codes by way of the reals.
// CHECK-LABEL: @requantize
// CHECK: %[[X:.*]] = qdq.dequantize
// CHECK: qdq.quantize %[[X]] {{.*}} clamp [-127, 127]
func.func @requantize(%x: tensor<4x!q>) -> tensor<4x!n> {
  %y = "stablehlo.uniform_quantize"(%x) : (tensor<4x!q>) -> tensor<4x!n>
  return %y : tensor<4x!n>
}

// CHECK-LABEL: @dequantize_f16
// CHECK: qdq.dequantize {{.*}} -> tensor<4xf16>
func.func @dequantize_f16(%x: tensor<4x!quant.uniform<i8:f16, 0.5>>) -> tensor<4xf16> {
  %y = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!quant.uniform<i8:f16, 0.5>>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// CHECK-LABEL: @movement
// CHECK: "stablehlo.transpose"({{.*}}) <{{.*}}permutation = array<i64: 1, 0>{{.*}}> : (tensor<2x4xi8>) -> tensor<4x2xi8>
// CHECK: "stablehlo.concatenate"({{.*}}) {{.*}} : (tensor<4x2xi8>, tensor<4x2xi8>) -> tensor<8x2xi8>
func.func @movement(%x: tensor<2x4x!q>) -> tensor<8x2x!q> {
  %t = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x4x!q>) -> tensor<4x2x!q>
  %y = "stablehlo.concatenate"(%t, %t) <{dimension = 0 : i64}> : (tensor<4x2x!q>, tensor<4x2x!q>) -> tensor<8x2x!q>
  return %y : tensor<8x2x!q>
}

// CHECK-LABEL: @through_reals
// CHECK-DAG: %[[W:.*]] = arith.constant dense<3> : tensor<4x2xi8>
// CHECK: %[[WF:.*]] = qdq.dequantize %[[W]]
// CHECK: %[[Y:.*]] = "stablehlo.dot_general"(%{{.*}}, %[[WF]]) {{.*}} : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
// CHECK: qdq.quantize %[[Y]]
func.func @through_reals(%x: tensor<?x4x!q>) -> tensor<?x2x!n> {
  %w = "stablehlo.constant"() <{value = dense<3> : tensor<4x2xi8>}> : () -> tensor<4x2x!q>
  %y = "stablehlo.dot_general"(%x, %w) {dims = "any"} : (tensor<?x4x!q>, tensor<4x2x!q>) -> tensor<?x2x!n>
  return %y : tensor<?x2x!n>
}

// The result of a hybrid op is real.
// CHECK-LABEL: @hybrid
// CHECK: %[[Y:.*]] = "stablehlo.dot_general"
// CHECK: return %[[Y]] : tensor<3x2xf32>
func.func @hybrid(%x: tensor<3x4xf32>, %w: tensor<4x2x!q>) -> tensor<3x2xf32> {
  %y = "stablehlo.dot_general"(%x, %w) {dims = "any"} : (tensor<3x4xf32>, tensor<4x2x!q>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// Scales follow their dimension.
!rows = !quant.uniform<i8:f32:0, {0.5, 0.25}>
!columns = !quant.uniform<i8:f32:1, {0.5, 0.25}>
!planes = !quant.uniform<i8:f32:2, {0.5, 0.25}>
// CHECK-LABEL: func @axis_moves
// CHECK: "stablehlo.transpose"(%{{.*}}) {{.*}} : (tensor<2x3xi8>) -> tensor<3x2xi8>
// CHECK: "stablehlo.reshape"(%{{.*}}) : (tensor<3x2xi8>) -> tensor<1x3x2xi8>
// CHECK: "stablehlo.broadcast_in_dim"(%{{.*}}) {{.*}} : (tensor<3x2xi8>) -> tensor<3x2x4xi8>
func.func @axis_moves(%x: tensor<2x3x!rows>) -> (tensor<1x3x2x!planes>, tensor<3x2x4x!columns>) {
  %t = "stablehlo.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x3x!rows>) -> tensor<3x2x!columns>
  %r = "stablehlo.reshape"(%t) : (tensor<3x2x!columns>) -> tensor<1x3x2x!planes>
  %b = "stablehlo.broadcast_in_dim"(%t) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<3x2x!columns>) -> tensor<3x2x4x!columns>
  return %r, %b : tensor<1x3x2x!planes>, tensor<3x2x4x!columns>
}
