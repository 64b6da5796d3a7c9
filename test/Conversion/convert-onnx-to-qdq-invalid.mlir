// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file --verify-diagnostics

func.func @quantize_tensor_4_one_operand(%x: tensor<4xf32>) -> tensor<4xui8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op number of operands is 1: expected 2 or 3}}
  %y = "onnx.QuantizeLinear"(%x) : (tensor<4xf32>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

func.func @dequantize_tensor_4_four_operands(%x: tensor<4xi8>, %s: tensor<f32>, %z: tensor<i8>, %w: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op number of operands is 4: expected 2 or 3}}
  %y = "onnx.DequantizeLinear"(%x, %s, %z, %w) : (tensor<4xi8>, tensor<f32>, tensor<i8>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @quantize_tensor_4_no_scale(%x: tensor<4xf32>, %s: none) -> tensor<4xui8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op has no scale, which is operand 1}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, none) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

func.func @quantize_tensor_4_two_results(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xui8>, tensor<f32>) {
  // expected-error@+1 {{'onnx.QuantizeLinear' op number of results is 2: expected 1}}
  %y:2 = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xui8>, tensor<f32>)
  return %y#0, %y#1 : tensor<4xui8>, tensor<f32>
}

// -----

func.func @quantize_tensor_4_scalar_scale(%x: tensor<4xf32>, %s: f32) -> tensor<4xui8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op scale has type 'f32': expected a tensor}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, f32) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

func.func @dequantize_tensor_4_vector(%x: vector<4xi8>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op input has type 'vector<4xi8>': expected a tensor}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (vector<4xi8>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @quantize_tensor_4_result_none(%x: tensor<4xf32>, %s: tensor<f32>) -> none {
  // expected-error@+1 {{'onnx.QuantizeLinear' op result 0 has type 'none': expected a tensor}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> none
  return %y : none
}

// -----

func.func @quantize_tensor_4_input_type(%x: tensor<4xi8>, %s: tensor<f32>) -> tensor<4xui8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op input has element type 'i8': expected f16, bf16, f32 or i32}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xi8>, tensor<f32>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

func.func @quantize_tensor_4_unsigned_input(%x: tensor<4xui32>, %s: tensor<f32>) -> tensor<4xui8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op input has element type 'ui32': expected f16, bf16, f32 or i32}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xui32>, tensor<f32>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

func.func @quantize_tensor_4_result_type(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf16> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op result has element type 'f16': expected i2, i4, i8, i16, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

func.func @quantize_tensor_4_wide_result(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xi64> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op result has element type 'i64': expected i2, i4, i8, i16, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xi64>
  return %y : tensor<4xi64>
}

// -----

func.func @dequantize_tensor_4_input_type(%x: tensor<4xbf16>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op input has element type 'bf16': expected i2, i4, i8, i16, i32, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xbf16>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dequantize_tensor_4_result_type(%x: tensor<4xi8>, %s: tensor<f32>) -> tensor<4xi32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op result has element type 'i32': expected f16, bf16 or f32}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi8>, tensor<f32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @quantize_tensor_4_scale_type(%x: tensor<4xf32>, %s: tensor<i8>) -> tensor<4xui8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op scale has element type 'i8': expected f16, bf16, f32, f8E8M0FNU or i32}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<i8>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

func.func @dequantize_tensor_4_scale_type(%x: tensor<4xi8>, %s: tensor<f8E4M3FN>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has element type 'f8E4M3FN': expected f16, bf16, f32 or f8E8M0FNU}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi8>, tensor<f8E4M3FN>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dequantize_tensor_4_integer_scale(%x: tensor<4xi8>, %s: tensor<i32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has element type 'i32': expected f16, bf16, f32 or f8E8M0FNU}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi8>, tensor<i32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @quantize_tensor_4_zero_point_type(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4xui8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op zero point has element type 'i8': expected 'ui8', the quantized type}}
  %y = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

func.func @dequantize_tensor_4_zero_point_type(%x: tensor<4xi8>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op zero point has element type 'i32': expected 'i8', the quantized type}}
  %y = "onnx.DequantizeLinear"(%x, %s, %z) : (tensor<4xi8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dequantize_tensor_4_result_not_scale_type(%x: tensor<4xi8>, %s: tensor<f32>) -> tensor<4xf16> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op result has element type 'f16', but the scale has 'f32' and 'output_dtype' is absent: expected 'f32'}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi8>, tensor<f32>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

