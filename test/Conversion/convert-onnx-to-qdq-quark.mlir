// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s
// RUN: quant-opt %s --convert-onnx-to-qdq="rounding=floor" --split-input-file | FileCheck %s --check-prefix=OPTIONS

// AMD Quark's operators, in both domains.

// CHECK-LABEL: @quantize_tensor_2x3
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// OPTIONS-LABEL: @quantize_tensor_2x3
func.func @quantize_tensor_2x3(%x: tensor<2x3xf32>) -> tensor<2x3xui16> {
  // CHECK-NOT: onnx.
  // CHECK-DAG: %[[S:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK-DAG: %[[Z:.*]] = {{(arith.constant dense<128> :|tensor.bitcast .* to)}} tensor<ui16>
  // CHECK: qdq.quantize %[[X]] scale %[[S]] zero_point %[[Z]]
  // CHECK-SAME: semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
  // CHECK-SAME: overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
  // OPTIONS: semantics <rounding = floor, order = round-then-add, division = exact, compute = f32,
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<128> : tensor<ui16>} : () -> tensor<ui16>
  %q = "onnx.Custom"(%x, %s, %z) {domain_name = "com.amd.quark", function_name = "ExtendedQuantizeLinear"}
     : (tensor<2x3xf32>, tensor<f32>, tensor<ui16>) -> tensor<2x3xui16>
  return %q : tensor<2x3xui16>
}

// -----

// CHECK-LABEL: @dequantize_axis_2x3
func.func @dequantize_axis_2x3(%x: tensor<2x3xi32>, %s: tensor<2xf32>, %z: tensor<2xi32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: qdq.dequantize {{.*}} axis 0 semantics {{.*}}compute = f32, subtract = wide
  %a = "onnx.Custom"(%x, %s, %z) {axis = 0 : si64, domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"}
     : (tensor<2x3xi32>, tensor<2xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  // CHECK: qdq.dequantize {{.*}} axis 0 semantics
  %b = "onnx.Custom"(%x, %s, %z) {axis = -2 : si64, domain_name = "com.vai.quantize", function_name = "VitisDequantizeLinear"}
     : (tensor<2x3xi32>, tensor<2xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// Without `axis`, the document's 1 or the kernel's 0: whichever fits.

// CHECK-LABEL: @quantize_axis_2x3_no_axis
func.func @quantize_axis_2x3_no_axis(%x: tensor<2x3xf32>, %s2: tensor<2xf32>, %s3: tensor<3xf32>) -> (tensor<2x3xi8>, tensor<2x3xi8>) {
  // CHECK: axis 0 semantics
  %a = "onnx.Custom"(%x, %s2) {domain_name = "com.vai.quantize", function_name = "VitisQuantizeLinear"}
     : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi8>
  // CHECK: axis 1 semantics
  %b = "onnx.Custom"(%x, %s3) {domain_name = "com.vai.quantize", function_name = "VitisQuantizeLinear"}
     : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
  return %a, %b : tensor<2x3xi8>, tensor<2x3xi8>
}

// -----

// f16 and bf16 storage keeps its scale and zero point.

// CHECK-LABEL: @roundtrip_tensor_dynamic_bf16
func.func @roundtrip_tensor_dynamic_bf16(%x: tensor<?x?xf32>, %s: tensor<1xf32>, %z: tensor<bf16>) -> tensor<?x?xf32> {
  // CHECK: qdq.quantize {{.*}} zero_point {{.*}} : (tensor<?x?xf32>, tensor<f32>, tensor<bf16>) -> tensor<?x?xbf16>
  %q = "onnx.Custom"(%x, %s, %z) {domain_name = "com.amd.quark", function_name = "ExtendedQuantizeLinear"}
     : (tensor<?x?xf32>, tensor<1xf32>, tensor<bf16>) -> tensor<?x?xbf16>
  // CHECK: qdq.dequantize {{.*}} zero_point {{.*}} : (tensor<?x?xbf16>, tensor<f32>, tensor<bf16>) -> tensor<?x?xf32>
  %y = "onnx.Custom"(%q, %s, %z) {domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"}
     : (tensor<?x?xbf16>, tensor<1xf32>, tensor<bf16>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Blocks whose length is not given are full ones, even where longer ones would do.

// CHECK-LABEL: @dequantize_blocked_2x12_no_block_size
func.func @dequantize_blocked_2x12_no_block_size(%x: tensor<2x12xi8>, %s: tensor<2x3xf32>) -> tensor<2x12xf32> {
  // CHECK: block_shape [1, 4]
  %y = "onnx.Custom"(%x, %s) {axis = -1 : si64, domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"}
     : (tensor<2x12xi8>, tensor<2x3xf32>) -> tensor<2x12xf32>
  return %y : tensor<2x12xf32>
}

// -----

// Custom operators of others stay.

// CHECK-LABEL: @unknown
func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: function_name = "ExtendedLSTM"
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "ExtendedLSTM"} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "onnx.Custom"(%{{.*}}) : (tensor<4xf32>)
  %z = "onnx.Custom"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// ONNX Runtime's own domain: as ONNX, with its profile.

// CHECK-LABEL: @microsoft_axis_2x3
func.func @microsoft_axis_2x3(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %z: tensor<3xui16>) -> tensor<2x3xf32> {
  // CHECK: qdq.quantize {{.*}} axis 1 semantics {{.*}}compute = f32, subtract = wrap32
  %q = "onnx.Custom"(%x, %s, %z) {domain_name = "com.microsoft", function_name = "QuantizeLinear"}
     : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xui16>) -> tensor<2x3xui16>
  // CHECK: qdq.dequantize {{.*}} axis 1 semantics {{.*}}compute = f32, subtract = wrap32
  %y = "onnx.Custom"(%q, %s, %z) {axis = 1 : si64, domain_name = "com.microsoft", function_name = "DequantizeLinear"}
     : (tensor<2x3xui16>, tensor<3xf32>, tensor<3xui16>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
