// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters that contradict each other or the values.
// RUN: quant-opt %s -split-input-file -verify-diagnostics

func.func @axis_and_blocks(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{has both 'axis' and 'block_shape'; give one}}
  %q = qdq.quantize %x scale %s axis 0 block_shape [1, 8] : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @unranked_scale(%x: tensor<4x8xf32>, %s: tensor<*xf32>) {
  // expected-error @below {{scale has type 'tensor<*xf32>': expected a ranked type}}
  %q = qdq.quantize %x scale %s : (tensor<4x8xf32>, tensor<*xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @vector_for_tensor(%x: tensor<4x8xf32>, %s: vector<4xf32>) {
  // expected-error @below {{scale has type 'vector<4xf32>', which does not go with an input of type 'tensor<4x8xf32>': parameters of tensors are tensors or scalars}}
  %q = qdq.quantize %x scale %s axis 0 : (tensor<4x8xf32>, vector<4xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @sums_have_no_zero_point(%x: tensor<4xi64>, %s: f32, %z: i32) {
  // expected-error @below {{input of element type 'i64' has a zero point: sums of 64 bits have none}}
  %y = qdq.dequantize %x scale %s zero_point %z : (tensor<4xi64>, f32, i32) -> tensor<4xf32>
  return
}

// -----

func.func @storage_that_is_none(%x: tensor<4xf32>) {
  // expected-error @below {{storage type 'i64' is not supported: expected an integer of 1 to 32 bits, an f8, f6 or f4 type, f16 or bf16}}
  %s = qdq.choose_params %x mode <symmetric> storage i64 : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @negative_whole(%x: tensor<4xf32>, %s: f32) {
  // expected-error @below {{is in a whole of size -8 in dimension 0}}
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> at [0] of [-8] : (tensor<4xf32>, f32) -> tensor<4xi8>
  return
}

// -----

// expected-error @below {{'part' goes with a preset only}}
func.func private @part() attributes {p = #qdq.packing<bits = 4, part = zero-point>}

// -----

// expected-error @below {{'at' is -1: expected at least 0}}
func.func private @at() attributes {p = #qdq.packing<bits = 4, block = 2, at = -1>}

// -----

// expected-error @below {{expected '=' after 'block'}}
func.func private @no_value() attributes {p = #qdq.packing<bits = 4, block>}

// -----

func.func @codes_of_no_bits(%x: tensor<4xf32>, %s: f32) {
  // expected-error @below {{result #0 must be a code: scalar, vector or tensor without encoding of an integer of 1 to 32 bits, an f8, f6 or f4 type, f16 or bf16, but got 'tensor<4xi0>'}}
  %q = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi0>
  return
}

// -----

func.func @scale_of_six_bits(%x: tensor<4xf32>, %s: f6E2M3FN) {
  // expected-error @below {{operand #1 must be a scale: scalar, vector or tensor without encoding of f16, bf16, f32, f64 or an 8-bit float, but got 'f6E2M3FN'}}
  %q = qdq.quantize %x scale %s : (tensor<4xf32>, f6E2M3FN) -> tensor<4xi8>
  return
}
