// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bound is spent by an op, not by an address: other ops come and go while %p0 waits for its turn, and some address is used again.
// RUN: quant-opt %s --qdq-simplify=max-code-diff=1 --mlir-print-local-scope | FileCheck %s

#onnx = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                       overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
// CHECK-LABEL: func @requantize_after_others(
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<4xi8>
// CHECK: qdq.quantize %[[A]] {{.*}} division = reciprocal, {{.*}} -> tensor<4xi16>
// CHECK-NOT: division = exact
func.func @requantize_after_others(%a: tensor<4xi8>, %c: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi16>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %one = arith.constant 1.0 : f32
  %s = arith.constant 0.3 : f32
  %t = arith.constant 14.0 : f32
  %z = arith.constant 3 : i8
  %n = arith.constant 0 : i8
  %y0 = qdq.dequantize %a scale %one semantics #onnx : (tensor<4xi8>, f32) -> tensor<4xf64>
  %o0 = qdq.quantize %y0 scale %one semantics #onnx : (tensor<4xf64>, f32) -> tensor<4xi8>
  %p0 = qdq.quantize %y0 scale %t semantics #onnx : (tensor<4xf64>, f32) -> tensor<4xi16>
  %w1 = qdq.dequantize %c scale %one zero_point %z semantics #onnx : (tensor<4xi8>, f32, i8) -> tensor<4xf32>
  %u1 = qdq.quantize %w1 scale %one zero_point %z semantics #onnx : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
  %d1 = qdq.quantize %w1 scale %s semantics #onnx : (tensor<4xf32>, f32) -> tensor<4xi8>
  %w2 = qdq.dequantize %c scale %one zero_point %z semantics #onnx : (tensor<4xi8>, f32, i8) -> tensor<4xf32>
  %u2 = qdq.quantize %w2 scale %one zero_point %z semantics #onnx : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
  %d2 = qdq.quantize %w2 scale %s semantics #onnx : (tensor<4xf32>, f32) -> tensor<4xi8>
  %w3 = qdq.dequantize %c scale %one zero_point %z semantics #onnx : (tensor<4xi8>, f32, i8) -> tensor<4xf32>
  %u3 = qdq.quantize %w3 scale %one zero_point %z semantics #onnx : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
  %d3 = qdq.quantize %w3 scale %s semantics #onnx : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %o0, %p0, %u1, %d1, %u2, %d2, %u3, %d3 : tensor<4xi8>, tensor<4xi16>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}
