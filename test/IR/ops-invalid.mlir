// RUN: quant-opt %s -split-input-file -verify-diagnostics

func.func @axis_out_of_range(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{'qdq.quantize' op axis 2 is out of range for rank 2: expected -2 to 1}}
  %q = qdq.quantize %x scale %s axis 2 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @axis_size(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{scale has size 4 in dimension 0: expected 8, the size of dimension 1 of 'tensor<4x8xf32>'}}
  %q = qdq.quantize %x scale %s axis 1 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @block_count(%x: tensor<4x100xf32>, %s: tensor<4x3xf32>) {
  // expected-error @+1 {{scale has size 3 in dimension 1: expected 4, ceil(100 / 32) blocks of 'tensor<4x100xf32>'}}
  %q = qdq.quantize %x scale %s block_shape [1, 32] : (tensor<4x100xf32>, tensor<4x3xf32>) -> tensor<4x100xi8>
  return
}

// -----

func.func @whole_dimension(%x: tensor<4x100xf32>, %s: tensor<4x3xf32>) {
  // expected-error @+1 {{expected 1, one for the whole of dimension 1}}
  %q = qdq.quantize %x scale %s block_shape [1, 0] : (tensor<4x100xf32>, tensor<4x3xf32>) -> tensor<4x100xi8>
  return
}

// -----

func.func @block_rank(%x: tensor<4x100xf32>, %s: tensor<4x4xf32>) {
  // expected-error @+1 {{block_shape has 1 entries for rank 2}}
  %q = qdq.quantize %x scale %s block_shape [32] : (tensor<4x100xf32>, tensor<4x4xf32>) -> tensor<4x100xi8>
  return
}

// -----

func.func @negative_block(%x: tensor<4x100xf32>, %s: tensor<4x4xf32>) {
  // expected-error @+1 {{block_shape[1] is -32}}
  %q = qdq.quantize %x scale %s block_shape [1, -32] : (tensor<4x100xf32>, tensor<4x4xf32>) -> tensor<4x100xi8>
  return
}

// -----

func.func @block_on_unranked(%x: tensor<*xf32>, %s: tensor<4x4xf32>) {
  // expected-error @+1 {{'block_shape' needs a ranked input}}
  %q = qdq.quantize %x scale %s block_shape [1, 32] : (tensor<*xf32>, tensor<4x4xf32>) -> tensor<*xi8>
  return
}

// -----

func.func @axis_and_block(%x: tensor<4x100xf32>, %s: tensor<4x4xf32>) {
  // expected-error @+1 {{has both 'axis' and 'block_shape'}}
  %q = qdq.quantize %x scale %s axis 0 block_shape [1, 32] : (tensor<4x100xf32>, tensor<4x4xf32>) -> tensor<4x100xi8>
  return
}

// -----

func.func @unplaced_scale(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{scale has rank 1: expected one element (rank 0), or 'axis' or 'block_shape' to place it}}
  %q = qdq.quantize %x scale %s : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @scalar_scale_with_axis(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{scale has one element, but 'axis' is given}}
  %q = qdq.quantize %x scale %s axis 1 : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  return
}

// -----

