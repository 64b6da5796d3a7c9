// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of oneDNN Graph ops as operands and attributes of qdq ops.
// RUN: quant-opt %s --convert-onednn-to-qdq | FileCheck %s
// RUN: quant-opt %s --convert-onednn-to-qdq="rounding=floor division=exact" | FileCheck %s --check-prefix=OPTION
// RUN: quant-opt %s --convert-onednn-to-qdq=profile=onnx | FileCheck %s --check-prefix=PROFILE
// RUN: quant-opt %s --lower-quant | FileCheck %s --check-prefix=LOWER

// LOWER-NOT: onednn_graph.{{.*}}quantize
// LOWER-NOT: qdq.

// CHECK-LABEL: func @quantize_tensor_4x8(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>)
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant -3 : i8
// CHECK: %[[Q:.*]] = qdq.quantize %[[X]] scale %[[SCALE]] zero_point %[[ZERO]]
// CHECK-SAME: semantics <rounding = nearest-even, order = add-then-round, division = reciprocal, compute = f32, subtract = float, overflow = saturate, nan = lowest, fusion = none, float_overflow = ieee>
// CHECK-SAME: : (tensor<4x8xf32>, f32, i8) -> tensor<4x8xi8>
// CHECK: return %[[Q]]
// OPTION-LABEL: func @quantize_tensor_4x8(
// OPTION: qdq.quantize {{.*}} semantics <rounding = floor, order = add-then-round, division = exact
func.func @quantize_tensor_4x8(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  %q = "onednn_graph.quantize"(%x) {qtype = "per_tensor", scales = array<f32: 0.5>, zps = array<i64: -3>} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %q : tensor<4x8xi8>
}

// No zps: no zero point. qtype is per_tensor, and the axis has no meaning.
// CHECK-LABEL: func @quantize_tensor_dynamic_no_zps(
// CHECK: qdq.quantize %{{.*}} scale %{{.*}} semantics {{.*}} : (tensor<?x?xf32>, f32) -> tensor<?x?xui8>
func.func @quantize_tensor_dynamic_no_zps(%x: tensor<?x?xf32>) -> tensor<?x?xui8> {
  %q = "onednn_graph.quantize"(%x) {axis = 7 : i64, scales = [0.5 : f32]} : (tensor<?x?xf32>) -> tensor<?x?xui8>
  return %q : tensor<?x?xui8>
}

// An unsigned zero point is a tensor: arith has no constant of type ui8.
// CHECK-LABEL: func @dequantize_tensor_unranked(
// CHECK: %[[ZERO:.*]] = {{(arith.constant dense<200> :|tensor.bitcast .* to)}} tensor<ui8>
// CHECK: qdq.dequantize %{{.*}} zero_point %[[ZERO]] semantics {{.*}} -> tensor<*xf32>
func.func @dequantize_tensor_unranked(%q: tensor<*xui8>) -> tensor<*xf32> {
  %x = "onednn_graph.dequantize"(%q) {scales = dense<0.5> : tensor<1xf32>, zps = dense<200> : tensor<1xi64>} : (tensor<*xui8>) -> tensor<*xf32>
  return %x : tensor<*xf32>
}

// The axis is 1 where it is absent.
// CHECK-LABEL: func @dequantize_channel_4x2(
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<[-128, 127]> : tensor<2xi8>
// CHECK: qdq.dequantize %{{.*}} scale %[[SCALE]] zero_point %[[ZERO]] axis 1
func.func @dequantize_channel_4x2(%q: tensor<4x2xi8>) -> tensor<4x2xf32> {
  %x = "onednn_graph.dequantize"(%q) {qtype = "per_channel", scales = array<f32: 0.5, 2.0>, zps = [-128 : i64, 127 : i64]} : (tensor<4x2xi8>) -> tensor<4x2xf32>
  return %x : tensor<4x2xf32>
}

// A negative axis counts from the end; the result gets the shape that the source knows.
// CHECK-LABEL: func @quantize_channel_negative_axis(
// CHECK: %[[Q:.*]] = qdq.quantize {{.*}} axis 1 {{.*}} -> tensor<3x2x?xsi8>
// CHECK: tensor.cast %[[Q]] : tensor<3x2x?xsi8> to tensor<?x?x?xsi8>
func.func @quantize_channel_negative_axis(%x: tensor<3x2x?xf32>) -> tensor<?x?x?xsi8> {
  %q = "onednn_graph.quantize"(%x) {qtype = "per_channel", axis = -2 : si64, scales = array<f32: 0.5, 2.0>} : (tensor<3x2x?xf32>) -> tensor<?x?x?xsi8>
  return %q : tensor<?x?x?xsi8>
}

