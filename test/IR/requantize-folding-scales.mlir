// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, as in test/Execution/rescale-scale-types.mlir, and a fourth of multiples of 4 by the roundings that change no integer.
// RUN: quant-opt %s --canonicalize | FileCheck %s

#qdq = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#floor = #qdq.semantics<rounding = floor, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#to_odd = #qdq.semantics<rounding = to-odd, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#ceil = #qdq.semantics<rounding = ceil, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// CHECK-LABEL: func @scales(
func.func @scales() -> (tensor<8xi32>, tensor<8xi8>) {
  // CHECK-DAG: %[[F64:.*]] = arith.constant dense<[0, 2, 0, -2, 1, -1, 8388609, -8388609]> : tensor<8xi32>
  // CHECK-DAG: %[[BYTES:.*]] = arith.constant dense<[0, 2, 0, -2, 1, -1, 0, 0]> : tensor<8xi8>
  // CHECK: return %[[F64]], %[[BYTES]]
  %acc = arith.constant dense<[2, 6, -2, -6, 3, -3, 33554435, -33554437]> : tensor<8xi32>
  %small = arith.constant dense<[2, 6, -2, -6, 3, -3, 1, -1]> : tensor<8xi32>
  %quarter = arith.constant 0.25 : f64
  %one64 = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f8E5M2
  %one = arith.constant 1.0 : f8E5M2
  %a = qdq.requantize %acc rescale <qdq> multiplier %quarter, %one64 semantics #qdq : (tensor<8xi32>, f64, f64) -> tensor<8xi32>
  %b = qdq.requantize %small rescale <f64> multiplier %half, %half, %one semantics #qdq : (tensor<8xi32>, f8E5M2, f8E5M2, f8E5M2) -> tensor<8xi8>
  return %a, %b : tensor<8xi32>, tensor<8xi8>
}

// CHECK-LABEL: func @integers(
func.func @integers() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>) {
  // CHECK: %[[Q:.*]] = arith.constant dense<[-2, 0, 1]> : tensor<3xi8>
  // CHECK: return %[[Q]], %[[Q]], %[[Q]]
  %acc = arith.constant dense<[-8, 0, 4]> : tensor<3xi32>
  %m = arith.constant 1 : i32
  %t = arith.constant 2 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #floor : (tensor<3xi32>, i32, i8) -> tensor<3xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #ceil : (tensor<3xi32>, i32, i8) -> tensor<3xi8>
  %c = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #to_odd : (tensor<3xi32>, i32, i8) -> tensor<3xi8>
  return %a, %b, %c : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>
}

// Codes of floats with an integer zero point.
// CHECK-LABEL: func @floats(
func.func @floats() -> (tensor<3xf8E5M2>, tensor<3xf32>) {
  // CHECK-DAG: %[[Q:.*]] = arith.constant dense<[4.000000e+00, 1.000000e+00, 6.400000e+02]> : tensor<3xf8E5M2>
  // CHECK-DAG: %[[X:.*]] = arith.constant dense<[1.000000e+00, -5.000000e-01, 3.190000e+02]> : tensor<3xf32>
  // CHECK: return %[[Q]], %[[X]]
  %x = arith.constant dense<[1.0, -0.5, 300.0]> : tensor<3xf32>
  %f = arith.constant dense<[4.0, 1.0, 640.0]> : tensor<3xf8E5M2>
  %s = arith.constant 0.5 : f32
  %z = arith.constant 2 : i8
  %q = qdq.quantize %x scale %s zero_point %z semantics #qdq : (tensor<3xf32>, f32, i8) -> tensor<3xf8E5M2>
  %y = qdq.dequantize %f scale %s zero_point %z semantics #qdq : (tensor<3xf8E5M2>, f32, i8) -> tensor<3xf32>
  return %q, %y : tensor<3xf8E5M2>, tensor<3xf32>
}
