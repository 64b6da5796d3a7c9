// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file --verify-diagnostics

func.func @quantize_axis_3x3_no_axis(%x: tensor<3x3xf32>, %s: tensor<3xf32>) -> tensor<3x3xi8> {
  // expected-error@+1 {{'onnx.Custom' op has no 'axis', and the scale 'tensor<3xf32>' fits dimension 1 of 'tensor<3x3xf32>' (the default of the document) and dimension 0 (that of the kernel): expected 'axis'}}
  %q = "onnx.Custom"(%x, %s) {domain_name = "com.amd.quark", function_name = "ExtendedQuantizeLinear"} : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xi8>
  return %q : tensor<3x3xi8>
}

// -----

func.func @quantize_axis_no_axis_no_fit(%x: tensor<2x3xf32>, %s: tensor<4xf32>) -> tensor<2x3xi8> {
  // expected-error@+1 {{scale has 4 elements: expected 1, or 3, the size of dimension 1}}
  %q = "onnx.Custom"(%x, %s) {domain_name = "com.amd.quark", function_name = "ExtendedQuantizeLinear"} : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xi8>
  return %q : tensor<2x3xi8>
}

// -----

func.func @quantize_tensor_storage(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xi4> {
  // expected-error@+1 {{result has element type 'i4': expected i8, i16, i32, ui8, ui16, ui32, f16 or bf16}}
  %q = "onnx.Custom"(%x, %s) {domain_name = "com.amd.quark", function_name = "ExtendedQuantizeLinear"} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi4>
  return %q : tensor<4xi4>
}

// -----

func.func @quantize_tensor_input(%x: tensor<4xf64>, %s: tensor<f32>) -> tensor<4xi8> {
  // expected-error@+1 {{input has element type 'f64': expected f16, bf16 or f32}}
  %q = "onnx.Custom"(%x, %s) {domain_name = "com.vai.quantize", function_name = "VitisQuantizeLinear"} : (tensor<4xf64>, tensor<f32>) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// -----

func.func @dequantize_tensor_zero_point(%x: tensor<4xi8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<4xf32> {
  // expected-error@+1 {{zero point has element type 'ui8': expected 'i8', the quantized type}}
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"} : (tensor<4xi8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dequantize_tensor_result(%x: tensor<4xi8>, %s: tensor<f32>) -> tensor<4xf16> {
  // expected-error@+1 {{result has element type 'f16': expected 'f32', the type of the scale}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"} : (tensor<4xi8>, tensor<f32>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

func.func @dequantize_tensor_one_operand(%x: tensor<4xi8>) -> tensor<4xf32> {
  // expected-error@+1 {{number of operands is 1: expected 2 or 3}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"} : (tensor<4xi8>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dequantize_axis_out_of_range(%x: tensor<2x3xi8>, %s: tensor<2xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{axis 2 is out of range}}
  %y = "onnx.Custom"(%x, %s) {axis = 2 : si64, domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"} : (tensor<2x3xi8>, tensor<2xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @dequantize_axis_wrong_attribute(%x: tensor<2x3xi8>, %s: tensor<2xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{attribute 'axis' is "rows": expected an integer of 64 bits}}
  %y = "onnx.Custom"(%x, %s) {axis = "rows", domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"} : (tensor<2x3xi8>, tensor<2xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @dequantize_blocked_short(%x: tensor<2x13xi8>, %s: tensor<2x3xf32>) -> tensor<2x13xf32> {
  // expected-error@+1 {{has a blocked scale without 'block_size', and every block size from 5 to 6 makes 3 blocks of 13 elements}}
  %y = "onnx.Custom"(%x, %s) {axis = 1 : si64, domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"} : (tensor<2x13xi8>, tensor<2x3xf32>) -> tensor<2x13xf32>
  return %y : tensor<2x13xf32>
}

// -----

func.func @quantize_axis_unranked_no_axis(%x: tensor<*xf32>, %s: tensor<4xf32>) -> tensor<*xi8> {
  // expected-error@+1 {{has no 'axis', and the scale 'tensor<4xf32>' fits dimension 1 of 'tensor<*xf32>'}}
  %q = "onnx.Custom"(%x, %s) {domain_name = "com.amd.quark", function_name = "ExtendedQuantizeLinear"} : (tensor<*xf32>, tensor<4xf32>) -> tensor<*xi8>
  return %q : tensor<*xi8>
}
