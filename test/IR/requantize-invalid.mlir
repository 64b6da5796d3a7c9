// RUN: quant-opt %s -split-input-file -verify-diagnostics

func.func @two_multipliers(%a: tensor<4xi32>, %m: f32) {
  // expected-error @+1 {{has 2 multipliers: 'rescale <f32>' takes one, or three (the scales of both factors, the scale of the result)}}
  %q = qdq.requantize %a rescale <f32> multiplier %m, %m : (tensor<4xi32>, f32, f32) -> tensor<4xi8>
  return
}

// -----

func.func @one_multiplier(%a: tensor<4xi32>, %m: f32) {
  // expected-error @+1 {{has 1 multipliers: 'rescale <qdq>' takes two (the scale of the input, the scale of the result)}}
  %q = qdq.requantize %a rescale <qdq> multiplier %m : (tensor<4xi32>, f32) -> tensor<4xi8>
  return
}

// -----

func.func @integer_for_float(%a: tensor<4xi32>, %m: i32) {
  // expected-error @+1 {{multiplier has element type 'i32': 'rescale <f32>' takes floats}}
  %q = qdq.requantize %a rescale <f32> multiplier %m : (tensor<4xi32>, i32) -> tensor<4xi8>
  return
}

// -----

func.func @float_for_integer(%a: tensor<4xi32>, %m: f32, %t: i8) {
  // expected-error @+1 {{multiplier has element type 'f32': 'rescale <exact>' takes an integer}}
  %q = qdq.requantize %a rescale <exact> multiplier %m shift %t : (tensor<4xi32>, f32, i8) -> tensor<4xi8>
  return
}

// -----

func.func @double_in_single(%a: tensor<4xi32>, %m: f64) {
  // expected-error @+1 {{multiplier has element type 'f64', but 'rescale <f32>' computes in f32}}
  %q = qdq.requantize %a rescale <f32> multiplier %m : (tensor<4xi32>, f64) -> tensor<4xi8>
  return
}

// -----

func.func @no_shift(%a: tensor<4xi32>, %m: i32) {
  // expected-error @+1 {{has no 'shift': 'rescale <fixed15>' multiplies by an integer over a power of two}}
  %q = qdq.requantize %a rescale <fixed15> multiplier %m : (tensor<4xi32>, i32) -> tensor<4xi8>
  return
}

// -----

func.func @shift_of_float(%a: tensor<4xi32>, %m: f32, %t: i8) {
  // expected-error @+1 {{has a 'shift', but 'rescale <f64>' multiplies by floats}}
  %q = qdq.requantize %a rescale <f64> multiplier %m shift %t : (tensor<4xi32>, f32, i8) -> tensor<4xi8>
  return
}

// -----

func.func @fraction(%a: tensor<4xi32>, %m: i32, %t: i8) {
  // expected-error @+1 {{has a 'fraction', which is for 'rescale <exact>' only}}
  %q = qdq.requantize %a rescale <fixed15> multiplier %m shift %t fraction %t : (tensor<4xi32>, i32, i8, i8) -> tensor<4xi8>
  return
}

// -----

func.func @limit_of_float(%a: tensor<4xi32>, %m: f32) {
  // expected-error @+1 {{has a 'limit', which is for integer multipliers only}}
  %q = qdq.requantize %a rescale <f32> multiplier %m limit 5 : (tensor<4xi32>, f32) -> tensor<4xi8>
  return
}

// -----

func.func @negative_limit(%a: tensor<4xi32>, %m: i32, %t: i8) {
  // expected-error @+1 {{limit is -1: expected a magnitude (Q4.2)}}
  %q = qdq.requantize %a rescale <exact> multiplier %m shift %t limit -1 : (tensor<4xi32>, i32, i8) -> tensor<4xi8>
  return
}

// -----

func.func @float_zero_point(%a: tensor<4xi32>, %m: i32, %t: i8, %z: f32) {
  // expected-error @+1 {{zero point has element type 'f32': an integer multiplier goes with an integer zero point}}
  %q = qdq.requantize %a rescale <exact> multiplier %m shift %t zero_point %z : (tensor<4xi32>, i32, i8, f32) -> tensor<4xi8>
  return
}

// -----

func.func @stochastic(%a: tensor<4xi32>, %m: f32) {
  // expected-error @+1 {{has stochastic rounding, which needs draws that this op does not number: take 'qdq.dequantize' and 'qdq.quantize'}}
  %q = qdq.requantize %a rescale <f32> multiplier %m semantics <rounding = stochastic> : (tensor<4xi32>, f32) -> tensor<4xi8>
  return
}

// -----

