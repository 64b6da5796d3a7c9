// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices, scales and results of a scaled product that are not converted.
// RUN: quant-opt %s --convert-torch-to-qdq --split-input-file --verify-diagnostics

func.func @no_f8(%a: tensor<4x8xi8>, %b: tensor<8x16xf8E4M3FN>, %sa: tensor<f32>, %sb: tensor<f32>) -> tensor<4x16xf32> {
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  // expected-error@+1 {{self has type 'tensor<4x8xi8>': expected a matrix of f8E4M3FN or f8E5M2}}
  %y = "torch.operator"(%a, %b, %sa, %sb, %none, %none, %dtype, %false) <{name = "torch.aten._scaled_mm"}>
     : (tensor<4x8xi8>, tensor<8x16xf8E4M3FN>, tensor<f32>, tensor<f32>, !torch.none, !torch.none, !torch.int, !torch.bool) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

func.func @scale_of_a_column(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x16xf8E4M3FN>, %sa: tensor<1x8xf32>, %sb: tensor<1x16xf32>) -> tensor<4x16xf32> {
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  // expected-error@+1 {{scale_a has type 'tensor<1x8xf32>': expected one f32, or 'tensor<4x1xf32>' of a static size}}
  %y = "torch.operator"(%a, %b, %sa, %sb, %none, %none, %dtype, %false) <{name = "torch.aten._scaled_mm"}>
     : (tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN>, tensor<1x8xf32>, tensor<1x16xf32>, !torch.none, !torch.none, !torch.int, !torch.bool) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

func.func @wide_scale(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x16xf8E4M3FN>, %sa: tensor<f32>, %sb: tensor<f64>) -> tensor<4x16xf32> {
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  // expected-error@+1 {{scale_b has type 'tensor<f64>': expected one f32, or 'tensor<1x16xf32>' of a static size}}
  %y = "torch.operator"(%a, %b, %sa, %sb, %none, %none, %dtype, %false) <{name = "torch.aten._scaled_mm"}>
     : (tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN>, tensor<f32>, tensor<f64>, !torch.none, !torch.none, !torch.int, !torch.bool) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

func.func @scales_of_two_kinds(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x16xf8E4M3FN>, %sa: tensor<4x1xf32>, %sb: tensor<f32>) -> tensor<4x16xf32> {
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  // expected-error@+1 {{has scales of types 'tensor<4x1xf32>' and 'tensor<f32>': expected one for each tensor, or one for each row of self and each column of mat2}}
  %y = "torch.operator"(%a, %b, %sa, %sb, %none, %none, %dtype, %false) <{name = "torch.aten._scaled_mm"}>
     : (tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN>, tensor<4x1xf32>, tensor<f32>, !torch.none, !torch.none, !torch.int, !torch.bool) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

func.func @codes(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x16xf8E4M3FN>, %sa: tensor<f32>, %sb: tensor<f32>) -> tensor<4x16xf8E4M3FN> {
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 24 : i64}> : () -> !torch.int
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  // expected-error@+1 {{makes 'tensor<4x16xf8E4M3FN>' (out_dtype 'f8E4M3FN'): expected f32, f16 or bf16, as out_dtype says}}
  %y = "torch.operator"(%a, %b, %sa, %sb, %none, %none, %dtype, %false) <{name = "torch.aten._scaled_mm"}>
     : (tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN>, tensor<f32>, tensor<f32>, !torch.none, !torch.none, !torch.int, !torch.bool) -> tensor<4x16xf8E4M3FN>
  return %y : tensor<4x16xf8E4M3FN>
}

// -----

func.func @depth(%a: tensor<4x9xf8E4M3FN>, %b: tensor<8x16xf8E4M3FN>, %sa: tensor<f32>, %sb: tensor<f32>) -> tensor<4x16xf32> {
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  // expected-error@+1 {{multiplies 'tensor<4x9xf8E4M3FN>' by 'tensor<8x16xf8E4M3FN>': expected as many columns of self as rows of mat2}}
  %y = "torch.operator"(%a, %b, %sa, %sb, %none, %none, %dtype, %false) <{name = "torch.aten._scaled_mm"}>
     : (tensor<4x9xf8E4M3FN>, tensor<8x16xf8E4M3FN>, tensor<f32>, tensor<f32>, !torch.none, !torch.none, !torch.int, !torch.bool) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

func.func @bias(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x16xf8E4M3FN>, %sa: tensor<f32>, %sb: tensor<f32>, %bias: tensor<15xf32>) -> tensor<4x16xf32> {
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  // expected-error@+1 {{bias has type 'tensor<15xf32>': expected f32, f16 or bf16 for each column of 'tensor<8x16xf8E4M3FN>'}}
  %y = "torch.operator"(%a, %b, %sa, %sb, %bias, %none, %dtype, %false) <{name = "torch.aten._scaled_mm"}>
     : (tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN>, tensor<f32>, tensor<f32>, tensor<15xf32>, !torch.none, !torch.int, !torch.bool) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
