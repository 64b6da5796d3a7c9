// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the specification does not allow, or what has no translation, is refused by name.
// RUN: quant-opt %s --convert-stablehlo-to-qdq --split-input-file --verify-diagnostics

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @expressed(%x: tensor<4xf16>) -> tensor<4x!q> {
  // expected-error@+1 {{'stablehlo.uniform_quantize' op has the operand 'tensor<4xf16>' and the result 'tensor<4xi8>' of 'f32': expected one shape, and one expressed type}}
  %y = "stablehlo.uniform_quantize"(%x) : (tensor<4xf16>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @dequantize_shape(%x: tensor<4x!q>) -> tensor<3xf32> {
  // expected-error@+1 {{'stablehlo.uniform_dequantize' op has the result 'tensor<3xf32>': expected the shape of the operand, and 'f32'}}
  %y = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!q>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!p = !quant.uniform<i8:f32, 0.25:10>
func.func @movement(%x: tensor<4x!q>) -> tensor<2x2x!p> {
  // expected-error@+1 {{'stablehlo.reshape' op operand 0 has type 'tensor<4x!quant.uniform<i8:f32, 5.000000e-01:10>>': expected the storage, scales and zero points of the result}}
  %y = "stablehlo.reshape"(%x) : (tensor<4x!q>) -> tensor<2x2x!p>
  return %y : tensor<2x2x!p>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @no_translation(%x: tensor<4x!q>) -> tensor<4x!q> {
  // expected-error@+1 {{'stablehlo.all_gather' op has quantized operands or results, and no translation}}
  %y = "stablehlo.all_gather"(%x) : (tensor<4x!q>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

func.func @axis(%x: tensor<3x4xf32>) -> tensor<3x4x!quant.uniform<i8:f32:1, {0.5, 0.25}>> {
  // expected-error@+1 {{whose 2 scales are not those of its axis 1}}
  %y = "stablehlo.uniform_quantize"(%x) : (tensor<3x4xf32>) -> tensor<3x4x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
  return %y : tensor<3x4x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
}

// -----

!q = !quant.uniform<i8:f32:0, {0.5, 0.25}>
func.func @transpose_leaves_the_axis(%x: tensor<2x2x!q>) -> tensor<2x2x!q> {
  // expected-error@+1 {{expected that scales follow their dimension to the result}}
  %y = "stablehlo.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x2x!q>) -> tensor<2x2x!q>
  return %y : tensor<2x2x!q>
}

// -----

!q = !quant.uniform<i8:f32:0, {0.5, 0.25}>
func.func @reverse_of_the_axis(%x: tensor<2x3x!q>) -> tensor<2x3x!q> {
  // expected-error@+1 {{in an op that does not mix or reorder them}}
  %y = "stablehlo.reverse"(%x) {dimensions = array<i64: 0>} : (tensor<2x3x!q>) -> tensor<2x3x!q>
  return %y : tensor<2x3x!q>
}

// -----

!q = !quant.uniform<i8:f32:0, {0.5, 0.25}>
!p = !quant.uniform<i8:f32:1, {0.5, 0.25}>
func.func @reshape_moves_the_axis(%x: tensor<2x2x!q>) -> tensor<2x2x!p> {
  // expected-error@+1 {{expected that scales follow their dimension to the result}}
  %y = "stablehlo.reshape"(%x) : (tensor<2x2x!q>) -> tensor<2x2x!p>
  return %y : tensor<2x2x!p>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @dequantize_floats(%x: tensor<4xf32>) -> tensor<4x!q> {
  // expected-error@+1 {{'stablehlo.uniform_dequantize' op has an operand that is not quantized}}
  %y = "stablehlo.uniform_dequantize"(%x) : (tensor<4xf32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @moves_to_two(%x: tensor<4x!q>) -> tensor<2x2x!q> {
  // expected-error@+1 {{'stablehlo.reshape' op has a region, or not one result}}
  %y:2 = "stablehlo.reshape"(%x) : (tensor<4x!q>) -> (tensor<2x2x!q>, tensor<2x2x!q>)
  return %y#0 : tensor<2x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @adds_to_two(%x: tensor<4x!q>) -> tensor<4x!q> {
  // expected-error@+1 {{'stablehlo.add' op has a region, or not one result}}
  %y:2 = "stablehlo.add"(%x, %x) : (tensor<4x!q>, tensor<4x!q>) -> (tensor<4x!q>, tensor<4x!q>)
  return %y#0 : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @with_region(%x: tensor<4xf32>) -> tensor<4x!q> {
  // expected-error@+1 {{'stablehlo.uniform_quantize' op has a region or a successor: expected none}}
  %y = "stablehlo.uniform_quantize"(%x) ({
  }) : (tensor<4xf32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32:{0:1}, {0.5, 0.25, 0.5, 0.25}>
func.func @sub_channels(%x: tensor<4xf32>) -> tensor<4x!q> {
  // expected-error@+1 {{expected a ranked tensor of !quant.uniform, per layer or per axis}}
  %y = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}
