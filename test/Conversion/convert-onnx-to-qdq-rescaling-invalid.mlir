// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales of which a profile with integer multipliers can make none.
// RUN: quant-opt %s --convert-onnx-to-qdq=profile=tflite --split-input-file --verify-diagnostics

func.func @scales_at_run_time(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x2xi8> {
  // expected-error @below {{has scales that are not constant: the integer multipliers of its profile are made of constants}}
  %y = "onnx.QLinearMatMul"(%a, %s, %z, %b, %s, %z, %s, %z)
    : (tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<8x2xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4x2xi8>
  return %y : tensor<4x2xi8>
}

// -----

func.func @scales_of_rows_and_columns(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>, %z: tensor<i8>) -> tensor<4x2xi8> {
  %r = arith.constant dense<[[0.5], [0.25], [0.5], [1.0]]> : tensor<4x1xf32>
  %c = arith.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %s = arith.constant dense<0.5> : tensor<f32>
  // expected-error @below {{has scales for rows and for columns: the integer multipliers of its profile are made for one of them}}
  %y = "onnx.QLinearMatMul"(%a, %r, %z, %b, %c, %z, %s, %z)
    : (tensor<4x8xi8>, tensor<4x1xf32>, tensor<i8>, tensor<8x2xi8>, tensor<2xf32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4x2xi8>
  return %y : tensor<4x2xi8>
}

// -----

func.func @many_scales(%a: tensor<4x8xi8>, %b: tensor<8x2147483647xi8>, %z: tensor<i8>) -> tensor<4x2147483647xi8> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %c = arith.constant dense<0.25> : tensor<2147483647xf32>
  // expected-error @below {{has 2147483647 scales: expected at most 16777216, of which integer multipliers are made}}
  %y = "onnx.QLinearMatMul"(%a, %s, %z, %b, %c, %z, %s, %z)
    : (tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<8x2147483647xi8>, tensor<2147483647xf32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4x2147483647xi8>
  return %y : tensor<4x2147483647xi8>
}
