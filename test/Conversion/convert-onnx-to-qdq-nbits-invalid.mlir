// Nodes of com.microsoft.MatMulNBits that ONNX Runtime refuses.
// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file --verify-diagnostics

func.func @no_columns(%a: tensor<2x64xf32>, %b: tensor<6x2x16xui8>, %s: tensor<6x2xf32>) -> tensor<2x6xf32> {
  // expected-error @below {{attribute 'N' is 0: expected a size from 1 to 2^31}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 64 : si64, N = 0 : si64, bits = 4 : si64, block_size = 32 : si64}
    : (tensor<2x64xf32>, tensor<6x2x16xui8>, tensor<6x2xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

func.func @accuracy(%a: tensor<2x64xf32>, %b: tensor<6x2x16xui8>, %s: tensor<6x2xf32>) -> tensor<2x6xf32> {
  // expected-error @below {{accuracy_level is 5: expected 0 to 4}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 64 : si64, N = 6 : si64, bits = 4 : si64, block_size = 32 : si64, accuracy_level = 5 : si64}
    : (tensor<2x64xf32>, tensor<6x2x16xui8>, tensor<6x2xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

func.func @prepacked(%a: tensor<2x64xf32>, %b: tensor<6x2x16xui8>, %s: tensor<6x2xf32>) -> tensor<2x6xf32> {
  // expected-error @below {{weight_prepacked is 1: the layout of a GPU's kernel is not known here}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 64 : si64, N = 6 : si64, bits = 4 : si64, block_size = 32 : si64, weight_prepacked = 1 : si64}
    : (tensor<2x64xf32>, tensor<6x2x16xui8>, tensor<6x2xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

func.func @zero_points_of_other_type(%a: tensor<2x64xf32>, %b: tensor<6x2x16xui8>, %s: tensor<6x2xf32>, %z: tensor<6x2xf16>) -> tensor<2x6xf32> {
  // expected-error @below {{zero_points has element type 'f16': expected ui8, or 'f32', the type of A}}
  %y = "onnx.Custom"(%a, %b, %s, %z) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 64 : si64, N = 6 : si64, bits = 4 : si64, block_size = 32 : si64}
    : (tensor<2x64xf32>, tensor<6x2x16xui8>, tensor<6x2xf32>, tensor<6x2xf16>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

func.func @f64_input(%a: tensor<2x64xf64>, %b: tensor<6x2x16xui8>, %s: tensor<6x2xf32>) -> tensor<2x6xf32> {
  // expected-error @below {{A has type 'tensor<2x64xf64>': expected f16, bf16 or f32 with a last dimension of 64}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 64 : si64, N = 6 : si64, bits = 4 : si64, block_size = 32 : si64}
    : (tensor<2x64xf64>, tensor<6x2x16xui8>, tensor<6x2xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

func.func @depth(%a: tensor<2x32xf32>, %b: tensor<6x2x16xui8>, %s: tensor<6x2xf32>) -> tensor<2x6xf32> {
  // expected-error @below {{A has type 'tensor<2x32xf32>': expected a last dimension of 64, which is K}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 64 : si64, N = 6 : si64, bits = 4 : si64, block_size = 32 : si64}
    : (tensor<2x32xf32>, tensor<6x2x16xui8>, tensor<6x2xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

func.func @bnb4_type(%a: tensor<2x32xf32>, %b: tensor<64xui8>, %s: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{quant_type is 2 and transB 1: expected 0 (FP4) or 1 (NF4), and 1}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulBnb4", K = 32 : si64, N = 4 : si64, block_size = 32 : si64, quant_type = 2 : si64} : (tensor<2x32xf32>, tensor<64xui8>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @bnb4_blocks(%a: tensor<2x8xf32>, %b: tensor<20xui8>, %s: tensor<2xf32>) -> tensor<2x5xf32> {
  // expected-error @below {{has N = 5, K = 8 and block_size = 32: expected whole blocks of an even size}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulBnb4", K = 8 : si64, N = 5 : si64, block_size = 32 : si64, quant_type = 1 : si64} : (tensor<2x8xf32>, tensor<20xui8>, tensor<2xf32>) -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

func.func @bnb4_scales(%a: tensor<2x32xf32>, %b: tensor<64xui8>, %s: tensor<5xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{B has type 'tensor<64xui8>' and absmax 'tensor<5xf32>': expected 'tensor<64xui8>' and 'tensor<4xf32>'}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulBnb4", K = 32 : si64, N = 4 : si64, block_size = 32 : si64, quant_type = 1 : si64} : (tensor<2x32xf32>, tensor<64xui8>, tensor<5xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @bnb4_half(%a: tensor<2x32xf16>, %b: tensor<64xui8>, %s: tensor<4xf32>) -> tensor<2x4xf16> {
  // expected-error @below {{A has type 'tensor<2x32xf16>': expected f32 with a last dimension of 32}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulBnb4", K = 32 : si64, N = 4 : si64, block_size = 32 : si64, quant_type = 1 : si64} : (tensor<2x32xf16>, tensor<64xui8>, tensor<4xf32>) -> tensor<2x4xf16>
  return %y : tensor<2x4xf16>
}

// -----

func.func @bnb4_result(%a: tensor<2x32xf32>, %b: tensor<64xui8>, %s: tensor<4xf32>) -> tensor<2x4xf16> {
  // expected-error @below {{result has type 'tensor<2x4xf16>': expected f32}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulBnb4", K = 32 : si64, N = 4 : si64, block_size = 32 : si64, quant_type = 1 : si64} : (tensor<2x32xf32>, tensor<64xui8>, tensor<4xf32>) -> tensor<2x4xf16>
  return %y : tensor<2x4xf16>
}
