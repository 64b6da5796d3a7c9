// RUN: quant-opt %s --qdq-lint=details=true --split-input-file --verify-diagnostics | FileCheck %s
// RUN: quant-opt %s --qdq-lint --split-input-file 2>&1 | FileCheck %s --check-prefix=SUMMARY

// One remark for a kind of op and of hazard, at the first op.
// SUMMARY: remark: zero point of type 'ui16' is converted to the compute type 'f16', which holds integers up to 2048 (and 1 more remark of this kind: details=true)
// SUMMARY-NOT: zero point element 0 is 2049
// SUMMARY: remark: zero point of type 'i32' is converted to the compute type 'f32', which holds integers up to 16777216 (and 1 more

// 2049 needs 12 bits; f16 has 11. 2048 fits.
// CHECK-LABEL: func @zero_point_in_f16
func.func @zero_point_in_f16(%x: tensor<4xf16>, %q: tensor<4xui16>, %s: f16, %z: ui16) {
  // expected-remark @+1 {{zero point of type 'ui16' is converted to the compute type 'f16', which holds integers up to 2048}}
  %a = qdq.quantize %x scale %s zero_point %z semantics <order = add-then-round> : (tensor<4xf16>, f16, ui16) -> tensor<4xui16>
  %large_bits = arith.constant dense<2049> : tensor<i16>
  %large = tensor.bitcast %large_bits : tensor<i16> to tensor<ui16>
  // expected-remark @+1 {{zero point element 0 is 2049, which is not a value of the compute type 'f16'}}
  %b = qdq.quantize %x scale %s zero_point %large semantics <order = add-then-round> : (tensor<4xf16>, f16, tensor<ui16>) -> tensor<4xui16>
  %even_bits = arith.constant dense<2048> : tensor<i16>
  %even = tensor.bitcast %even_bits : tensor<i16> to tensor<ui16>
  %c = qdq.quantize %x scale %s zero_point %even semantics <order = add-then-round> : (tensor<4xf16>, f16, tensor<ui16>) -> tensor<4xui16>
  // An integer sum loses nothing.
  %d = qdq.quantize %x scale %s zero_point %z : (tensor<4xf16>, f16, ui16) -> tensor<4xui16>
  return
}

// CHECK-LABEL: func @zero_point_in_f32
func.func @zero_point_in_f32(%q: tensor<4xi8>, %s: f32, %z: i32) {
  // expected-remark @+1 {{zero point of type 'i32' is converted to the compute type 'f32', which holds integers up to 16777216}}
  %a = qdq.dequantize %q scale %s zero_point %z semantics <subtract = float> : (tensor<4xi8>, f32, i32) -> tensor<4xf32>
  // expected-remark @+1 {{the difference of code and zero point wraps modulo 2^32}}
  %b = qdq.dequantize %q scale %s zero_point %z semantics <subtract = wrap32> : (tensor<4xi8>, f32, i32) -> tensor<4xf32>
  return
}