// CHECK-LABEL: func @dynamic_quantize_tensor_4x8(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<1xf32>, %[[Z:.*]]: tensor<1x1xi32>)
// CHECK: %[[SCALE:.*]] = tensor.collapse_shape %[[S]] [] : tensor<1xf32> into tensor<f32>
// CHECK: %[[ZERO:.*]] = tensor.collapse_shape %[[Z]] [] : tensor<1x1xi32> into tensor<i32>
// CHECK: qdq.quantize %[[X]] scale %[[SCALE]] zero_point %[[ZERO]] semantics
func.func @dynamic_quantize_tensor_4x8(%x: tensor<4x8xf32>, %s: tensor<1xf32>, %z: tensor<1x1xi32>) -> tensor<4x8xui8> {
  %q = "onednn_graph.dynamic_quantize"(%x, %s, %z) : (tensor<4x8xf32>, tensor<1xf32>, tensor<1x1xi32>) -> tensor<4x8xui8>
  return %q : tensor<4x8xui8>
}

// Zero points of the other signedness are s8 and u8 as well.
// CHECK-LABEL: func @dynamic_quantize_channel_dynamic(
// CHECK: qdq.quantize {{.*}} axis 0 {{.*}} : (tensor<?x8xf32>, tensor<?xf32>, tensor<?xui8>) -> tensor<?x8xsi8>
func.func @dynamic_quantize_channel_dynamic(%x: tensor<?x8xf32>, %s: tensor<?xf32>, %z: tensor<?xui8>) -> tensor<?x8xsi8> {
  %q = "onednn_graph.dynamic_quantize"(%x, %s, %z) {qtype = "per_channel", axis = 0 : i64} : (tensor<?x8xf32>, tensor<?xf32>, tensor<?xui8>) -> tensor<?x8xsi8>
  return %q : tensor<?x8xsi8>
}

// Constants of one element are scalars.
// CHECK-LABEL: func @dynamic_dequantize_tensor_constants(
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 2.500000e-01 : f16
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 7 : i32
// CHECK: qdq.dequantize %{{.*}} scale %[[SCALE]] zero_point %[[ZERO]] semantics
func.func @dynamic_dequantize_tensor_constants(%q: tensor<4x8xui4>) -> tensor<4x8xf16> {
  %s = arith.constant dense<0.25> : tensor<1xf16>
  %z = arith.constant dense<7> : tensor<1xi32>
  %x = "onednn_graph.dynamic_dequantize"(%q, %s, %z) {qtype = "per_tensor"} : (tensor<4x8xui4>, tensor<1xf16>, tensor<1xi32>) -> tensor<4x8xf16>
  return %x : tensor<4x8xf16>
}

// One zero point for all channels; the scale in full rank.
// CHECK-LABEL: func @dynamic_dequantize_channel_full_rank(
// CHECK: qdq.dequantize {{.*}} block_shape [0, 1, 0] {{.*}} : (tensor<2x3x4xi8>, tensor<1x3x1xbf16>, tensor<i8>) -> tensor<2x3x4xbf16>
func.func @dynamic_dequantize_channel_full_rank(%q: tensor<2x3x4xi8>, %s: tensor<1x3x1xbf16>, %z: tensor<1xi8>) -> tensor<2x3x4xbf16> {
  %x = "onednn_graph.dynamic_dequantize"(%q, %s, %z) {qtype = "per_channel"} : (tensor<2x3x4xi8>, tensor<1x3x1xbf16>, tensor<1xi8>) -> tensor<2x3x4xbf16>
  return %x : tensor<2x3x4xbf16>
}

// CHECK-LABEL: func @dynamic_dequantize_group_64x32(
// CHECK: qdq.dequantize {{.*}} block_shape [16, 1] {{.*}} : (tensor<64x32xi4>, tensor<4x32xf16>, tensor<4x32xi4>) -> tensor<64x32xf16>
func.func @dynamic_dequantize_group_64x32(%q: tensor<64x32xi4>, %s: tensor<4x32xf16>, %z: tensor<4x32xi4>) -> tensor<64x32xf16> {
  %x = "onednn_graph.dynamic_dequantize"(%q, %s, %z) {qtype = "per_group", group_shape = array<i64: 16, 1>} : (tensor<64x32xi4>, tensor<4x32xf16>, tensor<4x32xi4>) -> tensor<64x32xf16>
  return %x : tensor<64x32xf16>
}

