// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file --verify-diagnostics

func.func @gather_block_size(%d: tensor<5x16xui8>, %x: tensor<3xi64>, %s: tensor<5x2xf32>) -> tensor<3x32xf32> {
  // expected-error@+1 {{block_size is 24: expected a power of two, 16 or more}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 24 : si64} : (tensor<5x16xui8>, tensor<3xi64>, tensor<5x2xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

func.func @gather_bits(%d: tensor<5x16xui8>, %x: tensor<3xi64>, %s: tensor<5x2xf32>) -> tensor<3x32xf32> {
  // expected-error@+1 {{bits is 3: expected 2, 4 or 8}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64, bits = 3 : si64} : (tensor<5x16xui8>, tensor<3xi64>, tensor<5x2xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

func.func @gather_axis_of_bytes(%d: tensor<5x16xui8>, %x: tensor<3xi64>, %s: tensor<5x2xf32>) -> tensor<3x32xf32> {
  // expected-error@+1 {{gather_axis is 1 and quantize_axis 1: expected 0 and 1, the last of data 'tensor<5x16xui8>'}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64, gather_axis = 1 : si64} : (tensor<5x16xui8>, tensor<3xi64>, tensor<5x2xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

func.func @gather_axis_out_of_range(%d: tensor<5x16xui8>, %x: tensor<3xi64>, %s: tensor<5x2xf32>) -> tensor<3x32xf32> {
  // expected-error@+1 {{quantize_axis is 2, out of range for data 'tensor<5x16xui8>': expected -2 to 1}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64, quantize_axis = 2 : si64} : (tensor<5x16xui8>, tensor<3xi64>, tensor<5x2xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

func.func @gather_scales(%d: tensor<5x16xui8>, %x: tensor<3xi64>, %s: tensor<5x3xf32>) -> tensor<3x32xf32> {
  // expected-error@+1 {{scales has type 'tensor<5x3xf32>': expected 'tensor<5x2xf32>'}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64} : (tensor<5x16xui8>, tensor<3xi64>, tensor<5x3xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

func.func @gather_zero_points(%d: tensor<5x16xui8>, %x: tensor<3xi64>, %s: tensor<5x2xf32>, %z: tensor<5x2xui8>) -> tensor<3x32xf32> {
  // expected-error@+1 {{zero_points has type 'tensor<5x2xui8>': expected 'tensor<5x1xui8>'}}
  %y = "onnx.Custom"(%d, %x, %s, %z) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64} : (tensor<5x16xui8>, tensor<3xi64>, tensor<5x2xf32>, tensor<5x2xui8>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

func.func @gather_float_zero_points(%d: tensor<5x16xf8E5M2>, %x: tensor<3xi64>, %s: tensor<5x1xf32>, %z: tensor<5x1xf8E5M2>) -> tensor<3x16xf32> {
  // expected-error@+1 {{has zero_points, and data of 'f8E5M2': expected none}}
  %y = "onnx.Custom"(%d, %x, %s, %z) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64} : (tensor<5x16xf8E5M2>, tensor<3xi64>, tensor<5x1xf32>, tensor<5x1xf8E5M2>) -> tensor<3x16xf32>
  return %y : tensor<3x16xf32>
}

// -----

func.func @gather_result(%d: tensor<5x16xui8>, %x: tensor<3xi64>, %s: tensor<5x2xf32>) -> tensor<3x16xf32> {
  // expected-error@+1 {{result has type 'tensor<3x16xf32>': expected 'tensor<3x32xf32>'}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64} : (tensor<5x16xui8>, tensor<3xi64>, tensor<5x2xf32>) -> tensor<3x16xf32>
  return %y : tensor<3x16xf32>
}

// -----

func.func @gather_indices(%d: tensor<5x16xui8>, %x: tensor<3xi16>, %s: tensor<5x2xf32>) -> tensor<3x32xf32> {
  // expected-error@+1 {{indices has type 'tensor<3xi16>': expected a ranked tensor of i32 or i64}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64} : (tensor<5x16xui8>, tensor<3xi16>, tensor<5x2xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

func.func @gather_open_table(%d: tensor<?x16xui8>, %x: tensor<3xi64>, %s: tensor<5x2xf32>) -> tensor<3x32xf32> {
  // expected-error@+1 {{data has type 'tensor<?x16xui8>': expected a static shape}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64} : (tensor<?x16xui8>, tensor<3xi64>, tensor<5x2xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

func.func @gather_data(%d: tensor<5x16xi8>, %x: tensor<3xi64>, %s: tensor<5x2xf32>) -> tensor<3x32xf32> {
  // expected-error@+1 {{data has element type 'i8': expected ui8, i4, ui4}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64} : (tensor<5x16xi8>, tensor<3xi64>, tensor<5x2xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

func.func @gather_bits_of_codes(%d: tensor<5x32xui4>, %x: tensor<3xi64>, %s: tensor<5x2xf32>) -> tensor<3x32xf32> {
  // expected-error @below {{bits is 8: expected 4, as data has 'ui4'}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64, bits = 8 : si64}
    : (tensor<5x32xui4>, tensor<3xi64>, tensor<5x2xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

func.func @gather_wide_scales(%d: tensor<5x16xui8>, %x: tensor<3xi64>, %s: tensor<5x2xf64>) -> tensor<3x32xf64> {
  // expected-error @below {{scales has element type 'f64': expected f32, f16 or bf16}}
  %y = "onnx.Custom"(%d, %x, %s) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64}
    : (tensor<5x16xui8>, tensor<3xi64>, tensor<5x2xf64>) -> tensor<3x32xf64>
  return %y : tensor<3x32xf64>
}