func.func @vector_scale_on_tensor(%x: tensor<4x8xf32>, %s: vector<8xf32>) {
  // expected-error @+1 {{does not go with an input of type 'tensor<4x8xf32>'}}
  %q = qdq.quantize %x scale %s axis 1 : (tensor<4x8xf32>, vector<8xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @integer_scale(%x: tensor<4x8xf32>, %s: i32) {
  // expected-error @+1 {{operand #1 must be a scale: scalar, vector or tensor without encoding of f16, bf16, f32, f64 or an 8-bit float, but got 'i32'}}
  %q = qdq.quantize %x scale %s : (tensor<4x8xf32>, i32) -> tensor<4x8xi8>
  return
}

// -----

func.func @storage_type(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{result #0 must be a code: scalar, vector or tensor without encoding of an integer of 1 to 32 bits, an f8, f6 or f4 type, f16 or bf16, but got 'tensor<4x8xi64>'}}
  %q = qdq.quantize %x scale %s : (tensor<4x8xf32>, f32) -> tensor<4x8xi64>
  return
}

// -----

func.func @expressed_type(%x: tensor<4x8xi8>, %s: f32) {
  // expected-error @+1 {{result #0 must be a real value: scalar, vector or tensor without encoding of f16, bf16, f32 or f64, but got 'tensor<4x8xtf32>'}}
  %q = qdq.dequantize %x scale %s : (tensor<4x8xi8>, f32) -> tensor<4x8xtf32>
  return
}

// -----

func.func @shapes(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{input 'tensor<4x8xf32>' and result 'tensor<4x9xi8>' differ in shape}}
  %q = qdq.quantize %x scale %s : (tensor<4x8xf32>, f32) -> tensor<4x9xi8>
  return
}

// -----

func.func @containers(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{differ in shape}}
  %q = qdq.quantize %x scale %s : (tensor<4x8xf32>, f32) -> vector<4x8xi8>
  return
}

// -----

func.func @memref(%x: memref<4x8xf32>, %s: f32) {
  // expected-error @+1 {{operand #0 must be a real value: scalar, vector or tensor without encoding of f16, bf16, f32, f64 or an integer of 1 to 32 bits, but got 'memref<4x8xf32>'}}
  %q = qdq.quantize %x scale %s : (memref<4x8xf32>, f32) -> memref<4x8xi8>
  return
}

// -----

func.func @clamp(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{clamp [-129, 127] is not a range within 'i8', which holds -128 to 127}}
  %q = qdq.quantize %x scale %s clamp [-129, 127] : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  return
}

// -----

func.func @clamp_reversed(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{clamp [5, 3] is not a range within 'i8', which holds -128 to 127}}
  %q = qdq.quantize %x scale %s clamp [5, 3] : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  return
}

// -----

func.func @clamp_of_chosen(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{clamp [0, 256] is not a range within 'ui8', which holds 0 to 255}}
  %a, %b = qdq.choose_params %x clamp [0, 256] : (tensor<4x8xf32>) -> (tensor<f32>, tensor<ui8>)
  return
}

// -----

func.func @clamp_length(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{clamp has 1 entries: expected [lowest, highest]}}
  %q = qdq.quantize %x scale %s clamp [1] : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  return
}

// -----

func.func @clamp_on_float(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{'clamp' needs integer storage}}
  %q = qdq.quantize %x scale %s clamp [1, 2] : (tensor<4x8xf32>, f32) -> tensor<4x8xf8E4M3FN>
  return
}

// -----

func.func @domain_without_zero_point(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{has 'zero_point_domain' but no zero point}}
  %q = qdq.quantize %x scale %s {zero_point_domain = #qdq.zero_point_domain<expressed>} : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  return
}

// -----

func.func @integer_bias(%x: tensor<4x8xf32>, %s: f32, %z: i8) {
  // expected-error @+1 {{a zero point in the expressed domain is a float}}
  %q = qdq.quantize %x scale %s zero_point %z in <expressed> : (tensor<4x8xf32>, f32, i8) -> tensor<4x8xi8>
  return
}

// -----

func.func @zero_point_shape(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %z: tensor<4xi8>) {
  // expected-error @+1 {{zero point has size 4 in dimension 0: expected 8}}
  %q = qdq.quantize %x scale %s zero_point %z axis 1 : (tensor<4x8xf32>, tensor<8xf32>, tensor<4xi8>) -> tensor<4x8xi8>
  return
}

// -----

func.func @zero_point_type(%x: tensor<4x8xf32>, %s: f32, %z: i64) {
  // expected-error @+1 {{operand #2 must be a zero point: scalar, vector or tensor without encoding of an integer of 1 to 32 bits or a float, but got 'i64'}}
  %q = qdq.quantize %x scale %s zero_point %z : (tensor<4x8xf32>, f32, i64) -> tensor<4x8xi8>
  return
}

// -----

func.func @seed(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{has a 'seed', but its rounding is not stochastic}}
  %q = qdq.quantize %x scale %s semantics <rounding = floor> {seed = 1 : i64} : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  return
}