func.func @dequantize_tensor_4_output_dtype(%x: tensor<4xi8>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op output_dtype says 'f16', but the result has element type 'f32'}}
  %y = "onnx.DequantizeLinear"(%x, %s) {output_dtype = 10 : si64} : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @quantize_tensor_4_output_dtype(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op output_dtype says 'ui8', but the result has element type 'i8'}}
  %y = "onnx.QuantizeLinear"(%x, %s) {output_dtype = 2 : si64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @quantize_tensor_4_unknown_output_dtype(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op attribute 'output_dtype' is 8: expected the TensorProto.DataType of a real or quantized type, such as 1 (f32), 2 (ui8) or 3 (i8)}}
  %y = "onnx.QuantizeLinear"(%x, %s) {output_dtype = 8 : si64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @quantize_tensor_4_precision(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op precision says 'i8': expected 1 (f32), 10 (f16), 11 (f64) or 16 (bf16)}}
  %y = "onnx.QuantizeLinear"(%x, %s) {precision = 3 : si64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @quantize_axis_2x3_attribute_kind(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op attribute 'axis' is "1": expected an integer of 64 bits}}
  %y = "onnx.QuantizeLinear"(%x, %s) {axis = "1"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
  return %y : tensor<2x3xi8>
}

// -----

func.func @quantize_axis_2x3_attribute_width(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op attribute 'axis' is 18446744073709551615 : ui64: expected an integer of 64 bits}}
  %y = "onnx.QuantizeLinear"(%x, %s) {axis = 18446744073709551615 : ui64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
  return %y : tensor<2x3xi8>
}

// -----

func.func @dequantize_blocked_2x4_negative_block(%x: tensor<2x4xi8>, %s: tensor<2x2xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op block_size is -2: expected a block length, or 0}}
  %y = "onnx.DequantizeLinear"(%x, %s) {block_size = -2 : si64} : (tensor<2x4xi8>, tensor<2x2xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quantize_tensor_4_result_shape(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<5xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op input 'tensor<4xf32>' and result 'tensor<5xi8>' differ in shape}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<5xi8>
  return %y : tensor<5xi8>
}

// -----

func.func @quantize_axis_8_default_axis(%x: tensor<8xf32>, %s: tensor<8xf32>) -> tensor<8xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op axis 1 (where 'axis' is absent) is out of range for the input 'tensor<8xf32>': expected -1 to 0}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi8>
  return %y : tensor<8xi8>
}

// -----

func.func @dequantize_axis_2x3_axis(%x: tensor<2x3xi8>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op axis -3 is out of range for the input 'tensor<2x3xi8>': expected -2 to 1}}
  %y = "onnx.DequantizeLinear"(%x, %s) {axis = -3 : si64} : (tensor<2x3xi8>, tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @dequantize_axis_2x3_scale_size(%x: tensor<2x3xi8>, %s: tensor<2xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has 2 elements: expected 1, or 3, the size of dimension 1 of 'tensor<2x3xi8>'}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<2x3xi8>, tensor<2xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @dequantize_scalar_scale_vector(%x: tensor<i8>, %s: tensor<2xf32>) -> tensor<f32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op axis 0 is out of range for the input 'tensor<i8>': expected 0 to -1}}
  %y = "onnx.DequantizeLinear"(%x, %s) {axis = 0 : si64} : (tensor<i8>, tensor<2xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @dequantize_2x3x4_scale_rank(%x: tensor<2x3x4xi8>, %s: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has type 'tensor<3x4xf32>' with block_size = 0: expected a scalar, rank 1 with block_size = 0 (per axis), or rank 3 like the input (blocked)}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<2x3x4xi8>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

func.func @dequantize_2x3_axis_with_block(%x: tensor<2x3xi8>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has type 'tensor<3xf32>' with block_size = 2: expected a scalar, rank 1 with block_size = 0 (per axis), or rank 2 like the input (blocked)}}
  %y = "onnx.DequantizeLinear"(%x, %s) {block_size = 2 : si64} : (tensor<2x3xi8>, tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @dequantize_blocked_4x64_other_dimension(%x: tensor<4x64xi8>, %s: tensor<2x2xf32>) -> tensor<4x64xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has size 2 in dimension 0: expected 4 as in 'tensor<4x64xi8>', since blocks lie along axis 1 only}}
  %y = "onnx.DequantizeLinear"(%x, %s) {block_size = 32 : si64} : (tensor<4x64xi8>, tensor<2x2xf32>) -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

