// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants behind ops that move or reinterpret bits, and what stays.
// RUN: quant-opt %s --qdq-dequantize-constants | FileCheck %s

// 0xFF is 255, and as a signed code -1.
// CHECK-LABEL: func.func @bits_of_two_types(
// CHECK-DAG: arith.constant dense<[1.000000e+00, 2.550000e+02]> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<[1.000000e+00, -1.000000e+00]> : tensor<2xf32>
func.func @bits_of_two_types() -> (tensor<2xf32>, tensor<2xf32>) {
  %bits = arith.constant dense<[[1, -1]]> : tensor<1x2xi8>
  %row = tensor.collapse_shape %bits [[0, 1]] : tensor<1x2xi8> into tensor<2xi8>
  %unsigned = tensor.bitcast %row : tensor<2xi8> to tensor<2xui8>
  %signed = tensor.bitcast %row : tensor<2xi8> to tensor<2xsi8>
  %s = arith.constant 1.0 : f32
  %x = qdq.dequantize %unsigned scale %s : (tensor<2xui8>, f32) -> tensor<2xf32>
  %y = qdq.dequantize %signed scale %s : (tensor<2xsi8>, f32) -> tensor<2xf32>
  return %x, %y : tensor<2xf32>, tensor<2xf32>
}

// Bits of floats are no codes of integers, and arguments no constants.
// CHECK-LABEL: func.func @bits_that_stay(
// CHECK-COUNT-3: qdq.dequantize
func.func @bits_that_stay(%q: tensor<2xi8>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %real = arith.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3FN>
  %s = arith.constant 1.0 : f32
  %a = tensor.bitcast %real : tensor<2xf8E4M3FN> to tensor<2xi8>
  %bits = arith.constant dense<[[1, -1]]> : tensor<1x2xi8>
  %row = tensor.collapse_shape %bits [[0, 1]] : tensor<1x2xi8> into tensor<2xi8>
  %b = tensor.bitcast %row : tensor<2xi8> to tensor<2xf8E4M3FN>
  %c = tensor.bitcast %q : tensor<2xi8> to tensor<2xui8>
  %x = qdq.dequantize %a scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %y = qdq.dequantize %b scale %s : (tensor<2xf8E4M3FN>, f32) -> tensor<2xf32>
  %z = qdq.dequantize %c scale %s : (tensor<2xui8>, f32) -> tensor<2xf32>
  return %x, %y, %z : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Scalars, open sizes, a zero point at run time.
// CHECK-LABEL: func.func @operands_that_stay(
// CHECK-COUNT-4: qdq.dequantize
func.func @operands_that_stay(%z: i8, %n: index) -> (f32, tensor<2xf32>, tensor<2xf32>, tensor<?xf32>) {
  %s = arith.constant 1.0 : f32
  %code = arith.constant 3 : i8
  %q = arith.constant dense<[1, 2]> : tensor<2xi8>
  %open = tensor.cast %q : tensor<2xi8> to tensor<?xi8>
  %a = qdq.dequantize %code scale %s zero_point %z : (i8, f32, i8) -> f32
  %b = qdq.dequantize %q scale %s zero_point %z : (tensor<2xi8>, f32, i8) -> tensor<2xf32>
  %c = qdq.dequantize %open scale %s : (tensor<?xi8>, f32) -> tensor<2xf32>
  %d = qdq.dequantize %open scale %s : (tensor<?xi8>, f32) -> tensor<?xf32>
  return %a, %b, %c, %d : f32, tensor<2xf32>, tensor<2xf32>, tensor<?xf32>
}

// A bitcast that keeps a signedness; one to the signless type.
// CHECK-LABEL: func.func @signedness(
// CHECK: arith.constant dense<[1, -2]> : tensor<2xi8>
func.func @signedness() -> (tensor<2xui8>, tensor<2xi8>) {
  %bits = arith.constant dense<[1, -2]> : tensor<2xi8>
  %unsigned = tensor.bitcast %bits : tensor<2xi8> to tensor<2xui8>
  %back = tensor.bitcast %unsigned : tensor<2xui8> to tensor<2xi8>
  return %unsigned, %back : tensor<2xui8>, tensor<2xi8>
}