// The difference is made in the type of the result.
// CHECK-LABEL: func @subtract_in_result_type
func.func @subtract_in_result_type(%q: tensor<4xi8>, %w: tensor<4xi16>, %s: f32, %z: i16) {
  // expected-remark @+1 {{zero point of type 'i16' is converted to the result type 'f16', which holds integers up to 2048}}
  %a = qdq.dequantize %q scale %s zero_point %z semantics <subtract = output> : (tensor<4xi8>, f32, i16) -> tensor<4xf16>
  // expected-remark @+1 {{codes of type 'i16' are rounded to the result type 'bf16', which holds integers up to 256}}
  %b = qdq.dequantize %w scale %s semantics <subtract = output> : (tensor<4xi16>, f32) -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func @rounded_operands
func.func @rounded_operands(%x: tensor<4xf32>, %i: tensor<4xi32>, %h: f16, %s: f32) {
  // expected-remark @+1 {{input of type 'f32' is rounded to the compute type 'f16' before it is divided}}
  %a = qdq.quantize %x scale %h : (tensor<4xf32>, f16) -> tensor<4xi8>
  // expected-remark @+1 {{input of type 'i32' is rounded to the compute type 'f32', which holds integers up to 16777216}}
  %b = qdq.quantize %i scale %s : (tensor<4xi32>, f32) -> tensor<4xi8>
  // expected-remark @+1 {{codes of type 'i32' are rounded to the compute type 'f32', which holds integers up to 16777216}}
  %c = qdq.dequantize %i scale %s : (tensor<4xi32>, f32) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func @out_of_range
func.func @out_of_range(%x: tensor<4xf32>, %s: f32, %seed: i64) {
  // expected-remark @+1 {{codes outside of the storage type are undefined, and may be poison}}
  %a = qdq.quantize %x scale %s semantics <overflow = undefined> : (tensor<4xf32>, f32) -> tensor<4xi8>
  // expected-remark @+1 {{values outside of the storage type wrap around}}
  %b = qdq.quantize %x scale %s semantics <overflow = wrap> : (tensor<4xf32>, f32) -> tensor<4xi8>
  // expected-remark @+1 {{rounds stochastically without a seed: every such op draws the same numbers}}
  %c = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<4xf32>, f32) -> tensor<4xi8>
  %d = qdq.quantize %x scale %s semantics <rounding = stochastic> seed %seed : (tensor<4xf32>, f32, i64) -> tensor<4xi8>
  return
}

// 1e-9 is below half of the smallest f16; 1 / 2^-140 is above the largest f32. Every system gets infinities and NaN then.
// CHECK-LABEL: func @scales
func.func @scales(%x: tensor<4xf32>) {
  %s = arith.constant dense<[1.0, 1.0e-9]> : tensor<2xf32>
  %v = tensor.empty() : tensor<2xf16>
  // expected-remark @+2 {{scale element 1 is 9.99999971E-10, and in the compute type 'f16' 0}}
  // expected-remark @+1 {{other results under the profiles}}
  %a = qdq.quantize %v scale %s axis 0 semantics <compute = f16> : (tensor<2xf16>, tensor<2xf32>) -> tensor<2xi8>
  %t = arith.constant 0x00000200 : f32
  // expected-remark @+2 {{scale element 0 is 7.17464813E-43, whose reciprocal in the compute type 'f32' is +Inf}}
  // expected-remark @+1 {{other results under the profiles}}
  %b = qdq.quantize %x scale %t semantics <division = reciprocal> : (tensor<4xf32>, f32) -> tensor<4xi8>
  return
}

// -----

// 127.5 is a tie, and rounds to 128.
// CHECK-LABEL: func @saturating_constant
func.func @saturating_constant() {
  %x = arith.constant dense<[1.0, 127.4, 127.5, -128.5, -129.0, 0x7fc00000]> : tensor<6xf32>
  %s = arith.constant 1.0 : f32
  // expected-remark @+3 {{2 of 6 constant values are outside of the codes -128 to 127, first element 2}}
  // expected-remark @+2 {{1 of 6 constant values are NaN, first element 5}}
  // expected-remark @+1 {{other results under the profiles}}
  %a = qdq.quantize %x scale %s : (tensor<6xf32>, f32) -> tensor<6xi8>
  return
}

// One product that was rounded down is floored to the code below it.
// CHECK-LABEL: func @round_trip_changes_codes
func.func @round_trip_changes_codes(%q: tensor<4xi4>) -> tensor<4xi4> {
  %s = arith.constant 0.3 : f32
  %x = qdq.dequantize %q scale %s semantics <rounding = floor, order = round-then-add, division = reciprocal, compute = f32, subtract = wide,
    overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate> : (tensor<4xi4>, f32) -> tensor<4xf32>
  // expected-remark @+2 {{1 of 16 codes change in this dequantize and quantize with equal parameters}}
  // expected-remark @+1 {{other results under the profiles}}
  %p = qdq.quantize %x scale %s semantics <rounding = floor, order = round-then-add, division = reciprocal, compute = f32, subtract = wide,
    overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate> : (tensor<4xf32>, f32) -> tensor<4xi4>
  return %p : tensor<4xi4>
}

// 255 * 300 is beyond 65504.
// CHECK-LABEL: func @infinite_code
func.func @infinite_code(%q: tensor<4xui8>) -> tensor<4xf16> {
  %s = arith.constant 300.0 : f16
  // expected-remark @+1 {{code 255 becomes infinite in 'f16' with scale element 0, 300}}
  %x = qdq.dequantize %q scale %s : (tensor<4xui8>, f16) -> tensor<4xf16>
  return %x : tensor<4xf16>
}

// -----

// Ties: -127.5 to even is -128, toward zero and away from it are others.
// CHECK-LABEL: func @profiles_disagree
func.func @profiles_disagree(%x: tensor<8xf32>) {
  %s = arith.constant 2.500000e-01 : f32
  // expected-remark @+1 {{other results under the profiles mlir22, tflite: input -31.875 gives -127 under mlir22, and -128 here}}
  %q = qdq.quantize %x scale %s : (tensor<8xf32>, f32) -> tensor<8xi8>
  %z = arith.constant 1 : i8
  // Add, then round: 1/2 + 1 is a tie between 1 and 2, and rounds to 2; 1/2 rounds to 0, plus 1 is 1.
  // expected-remark @+1 {{other results under the profiles quant, mlir22, stablehlo, onednn, pmx, torch, tflite:}}
  %p = qdq.quantize %x scale %s zero_point %z : (tensor<8xf32>, f32, i8) -> tensor<8xi8>
  return
}

// These values have no tie between them.
// CHECK-LABEL: func @profiles_agree_on_this_input
func.func @profiles_agree_on_this_input() {
  %x = arith.constant dense<[0.25, -0.5, 3.0]> : tensor<3xf32>
  %s = arith.constant 2.500000e-01 : f32
  %q = qdq.quantize %x scale %s : (tensor<3xf32>, f32) -> tensor<3xi8>
  return
}

// Modulo 2^32, -2^31 - 1 is 2^31 - 1.
// CHECK-LABEL: func @profiles_of_dequantize
func.func @profiles_of_dequantize(%q: tensor<4xi32>) {
  %s = arith.constant 1.0 : f32
  %z = arith.constant 1 : i32
  // expected-remark @+2 {{codes of type 'i32' are rounded to the compute type 'f32'}}
  // expected-remark @+1 {{other results under the profiles ort, stablehlo, torch: code -2147483648 gives 2.14748365E+9 under ort, and -2.14748365E+9 here}}
  %x = qdq.dequantize %q scale %s zero_point %z : (tensor<4xi32>, f32, i32) -> tensor<4xf32>
  return
}

// -----

// Constants that a verifier would have to look up.
// CHECK-LABEL: func @impossible_constants
func.func @impossible_constants(%x: tensor<2xf32>, %q: tensor<2xi8>, %scales: tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-remark @+1 {{scale element 0 is 0, and in the compute type 'f32' 0}}
  %a = qdq.quantize %x scale %zero : (tensor<2xf32>, f32) -> tensor<2xi8>
  %nan = arith.constant 0x7fc00000 : f32
  // expected-remark @+1 {{scale element 0 is NaN, and in the compute type 'f32' NaN}}
  %b = qdq.quantize %x scale %nan : (tensor<2xf32>, f32) -> tensor<2xi8>
  %negative = arith.constant dense<[1.0, -2.5]> : tensor<2xf32>
  // expected-remark @+2 {{scale element 1 is -2.5: expected a positive value}}
  // expected-remark @+1 {{other results under the profiles}}
  %c = qdq.quantize %x scale %negative axis 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi8>
  %z = arith.constant dense<[127, 128]> : tensor<2xi32>
  // expected-remark @+1 {{zero point element 1 is 128, outside of the storage type 'i8', which holds -128 to 127}}
  %d = qdq.quantize %x scale %scales zero_point %z axis 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) -> tensor<2xi8>
  %signed = arith.constant -1 : i8
  // expected-remark @+1 {{zero point element 0 is -1, outside of the storage type 'ui8', which holds 0 to 255}}
  %e = qdq.quantize %x scale %scales zero_point %signed axis 0 : (tensor<2xf32>, tensor<2xf32>, i8) -> tensor<2xui8>
  // No code of i8 in expressed units, and none is meant.
  %bias = arith.constant 300.0 : f32
  %f = qdq.dequantize %q scale %scales zero_point %bias in <expressed> axis 0 : (tensor<2xi8>, tensor<2xf32>, f32) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @gptq_versions
func.func @gptq_versions(%c: tensor<4x8xi32>, %z: tensor<1x1xi32>, %s: tensor<1x8xf16>) {
  %q = qdq.unpack %c packing <gptq-v2> : (tensor<4x8xi32>) -> tensor<32x8xui4>
  %zeros = qdq.unpack %z packing <gptq-v1, part = zero-point> : (tensor<1x1xi32>) -> tensor<1x8xui4>
  %cast = tensor.cast %zeros : tensor<1x8xui4> to tensor<?x8xui4>
  // expected-remark @+1 {{codes are packed as 'gptq-v2', but zero points as 'gptq-v1': expected one version}}
  %x = qdq.dequantize %q scale %s zero_point %cast block_shape [32, 1]
     : (tensor<32x8xui4>, tensor<1x8xf16>, tensor<?x8xui4>) -> tensor<32x8xf16>
  return
}

// -----

// CHECK-LABEL: func @draws_in_a_loop
func.func @draws_in_a_loop(%x: vector<4xf32>, %t: tensor<4xf32>, %s: f32, %seed: i64, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    // expected-remark @+1 {{rounds stochastically in a loop without a position: every iteration draws the same numbers}}
    %a = qdq.quantize %x scale %s semantics <rounding = stochastic> seed %seed : (vector<4xf32>, f32, i64) -> vector<4xi8>
    %b = qdq.quantize %x scale %s semantics <rounding = stochastic> seed %seed at [%i] of [%n]
      : (vector<4xf32>, f32, i64, index, index) -> vector<4xi8>
    %c = qdq.quantize %t scale %s semantics <rounding = stochastic> seed %seed : (tensor<4xf32>, f32, i64) -> tensor<4xi8>
  }
  return
}