func.func @axis_size(%a: tensor<4x8xi32>, %m: tensor<4xf32>) {
  // expected-error @+1 {{multiplier has size 4 in dimension 0: expected 8, the size of dimension 1 of 'tensor<4x8xi32>'}}
  %q = qdq.requantize %a rescale <f32> multiplier %m axis 1 : (tensor<4x8xi32>, tensor<4xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @no_place(%a: tensor<4x8xi32>, %m: tensor<8xf32>) {
  // expected-error @+1 {{multiplier has rank 1: expected one element (rank 0), or 'axis' or 'block_shape' to place it}}
  %q = qdq.requantize %a rescale <f32> multiplier %m : (tensor<4x8xi32>, tensor<8xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @block_count(%a: tensor<4x8xi32>, %m: tensor<4x3xf32>) {
  // expected-error @+1 {{multiplier has size 3 in dimension 1: expected 2, ceil(8 / 4) blocks of 'tensor<4x8xi32>'}}
  %q = qdq.requantize %a rescale <f32> multiplier %m block_shape [1, 4] : (tensor<4x8xi32>, tensor<4x3xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @shift_rank(%a: tensor<4x8xi32>, %m: i32, %t: tensor<8xi8>) {
  // expected-error @+1 {{shift has rank 1: expected rank 2 with 'block_shape'}}
  %q = qdq.requantize %a rescale <exact> multiplier %m shift %t block_shape [1, 4] : (tensor<4x8xi32>, i32, tensor<8xi8>) -> tensor<4x8xi8>
  return
}

// -----

func.func @shape(%a: tensor<4xi32>, %m: f32) {
  // expected-error @+1 {{input 'tensor<4xi32>' and result 'tensor<5xi8>' differ in shape}}
  %q = qdq.requantize %a rescale <f32> multiplier %m : (tensor<4xi32>, f32) -> tensor<5xi8>
  return
}

// -----

func.func @clamp(%a: tensor<4xi32>, %m: f32) {
  // expected-error @+1 {{clamp [0, 300] is not a range within 'i8', which holds -128 to 127}}
  %q = qdq.requantize %a rescale <f32> multiplier %m clamp [0, 300] : (tensor<4xi32>, f32) -> tensor<4xi8>
  return
}

// -----

func.func @float_storage(%a: tensor<4xi32>, %m: f32) {
  // expected-error @+1 {{result #0 must be an integer code: scalar, vector or tensor without encoding of an integer of 1 to 32 bits, but got 'tensor<4xf8E4M3FN>'}}
  %q = qdq.requantize %a rescale <f32> multiplier %m : (tensor<4xi32>, f32) -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @float_input(%a: tensor<4xf32>, %m: f32) {
  // expected-error @+1 {{operand #0 must be an accumulator}}
  %q = qdq.requantize %a rescale <f32> multiplier %m : (tensor<4xf32>, f32) -> tensor<4xi8>
  return
}

// -----

func.func @unsigned_long(%a: tensor<4xui64>, %m: f32) {
  // expected-error @+1 {{operand #0 must be an accumulator}}
  %q = qdq.requantize %a rescale <f32> multiplier %m : (tensor<4xui64>, f32) -> tensor<4xi8>
  return
}

// -----

func.func @unknown_kind(%a: tensor<4xi32>, %m: f32) {
  // expected-error @+2 {{failed to parse}}
  // expected-error @+1 {{'fixed31-triple' is not a value of 'rescale': expected one of exact, qdq, f32, f64, separate, fixed31-double, fixed31-single, fixed15}}
  %q = qdq.requantize %a rescale <fixed31-triple> multiplier %m : (tensor<4xi32>, f32) -> tensor<4xi8>
  return
}

// -----

func.func @two_of_separate(%a: tensor<4xi32>, %m: f32) {
  // expected-error @+1 {{has 2 multipliers: 'rescale <separate>' takes three (the scales of both factors, the scale of the result)}}
  %q = qdq.requantize %a rescale <separate> multiplier %m, %m : (tensor<4xi32>, f32, f32) -> tensor<4xi8>
  return
}

// -----

func.func @two_of_exact(%a: tensor<4xi32>, %m: i32, %t: i8) {
  // expected-error @+1 {{has 2 multipliers: 'rescale <exact>' takes one (Q4.1, Q4.2)}}
  %q = qdq.requantize %a rescale <exact> multiplier %m, %m shift %t : (tensor<4xi32>, i32, i32, i8) -> tensor<4xi8>
  return
}

// -----

func.func @axis_and_blocks(%a: tensor<4x8xi32>, %m: f32) {
  // expected-error @+1 {{has both 'axis' and 'block_shape'; give one}}
  %q = qdq.requantize %a rescale <f32> multiplier %m axis 0 block_shape [1, 8] : (tensor<4x8xi32>, f32) -> tensor<4x8xi8>
  return
}

// -----

func.func @fraction_size(%a: tensor<4x8xi32>, %m: i32, %t: i8, %g: tensor<3xi32>) {
  // expected-error @+1 {{fraction has size 3 in dimension 0: expected 8, the size of dimension 1 of 'tensor<4x8xi32>'}}
  %q = qdq.requantize %a rescale <exact> multiplier %m shift %t fraction %g axis 1 : (tensor<4x8xi32>, i32, i8, tensor<3xi32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @zero_point_size(%a: tensor<4x8xi32>, %m: f32, %z: tensor<3xi8>) {
  // expected-error @+1 {{zero point has size 3 in dimension 0: expected 8, the size of dimension 1 of 'tensor<4x8xi32>'}}
  %q = qdq.requantize %a rescale <f32> multiplier %m zero_point %z axis 1 : (tensor<4x8xi32>, f32, tensor<3xi8>) -> tensor<4x8xi8>
  return
}
