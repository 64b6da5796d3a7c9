// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s
// RUN: quant-opt %s --convert-onnx-to-qdq="profile=ort" --split-input-file | FileCheck %s --check-prefix=ORT

// What each operator set of QuantizeLinear and DequantizeLinear added.

// Opset 10: one scale, i32 in, i32 codes (of a bias) out.

// CHECK-LABEL: @quantize_tensor_4_opset10
func.func @quantize_tensor_4_opset10(%x: tensor<4xf32>, %i: tensor<4xi32>, %s: tensor<f32>, %z: tensor<ui8>) -> (tensor<4xui8>, tensor<4xui8>) {
  // CHECK: qdq.quantize {{.*}} : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  %a = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  // CHECK: qdq.quantize {{.*}} : (tensor<4xi32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  %b = "onnx.QuantizeLinear"(%i, %s, %z) : (tensor<4xi32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  return %a, %b : tensor<4xui8>, tensor<4xui8>
}

// CHECK-LABEL: @dequantize_tensor_4_opset10_bias
func.func @dequantize_tensor_4_opset10_bias(%x: tensor<4xi32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[Z:.*]] = arith.constant 0 : i32
  // CHECK-DAG: qdq.dequantize %{{.*}} scale %{{.*}} zero_point %[[Z]] semantics
  %z = "onnx.Constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %a = "onnx.DequantizeLinear"(%x, %s, %z) : (tensor<4xi32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  // CHECK: qdq.dequantize %{{.*}} scale %{{.*}} semantics {{.*}} : (tensor<4xi32>, tensor<f32>) -> tensor<4xf32>
  %b = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi32>, tensor<f32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// Opset 13: `axis`.

