// Scales that have no integer multiplier.
// RUN: quant-opt %s --qdq-integer-contractions=rescale=exact --split-input-file --verify-diagnostics | FileCheck %s
// CHECK-NOT: qdq.requantize

func.func @negative(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %one = arith.constant -1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{a scale is not finite and positive}}
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
  // expected-remark @below {{a scale is not finite and positive}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %one : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @large(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 3.4359738368e+10 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{no multiplier of 64 bits is exact for accumulators of up to}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %one : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

// M = 1 / (2^63 + 2^11), of which twice is a number with a denominator above 2^62: the largest sum, 2^62 + 2^31, has
// 63 bits, and M times it 127 places.
func.func @places(%x: tensor<1xi32>, %y: tensor<1xi32>, %c: tensor<i32>) -> tensor<i8> {
  %one = arith.constant 1.0 : f64
  %s = arith.constant 9223372036854777856.0 : f64
  %xd = qdq.dequantize %x scale %one : (tensor<1xi32>, f64) -> tensor<1xf64>
  %yd = qdq.dequantize %y scale %one : (tensor<1xi32>, f64) -> tensor<1xf64>
  %cd = qdq.dequantize %c scale %one : (tensor<i32>, f64) -> tensor<f64>
  // expected-remark @below {{no multiplier of 64 bits is exact for accumulators of up to 4611686020574871552}}
  %r = linalg.dot ins(%xd, %yd : tensor<1xf64>, tensor<1xf64>) outs(%cd : tensor<f64>) -> tensor<f64>
  %q = qdq.quantize %r scale %s semantics <overflow = wrap> : (tensor<f64>, f64) -> tensor<i8>
  return %q : tensor<i8>
}
