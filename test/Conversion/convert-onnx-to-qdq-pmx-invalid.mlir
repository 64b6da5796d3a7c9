// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file --verify-diagnostics

func.func @dequantize_input(%x: tensor<6x4xui8>, %s: tensor<f32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{input has element type 'ui8': expected i8 (int8), or i16 (int4x4)}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<6x4xui8>, tensor<f32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_data_type(%x: tensor<6x4xi8>, %s: tensor<f32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{quant_data_type is 'int4' and the input has element type 'i8': expected 'int8' with i8, or 'int4' with i16}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", quant_data_type = "int4"} : (tensor<6x4xi8>, tensor<f32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_data_type_number(%x: tensor<6x4xi8>, %s: tensor<f32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{attribute 'quant_data_type' is 3 : si64: expected a string}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", quant_data_type = 3 : si64} : (tensor<6x4xi8>, tensor<f32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_quant_axis(%x: tensor<6x4xi8>, %s: tensor<f32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{quant_axis is 2: expected 0 or 1}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", quant_axis = 2 : si64} : (tensor<6x4xi8>, tensor<f32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_group_size(%x: tensor<6x4xi8>, %s: tensor<6x2xf32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{group_size is -2: expected a length, or 0 for no groups}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", group_size = -2 : si64} : (tensor<6x4xi8>, tensor<6x2xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_group_unaligned(%x: tensor<6x4xi8>, %s: tensor<6x2xf32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{has size 4 in dimension 1: expected a multiple of group_size, 3 (where it is absent it is 128)}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", group_size = 3 : si64} : (tensor<6x4xi8>, tensor<6x2xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_group_count(%x: tensor<6x4xi8>, %s: tensor<6x3xf32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{scale has size 3 in dimension 1: expected 2, the number of blocks of 2 in 4}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", group_size = 2 : si64} : (tensor<6x4xi8>, tensor<6x3xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_group_default(%x: tensor<6x4xi8>, %s: tensor<6x2xf32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{expected a multiple of group_size, 128 (where it is absent it is 128)}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<6x4xi8>, tensor<6x2xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_group_zero(%x: tensor<6x4xi8>, %s: tensor<6x2xf32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{scale has size 2 in dimension 1: expected 1, for the whole dimension}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", group_size = 0 : si64} : (tensor<6x4xi8>, tensor<6x2xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_group_other_dimension(%x: tensor<6x4xi8>, %s: tensor<3x2xf32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{scale has size 3 in dimension 0: expected 6}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", group_size = 2 : si64} : (tensor<6x4xi8>, tensor<3x2xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_group_vector(%x: tensor<6x4xi8>, %s: tensor<6xf32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{scale has type 'tensor<6xf32>' with quant_axis = 1: expected one element, rank 1 without groups (per channel), or the rank of the input 'tensor<6x4xi8>'}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", group_size = 2 : si64} : (tensor<6x4xi8>, tensor<6xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_channel_vector(%x: tensor<6x4xi8>, %s: tensor<4xf32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{scale has 4 elements: expected 1, or 6, the size of dimension 0}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<6x4xi8>, tensor<4xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_scale(%x: tensor<6x4xi8>, %s: tensor<bf16>) -> tensor<6x4xbf16> {
  // expected-error@+1 {{scale has element type 'bf16': expected f16 or f32}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<6x4xi8>, tensor<bf16>) -> tensor<6x4xbf16>
  return %y : tensor<6x4xbf16>
}

// -----

func.func @dequantize_result(%x: tensor<6x4xi8>, %s: tensor<f16>) -> tensor<6x4xf32> {
  // expected-error@+1 {{result has element type 'f32': expected 'f16', the type of the scale}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<6x4xi8>, tensor<f16>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_zero_point_denied(%x: tensor<6x4xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<6x4xf32> {
  // expected-error@+1 {{has a zero point, and has_zeropoint = 0}}
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "pmx", function_name = "DequantizeLinear", has_zeropoint = 0 : si64} : (tensor<6x4xi8>, tensor<f32>, tensor<i8>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_zero_point_missing(%x: tensor<6x4xi8>, %s: tensor<f32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{has no zero point, which is operand 2, and has_zeropoint = 1}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", has_zeropoint = 1 : si64} : (tensor<6x4xi8>, tensor<f32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_bias_missing(%x: tensor<6x4xi8>, %s: tensor<f32>) -> tensor<6x4xf32> {
  // expected-error@+1 {{has no zero point, which is operand 2, and float_zeropoint = 1}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", float_zeropoint = 1 : si64} : (tensor<6x4xi8>, tensor<f32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_bias_integer(%x: tensor<6x4xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<6x4xf32> {
  // expected-error@+1 {{zero point has element type 'i8' with float_zeropoint = 1: expected f16 or f32}}
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "pmx", function_name = "DequantizeLinear", float_zeropoint = 1 : si64} : (tensor<6x4xi8>, tensor<f32>, tensor<i8>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_zero_point_type(%x: tensor<6x4xi8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<6x4xf32> {
  // expected-error@+1 {{zero point has element type 'ui8': expected i8, f16 or f32}}
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<6x4xi8>, tensor<f32>, tensor<ui8>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_zero_point_shape(%x: tensor<6x4xi8>, %s: tensor<f32>, %z: tensor<6x1xi8>) -> tensor<6x4xf32> {
  // expected-error@+1 {{zero point has type 'tensor<6x1xi8>': expected the shape of the scale}}
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<6x4xi8>, tensor<f32>, tensor<6x1xi8>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_int4_shape(%x: tensor<2x6xi16>, %s: tensor<f32>) -> tensor<2x6xf32> {
  // expected-error@+1 {{input 'tensor<8x6xi16>' and result 'tensor<2x6xf32>' differ in shape}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<2x6xi16>, tensor<f32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

func.func @dequantize_int4_rank0(%x: tensor<i16>, %s: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{input has type 'tensor<i16>': expected i16 with a dimension 0, along which int4x4 is packed}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<i16>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @dequantize_int4_unranked(%x: tensor<*xi16>, %s: tensor<f32>) -> tensor<*xf32> {
  // expected-error@+1 {{expected i16 with a dimension 0}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<*xi16>, tensor<f32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @dequantize_int4_huge(%x: tensor<4611686018427387904xi16>, %s: tensor<f32>) -> tensor<?xf32> {
  // expected-error@+1 {{holds too many codes}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<4611686018427387904xi16>, tensor<f32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @dequantize_one_operand(%x: tensor<6x4xi8>) -> tensor<6x4xf32> {
  // expected-error@+1 {{number of operands is 1: expected 2 or 3}}
  %y = "onnx.Custom"(%x) {domain_name = "pmx", function_name = "DequantizeLinear"} : (tensor<6x4xi8>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @dequantize_int4_zero_point_range(%x: tensor<2x4xi16>, %s: tensor<f32>) -> tensor<8x4xf32> {
  %z = "onnx.Constant"() {value = dense<16> : tensor<i8>} : () -> tensor<i8>
  // expected-error@+1 {{zero point element 0 is 16, outside of the storage type 'ui4', which holds 0 to 15}}
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "pmx", function_name = "DequantizeLinear", has_zeropoint = 1 : si64} : (tensor<2x4xi16>, tensor<f32>, tensor<i8>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