// CHECK-LABEL: func @dynamic_dequantize_group_dynamic(
// CHECK: qdq.dequantize {{.*}} block_shape [2, 32] {{.*}} : (tensor<?x?xui8>, tensor<?x?xf32>, tensor<i32>) -> tensor<?x?xf32>
func.func @dynamic_dequantize_group_dynamic(%q: tensor<?x?xui8>, %s: tensor<?x?xf32>, %z: tensor<i32>) -> tensor<?x?xf32> {
  %x = "onednn_graph.dynamic_dequantize"(%q, %s, %z) {qtype = "per_group", group_shape = [2, 32]} : (tensor<?x?xui8>, tensor<?x?xf32>, tensor<i32>) -> tensor<?x?xf32>
  return %x : tensor<?x?xf32>
}

// A pair is rounding, and stays; so does an op that is no quantization.
// CHECK-LABEL: func @quantize_dequantize_pair(
// CHECK: qdq.quantize
// CHECK: qdq.dequantize
// CHECK: "onednn_graph.relu"
func.func @quantize_dequantize_pair(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>} : (tensor<4xf32>) -> tensor<4xi8>
  %y = "onednn_graph.dequantize"(%q) {scales = array<f32: 0.5>} : (tensor<4xi8>) -> tensor<4xf32>
  %r = "onednn_graph.relu"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The library rounds to f16 first, and again to f8; beyond the range it gives
// infinities or NaN.
// CHECK-LABEL: func @quantize_tensor_f8(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>)
// CHECK: %[[SCALE:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[HALF:.*]] = qdq.quantize %[[X]] scale %[[SCALE]] semantics {{.*}}float_overflow = ieee> : (tensor<4x8xf32>, f32) -> tensor<4x8xf16>
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f16
// CHECK: %[[Q:.*]] = qdq.quantize %[[HALF]] scale %[[ONE]] semantics {{.*}}float_overflow = ieee> : (tensor<4x8xf16>, f16) -> tensor<4x8xf8E4M3FN>
// CHECK: return %[[Q]]
// PROFILE-LABEL: func @quantize_tensor_f8(
// PROFILE: qdq.quantize {{.*}} semantics {{.*}}division = exact, {{.*}}float_overflow = saturate> : (tensor<4x8xf32>, f32) -> tensor<4x8xf8E4M3FN>
// PROFILE-NOT: qdq.quantize
// PROFILE: return
func.func @quantize_tensor_f8(%x: tensor<4x8xf32>) -> tensor<4x8xf8E4M3FN> {
  %q = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>, zps = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<4x8xf8E4M3FN>
  return %q : tensor<4x8xf8E4M3FN>
}

// CHECK-LABEL: func @quantize_channel_f8(
// CHECK: qdq.quantize %{{.*}} scale %{{.*}} axis 1 {{.*}} -> tensor<4x2xf16>
// CHECK: qdq.quantize %{{.*}} scale %{{[^ ]*}} semantics {{.*}} -> tensor<4x2xf8E5M2>
func.func @quantize_channel_f8(%x: tensor<4x2xf32>) -> tensor<4x2xf8E5M2> {
  %q = "onednn_graph.quantize"(%x) {qtype = "per_channel", scales = array<f32: 0.5, 2.0>} : (tensor<4x2xf32>) -> tensor<4x2xf8E5M2>
  return %q : tensor<4x2xf8E5M2>
}

// CHECK-LABEL: func @dequantize_tensor_f8(
// CHECK: %[[X:.*]] = qdq.dequantize %{{.*}} scale %{{[^ ]*}} semantics {{.*}} : (tensor<4xf8E5M2>, f32) -> tensor<4xf32>
// CHECK: return %[[X]]
func.func @dequantize_tensor_f8(%q: tensor<4xf8E5M2>) -> tensor<4xf32> {
  %x = "onednn_graph.dequantize"(%q) {scales = array<f32: 0.5>} : (tensor<4xf8E5M2>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// More channels than a list of axes or sizes would have.
// CHECK-LABEL: func @dequantize_many_channels
// CHECK: %[[S:.*]] = arith.constant dense<5.000000e-01> : tensor<128256xf32>
// CHECK: qdq.dequantize %{{.*}} scale %[[S]] {{.*}}axis 1
func.func @dequantize_many_channels(%q: tensor<2x128256xi8>) -> tensor<2x128256xf32> {
  %x = "onednn_graph.dequantize"(%q) {axis = 1 : i64, qtype = "per_channel", scales = dense<0.5> : tensor<128256xf32>, zps = dense<3> : tensor<128256xi64>} : (tensor<2x128256xi8>) -> tensor<2x128256xf32>
  return %x : tensor<2x128256xf32>
}
