// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file --verify-diagnostics

func.func @bfp_method(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error@+1 {{bfp_method is 'to_mx': expected to_bfp or to_bfp_prime}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "BFPQuantizeDequantize", bfp_method = "to_mx"} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

func.func @bfp_width(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error@+1 {{bit_width is 9: expected 10 to 32}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "BFPQuantizeDequantize", bit_width = 9 : si64} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

func.func @bfp_width_of_other_kernel(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error@+1 {{bit_width is 13 with use_compiler_version_cpu_kernel: expected 16}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "BFPQuantizeDequantize", bit_width = 13 : si64, use_compiler_version_cpu_kernel = 1 : si64} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

func.func @bfp_rounding(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error@+1 {{rounding_mode is 3: expected 0 (half away from zero), 1 (half up) or 2 (half to even)}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "BFPQuantizeDequantize", rounding_mode = 3 : si64} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

func.func @bfp_sub_block(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error@+1 {{sub_block_size is 3: expected a divisor of block_size, which is 8}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "BFPQuantizeDequantize", bfp_method = "to_bfp_prime", sub_block_size = 3 : si64} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

func.func @bfp_axis(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error@+1 {{axis is 2, out of range for input 'tensor<4x32xf32>': expected -2 to 1}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "BFPQuantizeDequantize", axis = 2 : si64} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

func.func @mx_block(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error@+1 {{block_size is 0: expected 1 or more}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "MXQuantizeDequantize", block_size = 0 : si64} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

func.func @mx_element(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error@+1 {{element_dtype is 'int4': expected int8, fp8_e5m2, fp8_e4m3, fp6_e3m2, fp6_e2m3 or fp4_e2m1}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "MXQuantizeDequantize", element_dtype = "int4"} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

func.func @mx_bf16(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // expected-error@+1 {{input has type 'tensor<4xbf16>': expected a ranked tensor of f32 or f16}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "MXQuantizeDequantize"} : (tensor<4xbf16>) -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

func.func @mx_unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{input has type 'tensor<*xf32>': expected a ranked tensor of f32 or f16}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "MXQuantizeDequantize"} : (tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @mx_result(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error@+1 {{result has type 'tensor<4xf16>': expected 'tensor<4xf32>'}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "MXQuantizeDequantize"} : (tensor<4xf32>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

func.func @bfp_shift(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  // expected-error @below {{sub_block_shift_bits is 31: expected 0 to 30}}
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "BFPQuantizeDequantize", bfp_method = "to_bfp_prime", sub_block_shift_bits = 31 : si64}
    : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}