// -----

func.func @seed_twice(%x: tensor<4x8xf32>, %s: f32, %seed: i64) {
  // expected-error @+1 {{has a 'seed' as attribute and as operand; give one}}
  %q = qdq.quantize %x scale %s seed %seed {seed = 1 : i64} : (tensor<4x8xf32>, f32, i64) -> tensor<4x8xi8>
  return
}

// -----

func.func @runtime_seed_unused(%x: tensor<4x8xf32>, %s: f32, %seed: i64) {
  // expected-error @+1 {{has a 'seed', but its rounding is not stochastic}}
  %q = qdq.quantize %x scale %s semantics <rounding = floor> seed %seed : (tensor<4x8xf32>, f32, i64) -> tensor<4x8xi8>
  return
}

// -----

func.func @params_storage_twice(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has both a zero point and 'storage'}}
  %a, %b = qdq.choose_params %x mode <symmetric> storage i8 : (tensor<4x8xf32>) -> (tensor<f32>, tensor<i8>)
  return
}

// -----

func.func @params_no_storage(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has neither a zero point nor 'storage'}}
  %a = qdq.choose_params %x : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @params_asymmetric_float(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{float storage 'f8E5M2' has no zero point: expected 'mode <symmetric>' (Q10.1)}}
  %a = qdq.choose_params %x storage f8E5M2 : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @params_unsigned_without_zero_point(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{needs a zero point: only signed storage with 'mode <symmetric>' goes without}}
  %a = qdq.choose_params %x mode <symmetric> storage ui8 : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @params_e8m0(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has a scale of type f8E8M0FNU, which holds powers of two only: expected 'power_of_two'}}
  %a = qdq.choose_params %x mode <symmetric> storage i8 : (tensor<4x8xf32>) -> tensor<f8E8M0FNU>
  return
}

// -----

func.func @params_ort_power(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has 'mode <ort>', whose scale is no power of two and no type of 8 bits: expected 'mode <asymmetric>'}}
  %a, %b = qdq.choose_params %x mode <ort> power_of_two <rceil> : (tensor<4x8xf32>) -> (tensor<f32>, tensor<ui8>)
  return
}

// -----

func.func @params_asymmetric_power(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{power_of_two <floor> needs 'mode <symmetric>'; an asymmetric range can be rounded by <rceil> (Q10.3)}}
  %a, %b = qdq.choose_params %x power_of_two <floor> : (tensor<4x8xf32>) -> (tensor<f32>, tensor<ui8>)
  return
}

// -----

func.func @params_one_code(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{clamp leaves the one code 3: expected two or more}}
  %a, %b = qdq.choose_params %x clamp [3, 3] : (tensor<4x8xf32>) -> (tensor<f32>, tensor<ui8>)
  return
}

// -----

func.func @params_storage(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{result #1 must be a zero point: ranked tensor without encoding of an integer of 1 to 32 bits, but got 'tensor<f8E4M3FN>'}}
  %a, %b = qdq.choose_params %x : (tensor<4x8xf32>) -> (tensor<f32>, tensor<f8E4M3FN>)
  return
}

// -----

func.func @symmetric_clamp(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{symmetric range: the zero point 128 must be below the highest code, which is 100}}
  %a, %b = qdq.choose_params %x mode <symmetric> clamp [0, 100] : (tensor<4x8xf32>) -> (tensor<f32>, tensor<ui8>)
  return
}

// -----

