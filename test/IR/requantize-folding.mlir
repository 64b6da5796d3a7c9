// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants by each kind of rescale and each rounding. All are a fourth of the accumulators: 0.5, 1.5, -0.5, -1.5, 0.75, -0.75, 0.25 and -0.25.
// RUN: quant-opt %s --canonicalize | FileCheck %s

#nearest_even = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#nearest_away = #qdq.semantics<rounding = nearest-away, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#nearest_up = #qdq.semantics<rounding = nearest-up, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#nearest_down = #qdq.semantics<rounding = nearest-down, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#toward_zero = #qdq.semantics<rounding = toward-zero, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#floor = #qdq.semantics<rounding = floor, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#ceil = #qdq.semantics<rounding = ceil, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#away_from_zero = #qdq.semantics<rounding = away-from-zero, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#to_odd = #qdq.semantics<rounding = to-odd, order = round-then-add, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#sum_to_even = #qdq.semantics<rounding = nearest-even, order = add-then-round, division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// CHECK-LABEL: func @exact(
func.func @exact() -> (tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>) {
  // CHECK-DAG: %[[R0:.*]] = arith.constant dense<[0, 2, 0, -2, 1, -1, 0, 0]> : tensor<8xi8>
  // CHECK-DAG: %[[R1:.*]] = arith.constant dense<[1, 2, -1, -2, 1, -1, 0, 0]> : tensor<8xi8>
  // CHECK-DAG: %[[R2:.*]] = arith.constant dense<[1, 2, 0, -1, 1, -1, 0, 0]> : tensor<8xi8>
  // CHECK-DAG: %[[R3:.*]] = arith.constant dense<[0, 1, -1, -2, 1, -1, 0, 0]> : tensor<8xi8>
  // CHECK-DAG: %[[R4:.*]] = arith.constant dense<[0, 1, 0, -1, 0, 0, 0, 0]> : tensor<8xi8>
  // CHECK-DAG: %[[R5:.*]] = arith.constant dense<[0, 1, -1, -2, 0, -1, 0, -1]> : tensor<8xi8>
  // CHECK-DAG: %[[R6:.*]] = arith.constant dense<[1, 2, 0, -1, 1, 0, 1, 0]> : tensor<8xi8>
  // CHECK-DAG: %[[R7:.*]] = arith.constant dense<[1, 2, -1, -2, 1, -1, 1, -1]> : tensor<8xi8>
  // CHECK-DAG: %[[R8:.*]] = arith.constant dense<[1, 1, -1, -1, 1, -1, 1, -1]> : tensor<8xi8>
  // CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]], %[[R5]], %[[R6]], %[[R7]], %[[R8]]
  %acc = arith.constant dense<[2, 6, -2, -6, 3, -3, 1, -1]> : tensor<8xi32>
  %m = arith.constant 1 : i32
  %t = arith.constant 2 : i8
  %0 = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #nearest_even : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %1 = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #nearest_away : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %2 = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #nearest_up : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %3 = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #nearest_down : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %4 = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #toward_zero : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %5 = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #floor : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %6 = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #ceil : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %7 = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #away_from_zero : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %8 = qdq.requantize %acc rescale <exact> multiplier %m shift %t semantics #to_odd : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>
}

// Bounded to [-2, 2]; rounded with the zero point; by TOSA's single and double rounding, of which the second halves integers.
// CHECK-LABEL: func @fixed(
func.func @fixed() -> (tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>) {
  // CHECK-DAG: %[[LIMIT:.*]] = arith.constant dense<[0, 0, -1, -1, 0, -1, 0, -1]> : tensor<8xi8>
  // CHECK-DAG: %[[SUM:.*]] = arith.constant dense<[2, 2, 0, 0, 2, 0, 1, 1]> : tensor<8xi8>
  // CHECK-DAG: %[[SINGLE:.*]] = arith.constant dense<[1, 2, 0, -1, 1, -1, 0, 0]> : tensor<8xi8>
  // CHECK-DAG: %[[DOUBLE:.*]] = arith.constant dense<[1, 2, -1, -2, 1, -1, 1, 0]> : tensor<8xi8>
  // CHECK: return %[[LIMIT]], %[[SUM]], %[[SINGLE]], %[[SINGLE]], %[[DOUBLE]]
  %acc = arith.constant dense<[2, 6, -2, -6, 3, -3, 1, -1]> : tensor<8xi32>
  %m = arith.constant 1 : i32
  %t = arith.constant 2 : i8
  %z = arith.constant 1 : i8
  %half = arith.constant 1073741824 : i32
  %wide = arith.constant 32 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t limit 2 semantics #floor : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics #sum_to_even : (tensor<8xi32>, i32, i8, i8) -> tensor<8xi8>
  %c = qdq.requantize %acc rescale <fixed31-single> multiplier %m shift %t semantics #floor : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %d = qdq.requantize %acc rescale <fixed15> multiplier %m shift %t semantics #floor : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  %e = qdq.requantize %acc rescale <fixed31-double> multiplier %half shift %wide semantics #floor : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  return %a, %b, %c, %d, %e : tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>
}

// CHECK-LABEL: func @floats(
func.func @floats() -> (tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>) {
  // CHECK: %[[EVEN:.*]] = arith.constant dense<[0, 2, 0, -2, 1, -1, 0, 0]> : tensor<8xi8>
  // CHECK: return %[[EVEN]], %[[EVEN]], %[[EVEN]], %[[EVEN]], %[[EVEN]]
  %acc = arith.constant dense<[2, 6, -2, -6, 3, -3, 1, -1]> : tensor<8xi32>
  %half = arith.constant 0.5 : f32
  %wide = arith.constant 0.5 : f64
  %small = arith.constant 0.5 : f8E5M2
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %a = qdq.requantize %acc rescale <qdq> multiplier %half, %two semantics #nearest_even : (tensor<8xi32>, f32, f32) -> tensor<8xi8>
  %b = qdq.requantize %acc rescale <f32> multiplier %half, %half, %one semantics #nearest_even : (tensor<8xi32>, f32, f32, f32) -> tensor<8xi8>
  %c = qdq.requantize %acc rescale <f64> multiplier %wide, %half, %one semantics #nearest_even : (tensor<8xi32>, f64, f32, f32) -> tensor<8xi8>
  %d = qdq.requantize %acc rescale <f64> multiplier %small, %small, %one semantics #nearest_even : (tensor<8xi32>, f8E5M2, f8E5M2, f32) -> tensor<8xi8>
  %e = qdq.requantize %acc rescale <separate> multiplier %half, %half, %one semantics #nearest_even : (tensor<8xi32>, f32, f32, f32) -> tensor<8xi8>
  return %a, %b, %c, %d, %e : tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>
}
