// Scales that have no integer multiplier.
// RUN: quant-opt %s --qdq-integer-contractions=rescale=fixed31-single --split-input-file --verify-diagnostics | FileCheck %s
// CHECK-NOT: qdq.requantize

func.func @negative(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %one = arith.constant -1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{a product of scales is negative, not finite or too large for an integer multiplier}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %one : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @infinite(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0x7F800000 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{a product of scales is negative, not finite or too large for an integer multiplier}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %one : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}