// -----

func.func @dequantize_blocked_4x64_count(%x: tensor<4x64xi8>, %s: tensor<4x3xf32>) -> tensor<4x64xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has size 3 in dimension 1: expected 2, the number of blocks of 32 in 64}}
  %y = "onnx.DequantizeLinear"(%x, %s) {block_size = 32 : si64} : (tensor<4x64xi8>, tensor<4x3xf32>) -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

// -----

func.func @dequantize_blocked_8_single_block(%x: tensor<8xi8>, %s: tensor<1xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has size 1 in dimension 0: expected 4, the number of blocks of 2 in 8}}
  %y = "onnx.DequantizeLinear"(%x, %s) {axis = 0 : si64, block_size = 2 : si64} : (tensor<8xi8>, tensor<1xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @dequantize_blocked_4x64_ambiguous(%x: tensor<4x64xi8>, %s: tensor<4x2xf32>) -> tensor<4x64xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op has a blocked scale without 'block_size', and every block size from 32 to 63 makes 2 blocks of 64 elements (dimension 1): expected 'block_size'}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4x64xi8>, tensor<4x2xf32>) -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

// -----

func.func @dequantize_blocked_2x7_impossible(%x: tensor<2x7xi8>, %s: tensor<2x5xf32>) -> tensor<2x7xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has size 5 in dimension 1, where the input has 7: no block size makes that many blocks}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<2x7xi8>, tensor<2x5xf32>) -> tensor<2x7xf32>
  return %y : tensor<2x7xf32>
}

// -----

func.func @dequantize_blocked_2x7_empty(%x: tensor<2x7xi8>, %s: tensor<2x0xf32>) -> tensor<2x7xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has size 0 in dimension 1, where the input has 7: no block size makes that many blocks}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<2x7xi8>, tensor<2x0xf32>) -> tensor<2x7xf32>
  return %y : tensor<2x7xf32>
}

// -----

func.func @dequantize_blocked_dynamic_inferred(%x: tensor<2x?xi8>, %s: tensor<2x2xf32>) -> tensor<2x?xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op has a blocked scale without 'block_size', and dimension 1 of the input or the scale is dynamic: expected 'block_size'}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<2x?xi8>, tensor<2x2xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// -----

func.func @dequantize_blocked_unranked(%x: tensor<*xi8>, %s: tensor<2x2xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op has a blocked scale, 'tensor<2x2xf32>', which needs a ranked input, not 'tensor<*xi8>'}}
  %y = "onnx.DequantizeLinear"(%x, %s) {block_size = 2 : si64} : (tensor<*xi8>, tensor<2x2xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @dequantize_4_unranked_scale(%x: tensor<4xi8>, %s: tensor<*xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op scale has type 'tensor<*xf32>': expected a ranked tensor, since its rank decides the granularity}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi8>, tensor<*xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @quantize_axis_2x3_zero_point_shape(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %z: tensor<i8>) -> tensor<2x3xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op zero point has type 'tensor<i8>': expected the shape of the scale, 'tensor<3xf32>'}}
  %y = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<2x3xf32>, tensor<3xf32>, tensor<i8>) -> tensor<2x3xi8>
  return %y : tensor<2x3xi8>
}

// -----

func.func @quantize_tensor_2x3_zero_point_shape(%x: tensor<2x3xf32>, %s: tensor<f32>, %z: tensor<3xi8>) -> tensor<2x3xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op zero point has type 'tensor<3xi8>': expected the shape of the scale, 'tensor<f32>'}}
  %y = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<2x3xf32>, tensor<f32>, tensor<3xi8>) -> tensor<2x3xi8>
  return %y : tensor<2x3xi8>
}

// -----

func.func @quantize_blocked_2x4_zero_point_shape(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>, %z: tensor<2x1xi8>) -> tensor<2x4xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op zero point has type 'tensor<2x1xi8>': expected the shape of the scale, 'tensor<2x2xf32>'}}
  %y = "onnx.QuantizeLinear"(%x, %s, %z) {block_size = 2 : si64} : (tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x1xi8>) -> tensor<2x4xi8>
  return %y : tensor<2x4xi8>
}

// -----