// -----

// -32768 * 3 is beyond -65504.
func.func @infinite_code_of_16_bits(%q: tensor<4xi16>) -> tensor<4xf16> {
  %s = arith.constant 3.0 : f16
  // expected-remark @+1 {{code -32768 becomes infinite in 'f16' with scale element 0, 3}}
  %x = qdq.dequantize %q scale %s : (tensor<4xi16>, f16) -> tensor<4xf16>
  return %x : tensor<4xf16>
}

// -----

// Ties move with the zero point. -132.5 rounds to -132, plus 5 is -127; the sum -127.5 rounds to -128.
func.func @profiles_disagree_beside_zero_point(%x: tensor<8xf32>) {
  %s = arith.constant 2.500000e-01 : f32
  %z = arith.constant 5 : i8
  // expected-remark @+1 {{input -33.125 gives -128 under quant, and -127 here}}
  %q = qdq.quantize %x scale %s zero_point %z : (tensor<8xf32>, f32, i8) -> tensor<8xi8>
  return
}

// -----

// Codes of 64 bits are looked at around the zero point.
func.func @long_codes(%q: tensor<4xi64>) -> tensor<4xf32> {
  %s = arith.constant 0.5 : f32
  // expected-remark@+1 {{codes of type 'i64' are rounded to the compute type 'f32', which holds integers up to 16777216}}
  %x = qdq.dequantize %q scale %s : (tensor<4xi64>, f32) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
