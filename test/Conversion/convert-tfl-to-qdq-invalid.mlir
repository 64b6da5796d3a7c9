// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LiteRT does not do, or what has no translation, is refused by name.
// RUN: quant-opt %s --convert-tfl-to-qdq --split-input-file --verify-diagnostics
// RUN: not quant-opt %s --lower-quant --split-input-file 2>&1 | FileCheck %s
// CHECK: 'tfl.cumsum' op has quantized operands or results, and no translation

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @no_translation(%x: tensor<1x4x!q>) -> tensor<1x4x!q> {
  // expected-error@+1 {{'tfl.cumsum' op has quantized operands or results, and no translation}}
  %y = "tfl.cumsum"(%x) {approximate = false} : (tensor<1x4x!q>) -> tensor<1x4x!q>
  return %y : tensor<1x4x!q>
}

// -----

func.func @expresses_f16(%x: tensor<4xf16>) -> tensor<4x!quant.uniform<i8:f16, 0.5:10>> {
  // expected-error@+1 {{'tfl.quantize' op has the type 'tensor<4x!quant.uniform<i8:f16, 5.000000e-01:10>>': expected one that expresses f32, as all of LiteRT do}}
  %y = "tfl.quantize"(%x) : (tensor<4xf16>) -> tensor<4x!quant.uniform<i8:f16, 0.5:10>>
  return %y : tensor<4x!quant.uniform<i8:f16, 0.5:10>>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @dynamic_asymmetric_filter(%x: tensor<1x4xf32>, %w: tensor<2x4x!q>) -> tensor<1x2xf32> {
  %none = "tfl.no_value"() {value} : () -> none
  // expected-error@+1 {{'tfl.fully_connected' op filter has type 'tensor<2x4x!quant.uniform<i8:f32, 5.000000e-01:10>>': expected signed codes of up to 8 bits without a zero point, of static rank 2, with one scale or those of axis 0}}
  %y = "tfl.fully_connected"(%x, %w, %none) : (tensor<1x4xf32>, tensor<2x4x!q>, none) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @activation(%x: tensor<4x!q>) -> tensor<4x!q> {
  // expected-error@+1 {{'tfl.add' op fused_activation_function is 'TANH': expected NONE, RELU, RELU6 or RELU_N1_TO_1}}
  %y = "tfl.add"(%x, %x) {fused_activation_function = "TANH"} : (tensor<4x!q>, tensor<4x!q>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @shapes(%x: tensor<4x!q>, %z: tensor<3x!q>) -> tensor<4x!q> {
  // expected-error@+1 {{expected one storage type, and shapes that are broadcast to each other}}
  %y = "tfl.mul"(%x, %z) {fused_activation_function = "NONE"} : (tensor<4x!q>, tensor<3x!q>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!y = !quant.uniform<i8:f32, 0.25:10>
func.func @concatenation(%x: tensor<4x!q>, %z: tensor<4x!y>) -> tensor<8x!q> {
  // expected-error@+1 {{'tfl.concatenation' op an operand and the result have different scales, zero points or storage types: expected the same, since codes are moved as they are}}
  %y = "tfl.concatenation"(%x, %z) {axis = 0 : i32, fused_activation_function = "NONE"} : (tensor<4x!q>, tensor<4x!y>) -> tensor<8x!q>
  return %y : tensor<8x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
!b = !quant.uniform<i32:f32, 0.5>
func.func @bias_scale(%x: tensor<1x4x!q>, %w: tensor<2x4x!w>, %b: tensor<2x!b>) -> tensor<1x2x!q> {
  // expected-error@+1 {{bias has the scale 5.000000e-01 for output 0: expected that of the input times that of the filter, 2.500000e-01}}
  %y = "tfl.fully_connected"(%x, %w, %b) : (tensor<1x4x!q>, tensor<2x4x!w>, tensor<2x!b>) -> tensor<1x2x!q>
  return %y : tensor<1x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32:3, {0.5, 0.5}>
func.func @filter_axis(%x: tensor<1x4x4x2x!q>, %w: tensor<3x3x3x2x!w>) -> tensor<1x4x4x3x!q> {
  %none = "tfl.no_value"() {value} : () -> none
  // expected-error@+1 {{scales along axis 3: expected rank 4, and one scale or those of axis 0}}
  %y = "tfl.conv_2d"(%x, %w, %none) {padding = "SAME"} : (tensor<1x4x4x2x!q>, tensor<3x3x3x2x!w>, none) -> tensor<1x4x4x3x!q>
  return %y : tensor<1x4x4x3x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @window(%x: tensor<1x2x2x2x!q>, %w: tensor<3x3x3x2x!w>) -> tensor<1x1x1x3x!q> {
  %none = "tfl.no_value"() {value} : () -> none
  // expected-error@+1 {{a window of 3 elements does not fit into spatial dimension 0 of the input, which has 2 and 0 of padding}}
  %y = "tfl.conv_2d"(%x, %w, %none) {padding = "VALID"} : (tensor<1x2x2x2x!q>, tensor<3x3x3x2x!w>, none) -> tensor<1x1x1x3x!q>
  return %y : tensor<1x1x1x3x!q>
}

// -----

!q = !quant.uniform<i8:f32, 1.0e-9>
!y = !quant.uniform<i8:f32, 1.0e+9>
func.func @multiplier(%x: tensor<4x!y>) -> tensor<4x!q> {
  // expected-error@+1 {{'tfl.quantize' op has scales whose multiplier is 1.000000e+18, which the integer arithmetic of its kernel does not hold}}
  %y = "tfl.quantize"(%x) : (tensor<4x!y>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @value(%x: tensor<4x!q>) -> tensor<4x!q> {
  // expected-error@+1 {{'tfl.pseudo_qconst' op attribute 'value' has type 'tensor<4xi16>': expected the elements of}}
  %y = "tfl.pseudo_qconst"() {value = dense<1> : tensor<4xi16>} : () -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @begin_is_open(%x: tensor<4x!q>, %b: tensor<1xi32>) -> tensor<2x!q> {
  // expected-error@+1 {{'tfl.slice' op begin is not constant: expected a constant of integers}}
  %y = "tfl.slice"(%x, %b, %b) : (tensor<4x!q>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x!q>
  return %y : tensor<2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @softmax_scale(%x: tensor<1x4x!q>) -> tensor<1x4x!q> {
  // expected-error@+1 {{expected one type of 8 bits, and the scale 1/256 and the zero point -128, as LiteRT does}}
  %y = "tfl.softmax"(%x) {beta = 1.0 : f32} : (tensor<1x4x!q>) -> tensor<1x4x!q>
  return %y : tensor<1x4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @quantize_shape(%x: tensor<4x!q>) -> tensor<5x!q> {
  // expected-error@+1 {{has the operand 'tensor<4xi8>' and the result 'tensor<5xi8>': expected one shape}}
  %y = "tfl.quantize"(%x) {qtype = tensor<5x!q>} : (tensor<4x!q>) -> tensor<5x!q>
  return %y : tensor<5x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @dequantize_shape(%x: tensor<4x!q>) -> tensor<5xf32> {
  // expected-error@+1 {{output has type 'tensor<5xf32>': expected f32, and the shape of 'tensor<4xi8>'}}
  %y = "tfl.dequantize"(%x) : (tensor<4x!q>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
!b = !quant.uniform<i32:f32:0, {0.25, 0.25, 0.25}>
func.func @bias_scales(%x: tensor<1x4x!q>, %w: tensor<2x4x!w>, %b: tensor<2x!b>) -> tensor<1x2x!q> {
  // expected-error@+1 {{'tfl.fully_connected' op bias has 3 scales: expected 2}}
  %y = "tfl.fully_connected"(%x, %w, %b) : (tensor<1x4x!q>, tensor<2x4x!w>, tensor<2x!b>) -> tensor<1x2x!q>
  return %y : tensor<1x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 65536.0>
!r = !quant.uniform<i8:f32, 0.5>
func.func @hard_swish_of_large_scale(%x: tensor<4x!q>) -> tensor<4x!r> {
  // expected-error@+1 {{'tfl.hard_swish' op has scales of 6.553600e+04 and 5.000000e-01, which the 16 bits of its kernel do not hold}}
  %y = "tfl.hard_swish"(%x) : (tensor<4x!q>) -> tensor<4x!r>
  return %y : tensor<4x!r>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @codes_of_floats(%x: tensor<4xf32>, %n: tensor<2xi32>) -> tensor<2x4x!q> {
  // expected-error@+1 {{'tfl.broadcast_to' op has quantized results alone}}
  %y = "tfl.broadcast_to"(%x, %n) : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x4x!q>
  return %y : tensor<2x4x!q>
}

// -----

!q = !quant.uniform<u8:f32, 0.00390625>
func.func @wide_beta(%x: tensor<1x4x!q>) -> tensor<1x4x!q> {
  // expected-error@+1 {{'tfl.softmax' op attribute 'beta' is 1.000000e+00 : f64: expected an f32}}
  %y = "tfl.softmax"(%x) {beta = 1.0 : f64} : (tensor<1x4x!q>) -> tensor<1x4x!q>
  return %y : tensor<1x4x!q>
}

// -----

!q = !quant.uniform<u16:f32, 0.5>
func.func @unsigned_function(%x: tensor<4x!q>) -> tensor<4x!q> {
  // expected-error-re@+1 {{'tfl.logistic' op has codes of {{.*}}: expected 8 bits, or all codes of signed 16 bits}}
  %y = "tfl.logistic"(%x) : (tensor<4x!q>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i16:f32, 0.5>
func.func @elu_16_bits(%x: tensor<4x!q>) -> tensor<4x!q> {
  // expected-error@+1 {{'tfl.elu' op has codes of 16 bits, which LiteRT lacks: expected i8}}
  %y = "tfl.elu"(%x) : (tensor<4x!q>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i16:f32, 0.5:3>
func.func @rsqrt_zero_points(%x: tensor<4x!q>) -> tensor<4x!q> {
  // expected-error@+1 {{'tfl.rsqrt' op has 16 bits and the zero points 3 and 3: expected 0}}
  %y = "tfl.rsqrt"(%x) : (tensor<4x!q>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 1.0>
!r = !quant.uniform<i8:f32, 0.00001>
func.func @small_scale(%x: tensor<4x!q>) -> tensor<4x!r> {
  // expected-error@+1 {{'tfl.squared_difference' op has a result whose scale is 2^-14 of the square of its operands' or less: the kernel does not hold its multiplier}}
  %y = "tfl.squared_difference"(%x, %x) : (tensor<4x!q>, tensor<4x!q>) -> tensor<4x!r>
  return %y : tensor<4x!r>
}

// -----

func.func @fully_connected_empty(%x: tensor<4x0xf32>, %w: tensor<5x12x!quant.uniform<i8:f32, 0.5>>, %none: none) -> tensor<?x5xf32> {
  // expected-error@+1 {{'tfl.fully_connected' op input 'tensor<4x0xf32>', filter 'tensor<5x12xi8>' and result 'tensor<?x5xf32>' do not fit together: expected rows of the filter's 12 columns}}
  %y = "tfl.fully_connected"(%x, %w, %none) : (tensor<4x0xf32>, tensor<5x12x!quant.uniform<i8:f32, 0.5>>, none) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}