// CHECK-LABEL: @dequantize_axis_2x3_opset13
func.func @dequantize_axis_2x3_opset13(%x: tensor<2x3xui8>, %s: tensor<2xf32>, %z: tensor<2xui8>) -> tensor<2x3xf32> {
  // CHECK: axis 0 semantics
  %y = "onnx.DequantizeLinear"(%x, %s, %z) {axis = 0 : si64} : (tensor<2x3xui8>, tensor<2xf32>, tensor<2xui8>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Opset 19: f8 storage with `saturate`, f16 and bf16. The zero point gives the storage type; it stays, since a sum with zero is not
// neutral for -0.

// CHECK-LABEL: @quantize_tensor_4_opset19_float8
// ORT-LABEL: @quantize_tensor_4_opset19_float8
func.func @quantize_tensor_4_opset19_float8(%x: tensor<4xf32>, %s: tensor<f32>)
    -> (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FNUZ>, tensor<4xf8E5M2>, tensor<4xf8E5M2FNUZ>) {
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
  // CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f8E4M3FN
  // CHECK: zero_point %[[Z]] {{.*}} float_overflow = saturate> {{.*}} -> tensor<4xf8E4M3FN>
  // ORT: float_overflow = saturate>
  %a = "onnx.QuantizeLinear"(%x, %s, %z) {saturate = 1 : si64} : (tensor<4xf32>, tensor<f32>, tensor<f8E4M3FN>) -> tensor<4xf8E4M3FN>
  // CHECK: float_overflow = ieee> {{.*}} -> tensor<4xf8E4M3FNUZ>
  // ORT: float_overflow = saturate>
  %b = "onnx.QuantizeLinear"(%x, %s) {saturate = 0 : si64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E4M3FNUZ>
  // CHECK: float_overflow = ieee> {{.*}} -> tensor<4xf8E5M2>
  %c = "onnx.QuantizeLinear"(%x, %s) {saturate = 0 : si64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E5M2>
  // CHECK: float_overflow = saturate> {{.*}} -> tensor<4xf8E5M2FNUZ>
  %d = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E5M2FNUZ>
  return %a, %b, %c, %d : tensor<4xf8E4M3FN>, tensor<4xf8E4M3FNUZ>, tensor<4xf8E5M2>, tensor<4xf8E5M2FNUZ>
}

// CHECK-LABEL: @quantize_tensor_4_opset19_half
func.func @quantize_tensor_4_opset19_half(%x: tensor<4xf16>, %s: tensor<f16>, %b: tensor<4xbf16>, %t: tensor<bf16>) -> (tensor<4xui8>, tensor<4xi8>) {
  // CHECK: qdq.quantize {{.*}} : (tensor<4xf16>, tensor<f16>) -> tensor<4xui8>
  %q = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf16>, tensor<f16>) -> tensor<4xui8>
  // CHECK: qdq.quantize {{.*}} : (tensor<4xbf16>, tensor<bf16>) -> tensor<4xi8>
  %r = "onnx.QuantizeLinear"(%b, %t) : (tensor<4xbf16>, tensor<bf16>) -> tensor<4xi8>
  return %q, %r : tensor<4xui8>, tensor<4xi8>
}

// CHECK-LABEL: @dequantize_tensor_4_opset19
func.func @dequantize_tensor_4_opset19(%x: tensor<4xf8E5M2>, %y: tensor<4xi8>, %s: tensor<f16>, %t: tensor<bf16>) -> (tensor<4xf16>, tensor<4xbf16>) {
  // CHECK: qdq.dequantize {{.*}} : (tensor<4xf8E5M2>, tensor<f16>) -> tensor<4xf16>
  %a = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xf8E5M2>, tensor<f16>) -> tensor<4xf16>
  // CHECK: qdq.dequantize {{.*}} : (tensor<4xi8>, tensor<bf16>) -> tensor<4xbf16>
  %b = "onnx.DequantizeLinear"(%y, %t) : (tensor<4xi8>, tensor<bf16>) -> tensor<4xbf16>
  return %a, %b : tensor<4xf16>, tensor<4xbf16>
}

// In opsets 19 and 21 the scale has the type of an i32 input, and later it still may be i32: it divides as a real.

// CHECK-LABEL: @quantize_axis_2x3_opset19_integer_scale
// CHECK-SAME: %[[X:.*]]: tensor<2x3xi32>, %[[S:.*]]: tensor<3xi32>
func.func @quantize_axis_2x3_opset19_integer_scale(%x: tensor<2x3xi32>, %s: tensor<3xi32>) -> (tensor<2x3xi8>, tensor<2x3xi8>) {
  // CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
  // CHECK: %[[REAL:.*]] = qdq.dequantize %[[S]] scale %[[ONE]] {{.*}} : (tensor<3xi32>, f64) -> tensor<3xf64>
  // CHECK: qdq.quantize %[[X]] scale %[[REAL]] axis 1 semantics {{.*}} : (tensor<2x3xi32>, tensor<3xf64>) -> tensor<2x3xi8>
  %a = "onnx.QuantizeLinear"(%x, %s) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi8>
  // CHECK: %[[REAL:.*]] = qdq.dequantize %{{.*}} scale %{{.*}} : (i32, f64) -> f64
  // CHECK: qdq.quantize %[[X]] scale %[[REAL]] semantics
  %t = "onnx.Constant"() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %b = "onnx.QuantizeLinear"(%x, %t) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi8>
  return %a, %b : tensor<2x3xi8>, tensor<2x3xi8>
}

// -----

// Opset 21: 16 and 4 bits, blocks, `output_dtype` of QuantizeLinear.

// CHECK-LABEL: @quantize_blocked_2x4_opset21
func.func @quantize_blocked_2x4_opset21(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>)
    -> (tensor<2x4xi16>, tensor<2x4xui16>, tensor<2x4xi4>, tensor<2x4xui4>) {
  // CHECK: block_shape [1, 2] semantics {{.*}} -> tensor<2x4xi16>
  %a = "onnx.QuantizeLinear"(%x, %s) {block_size = 2 : si64, output_dtype = 5 : si64} : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x4xi16>
  // CHECK: -> tensor<2x4xui16>
  %b = "onnx.QuantizeLinear"(%x, %s) {block_size = 2 : si64, output_dtype = 4 : si64} : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x4xui16>
  // CHECK: -> tensor<2x4xi4>
  %c = "onnx.QuantizeLinear"(%x, %s) {block_size = 2 : si64, output_dtype = 22 : si64} : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x4xi4>
  // CHECK: -> tensor<2x4xui4>
  %d = "onnx.QuantizeLinear"(%x, %s) {block_size = 2 : si64, output_dtype = 21 : si64} : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x4xui4>
  return %a, %b, %c, %d : tensor<2x4xi16>, tensor<2x4xui16>, tensor<2x4xi4>, tensor<2x4xui4>
}

// -----

// Opset 23: f4E2M1FN, `precision`, `output_dtype` of DequantizeLinear; the scale has a type of its own. `saturate` means nothing
// below 8 bits.

// CHECK-LABEL: @quantize_tensor_4_opset23_precision
// ORT-LABEL: @quantize_tensor_4_opset23_precision
func.func @quantize_tensor_4_opset23_precision(%x: tensor<4xf16>, %s: tensor<f32>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xf4E2M1FN>) {
  // CHECK: compute = f16, {{.*}} : (tensor<4xf16>, tensor<f32>) -> tensor<4xi8>
  // ORT: compute = f32
  %a = "onnx.QuantizeLinear"(%x, %s) {precision = 10 : si64} : (tensor<4xf16>, tensor<f32>) -> tensor<4xi8>
  // CHECK: compute = bf16
  %b = "onnx.QuantizeLinear"(%x, %s) {precision = 16 : si64} : (tensor<4xf16>, tensor<f32>) -> tensor<4xi8>
  // CHECK: compute = auto
  %c = "onnx.QuantizeLinear"(%x, %s) {precision = 0 : si64} : (tensor<4xf16>, tensor<f32>) -> tensor<4xi8>
  // CHECK: compute = f32, {{.*}} float_overflow = saturate> {{.*}} -> tensor<4xf4E2M1FN>
  %d = "onnx.QuantizeLinear"(%x, %s) {precision = 1 : si64, saturate = 0 : si64, output_dtype = 23 : si64} : (tensor<4xf16>, tensor<f32>) -> tensor<4xf4E2M1FN>
  return %a, %b, %c, %d : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xf4E2M1FN>
}

// CHECK-LABEL: @dequantize_tensor_4_opset23
func.func @dequantize_tensor_4_opset23(%x: tensor<4xf4E2M1FN>, %s: tensor<f32>) -> tensor<4xbf16> {
  // CHECK: : (tensor<4xf4E2M1FN>, tensor<f32>) -> tensor<4xbf16>
  %y = "onnx.DequantizeLinear"(%x, %s) {output_dtype = 16 : si64} : (tensor<4xf4E2M1FN>, tensor<f32>) -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// Opset 24: power-of-two scales (MX). They are no type of a result, so that the result type stands for a missing `output_dtype`.

// CHECK-LABEL: @quantize_blocked_2x64_opset24
func.func @quantize_blocked_2x64_opset24(%x: tensor<2x64xbf16>, %s: tensor<2x2xf8E8M0FNU>) -> tensor<2x64xf8E4M3FN> {
  // CHECK: block_shape [1, 32] semantics {{.*}} : (tensor<2x64xbf16>, tensor<2x2xf8E8M0FNU>) -> tensor<2x64xf8E4M3FN>
  %q = "onnx.QuantizeLinear"(%x, %s) {block_size = 32 : si64, output_dtype = 17 : si64} : (tensor<2x64xbf16>, tensor<2x2xf8E8M0FNU>) -> tensor<2x64xf8E4M3FN>
  return %q : tensor<2x64xf8E4M3FN>
}

// CHECK-LABEL: @dequantize_blocked_2x64_opset24
func.func @dequantize_blocked_2x64_opset24(%x: tensor<2x64xf4E2M1FN>, %s: tensor<2x2xf8E8M0FNU>) -> (tensor<2x64xf16>, tensor<2x64xf32>) {
  // CHECK: block_shape [1, 32] semantics {{.*}} : (tensor<2x64xf4E2M1FN>, tensor<2x2xf8E8M0FNU>) -> tensor<2x64xf16>
  %a = "onnx.DequantizeLinear"(%x, %s) {block_size = 32 : si64, output_dtype = 10 : si64} : (tensor<2x64xf4E2M1FN>, tensor<2x2xf8E8M0FNU>) -> tensor<2x64xf16>
  // CHECK: -> tensor<2x64xf32>
  %b = "onnx.DequantizeLinear"(%x, %s) {block_size = 32 : si64} : (tensor<2x64xf4E2M1FN>, tensor<2x2xf8E8M0FNU>) -> tensor<2x64xf32>
  return %a, %b : tensor<2x64xf16>, tensor<2x64xf32>
}

// -----

// Opset 25: 2 bits.

// CHECK-LABEL: @quantize_tensor_4_opset25
func.func @quantize_tensor_4_opset25(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i2>) -> (tensor<4xi2>, tensor<4xui2>) {
  // CHECK: : (tensor<4xf32>, tensor<f32>, tensor<i2>) -> tensor<4xi2>
  %a = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<i2>) -> tensor<4xi2>
  // CHECK: : (tensor<4xf32>, tensor<f32>) -> tensor<4xui2>
  %b = "onnx.QuantizeLinear"(%x, %s) {output_dtype = 25 : si64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xui2>
  return %a, %b : tensor<4xi2>, tensor<4xui2>
}

// -----

// Opset 28: 6-bit floats.

// CHECK-LABEL: @quantize_tensor_4_opset28
func.func @quantize_tensor_4_opset28(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf6E2M3FN>, tensor<4xf6E3M2FN>) {
  // CHECK: float_overflow = saturate> : (tensor<4xf32>, tensor<f32>) -> tensor<4xf6E2M3FN>
  %a = "onnx.QuantizeLinear"(%x, %s) {output_dtype = 27 : si64, saturate = 0 : si64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf6E2M3FN>
  // CHECK: -> tensor<4xf6E3M2FN>
  %b = "onnx.QuantizeLinear"(%x, %s) {output_dtype = 28 : si64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf6E3M2FN>
  return %a, %b : tensor<4xf6E2M3FN>, tensor<4xf6E3M2FN>
}
