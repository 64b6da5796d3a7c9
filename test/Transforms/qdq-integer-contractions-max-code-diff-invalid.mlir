// Codes whose difference to exact ones nobody measures.
// RUN: quant-opt %s --qdq-integer-contractions="rescale=f32 max-code-diff=1" --split-input-file --verify-diagnostics | FileCheck %s
// CHECK-NOT: qdq.requantize

func.func @wraps(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{the difference of its codes to exact ones cannot be measured: parameters are not constant, or codes do not saturate}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %one semantics <overflow = wrap> : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

// A negative scale of the result.
func.func @falls(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %one = arith.constant -1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{the difference of its codes to exact ones cannot be measured: parameters are not constant, or codes do not saturate}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %one : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @infinite(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %one = arith.constant 0x7F800000 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{the difference of its codes to exact ones cannot be measured: parameters are not constant, or codes do not saturate}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %one : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @many_codes(%x: tensor<2xi8>) -> tensor<i32> {
  %s = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{the difference of its codes to exact ones cannot be measured: parameters are not constant, or codes do not saturate}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %one : (tensor<f32>, f32) -> tensor<i32>
  return %q : tensor<i32>
}

// -----

// The product of the scales is 0 in f32.
func.func @underflows(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 1.0e-30 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{the difference of its codes to exact ones cannot be measured: parameters are not constant, or codes do not saturate}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %one : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}