#encoded = #qdq.zero_point_domain<stored>
func.func @encoding(%x: tensor<8xf32, #encoded>, %s: f32) {
  // expected-error @+1 {{operand #0 must be a real value: scalar, vector or tensor without encoding}}
  %q = qdq.quantize %x scale %s : (tensor<8xf32, #encoded>, f32) -> tensor<8xi8>
  return
}

// -----

func.func @scalable(%x: vector<[4]xf32>, %s: f32) {
  // expected-error @+1 {{differ in shape}}
  %q = qdq.quantize %x scale %s : (vector<[4]xf32>, f32) -> vector<4xi8>
  return
}

// -----

func.func @scalable_scale(%x: vector<4xf32>, %s: vector<[4]xf32>) {
  // expected-error @+1 {{but the input has the fixed length of}}
  %q = qdq.quantize %x scale %s axis 0 : (vector<4xf32>, vector<[4]xf32>) -> vector<4xi8>
  return
}

// -----

// expected-error @+1 {{'nearest' is not a value of 'rounding': expected one of nearest-even, nearest-away,}}
#a = #qdq.semantics<rounding = nearest>

// -----

// expected-error @+1 {{'round' is not a field of #qdq.semantics: expected one of rounding, order,}}
#a = #qdq.semantics<round = floor>

// -----

// expected-error @+1 {{'roundings' is not a field of #qdq.semantics: expected one of rounding, order, division, compute, subtract, overflow, nan, fusion, float_overflow; did you mean 'rounding'?}}
#a = #qdq.semantics<roundings = floor>

// -----

// expected-error @+1 {{expected '='}}
#a = #qdq.semantics<rounding floor>

// -----

// expected-error @+1 {{expected valid keyword or string}}
#a = #qdq.semantics<rounding = 1>

// -----

// expected-error @+1 {{field 'order' is given twice}}
#a = #qdq.semantics<order = add-then-round, order = add-then-round>

// -----

func.func @position_count(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{has 2 offsets in a whole of 1 dimensions}}
  %q = qdq.quantize %x scale %s at [0, 0] of [32] : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  return
}

// -----

func.func @position_rank(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{is in a whole of 1 dimensions: expected at least the 2 of 'tensor<4x8xf32>'}}
  %q = qdq.quantize %x scale %s at [0] of [32] : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  return
}

// -----

func.func @position_on_unranked(%x: tensor<*xf32>, %s: f32) {
  // expected-error @+1 {{has a position, which needs a ranked input}}
  %q = qdq.quantize %x scale %s at [0] of [32] : (tensor<*xf32>, f32) -> tensor<*xi8>
  return
}

// -----

func.func @position_beyond(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error @+1 {{has 8 elements from 9 on in dimension 1 of a whole of 16}}
  %q = qdq.quantize %x scale %s at [0, 9] of [4, 16] : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  return
}

// -----

func.func @position_beyond_64_bits(%x: tensor<4xf32>, %s: f32) {
  // expected-error @+1 {{has 4 elements from 9223372036854775807 on in dimension 0 of a whole of 4}}
  %q = qdq.quantize %x scale %s at [9223372036854775807] of [4] : (tensor<4xf32>, f32) -> tensor<4xi8>
  return
}

// -----

func.func @position_negative(%x: tensor<4xf32>, %s: f32) {
  // expected-error @+1 {{has offset -1 in dimension 0}}
  %q = qdq.quantize %x scale %s at [-1] of [4] : (tensor<4xf32>, f32) -> tensor<4xi8>
  return
}

// -----

func.func @position_half(%x: tensor<4xf32>, %s: f32) {
  // expected-error @+1 {{has one of 'static_offsets' and 'static_whole_sizes': expected both or none}}
  %q = qdq.quantize %x scale %s {static_offsets = array<i64: 0>} : (tensor<4xf32>, f32) -> tensor<4xi8>
  return
}

// -----

func.func @position_operands(%x: tensor<4xf32>, %s: f32, %i: index) {
  // expected-error @+1 {{has 1 operands for 0 dynamic offsets}}
  %q = "qdq.quantize"(%x, %s, %i) {static_offsets = array<i64: 0>, static_whole_sizes = array<i64: 4>,
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 1, 0>} : (tensor<4xf32>, f32, index) -> tensor<4xi8>
  return
}

// -----

func.func @block_shape_negative(%x: tensor<4x8xf32>, %s: tensor<4x1xf32>) {
  // expected-error @+1 {{block_shape[1] is -8: expected a block length, or 0 for the whole dimension}}
  %q = qdq.quantize %x scale %s block_shape [1, -8] : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xi8>
  return
}