func.func @dynamic_quantize_tensor_4_half(%x: tensor<4xf16>) -> (tensor<4xui8>, tensor<f32>, tensor<ui8>) {
  // expected-error@+1 {{'onnx.DynamicQuantizeLinear' op input has type 'tensor<4xf16>': expected a tensor of f32}}
  %y:3 = "onnx.DynamicQuantizeLinear"(%x) : (tensor<4xf16>) -> (tensor<4xui8>, tensor<f32>, tensor<ui8>)
  return %y#0, %y#1, %y#2 : tensor<4xui8>, tensor<f32>, tensor<ui8>
}

// -----

// No opset has f64.
func.func @quantize_tensor_4_f64(%x: tensor<4xf64>, %s: tensor<f64>) -> tensor<4xi8> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op input has element type 'f64': expected f16, bf16, f32 or i32}}
  %q = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf64>, tensor<f64>) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// -----

func.func @dynamic_quantize_tensor_4_signed(%x: tensor<4xf32>) -> (tensor<4xi8>, tensor<f32>, tensor<i8>) {
  // expected-error@+1 {{'onnx.DynamicQuantizeLinear' op result 0 has type 'tensor<4xi8>': expected 'tensor<4xui8>'}}
  %y:3 = "onnx.DynamicQuantizeLinear"(%x) : (tensor<4xf32>) -> (tensor<4xi8>, tensor<f32>, tensor<i8>)
  return %y#0, %y#1, %y#2 : tensor<4xi8>, tensor<f32>, tensor<i8>
}

// -----

func.func @dynamic_quantize_tensor_4_zero_point_shape(%x: tensor<4xf32>) -> (tensor<4xui8>, tensor<f32>, tensor<4xui8>) {
  // expected-error@+1 {{'onnx.DynamicQuantizeLinear' op result 2 has type 'tensor<4xui8>': expected 'tensor<ui8>'}}
  %y:3 = "onnx.DynamicQuantizeLinear"(%x) : (tensor<4xf32>) -> (tensor<4xui8>, tensor<f32>, tensor<4xui8>)
  return %y#0, %y#1, %y#2 : tensor<4xui8>, tensor<f32>, tensor<4xui8>
}

// -----

func.func @dynamic_quantize_tensor_4_one_result(%x: tensor<4xf32>) -> tensor<4xui8> {
  // expected-error@+1 {{'onnx.DynamicQuantizeLinear' op number of results is 1: expected 3}}
  %y = "onnx.DynamicQuantizeLinear"(%x) : (tensor<4xf32>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

func.func @dynamic_quantize_tensor_4_two_operands(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xui8>, tensor<f32>, tensor<ui8>) {
  // expected-error@+1 {{'onnx.DynamicQuantizeLinear' op number of operands is 2: expected 1}}
  %y:3 = "onnx.DynamicQuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xui8>, tensor<f32>, tensor<ui8>)
  return %y#0, %y#1, %y#2 : tensor<4xui8>, tensor<f32>, tensor<ui8>
}

// -----

func.func @quantize_no_opset_has_i7(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xi7> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op result has element type 'i7': expected i2, i4, i8, i16, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xi7>
  return %y : tensor<4xi7>
}

// -----

func.func @quantize_no_opset_has_i32(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xi32> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op result has element type 'i32': expected i2, i4, i8, i16, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @quantize_no_opset_has_ui3(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xui3> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op result has element type 'ui3': expected i2, i4, i8, i16, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xui3>
  return %y : tensor<4xui3>
}

// -----

func.func @quantize_no_opset_has_i1(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xi1> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op result has element type 'i1': expected i2, i4, i8, i16, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  return %y : tensor<4xi1>
}

// -----

func.func @quantize_no_opset_has_f8e4m3(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf8E4M3> {
  // expected-error@+1 {{'onnx.QuantizeLinear' op result has element type 'f8E4M3': expected i2, i4, i8, i16, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E4M3>
  return %y : tensor<4xf8E4M3>
}

// -----

func.func @dequantize_no_opset_has_i31(%x: tensor<4xi31>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op input has element type 'i31': expected i2, i4, i8, i16, i32, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi31>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dequantize_no_opset_has_i5(%x: tensor<4xi5>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op input has element type 'i5': expected i2, i4, i8, i16, i32, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi5>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dequantize_no_opset_has_ui32(%x: tensor<4xui32>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op input has element type 'ui32': expected i2, i4, i8, i16, i32, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xui32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dequantize_no_opset_has_f8e3m4(%x: tensor<4xf8E3M4>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.DequantizeLinear' op input has element type 'f8E3M4': expected i2, i4, i8, i16, i32, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN}}
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xf8E3M4>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
