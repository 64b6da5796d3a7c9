// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s | quant-opt | FileCheck %s --check-prefixes=CHECK,PARSED
// RUN: quant-opt %s --canonicalize | FileCheck %s --check-prefix=FOLDED
// RUN: quant-opt %s --convert-qdq-to-arith | FileCheck %s --check-prefix=ARITH

#saturate = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#stochastic = #qdq.semantics<rounding = stochastic, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#undefined = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = undefined, nan = undefined, fusion = none, float_overflow = saturate>

// CHECK-LABEL: func.func @forms(
// PARSED: qdq.encode %arg0 scale %arg1 as i8 semantics <{{.*}}> : (f32, f32) -> i8
// PARSED: qdq.encode %arg0 scale %arg1 zero_point %arg2 in <expressed> as ui4 clamp [1, 14] semantics <{{.*}}> {unsigned_zero_point} : (f32, f32, i8) -> i4
// PARSED: qdq.encode %arg3 scale %arg4 as f8E4M3FN semantics <{{.*}}> : (vector<4xf16>, vector<4xf8E8M0FNU>) -> vector<4xf8E4M3FN>
// PARSED: qdq.encode %arg0 scale %arg1 at %arg5 seed %arg6 as i8 semantics <rounding = stochastic, {{.*}}> : (f32, f32, i64, i64) -> i8
// No op but arithmetic is left.
// ARITH-LABEL: func.func @forms(
// ARITH-NOT: qdq.
// ARITH: return
func.func @forms(%x: f32, %s: f32, %z: i8, %v: vector<4xf16>, %w: vector<4xf8E8M0FNU>, %at: i64, %seed: i64) -> (i8, i4, vector<4xf8E4M3FN>, i8) {
  %0 = qdq.encode %x scale %s as i8 semantics #saturate : (f32, f32) -> i8
  %1 = qdq.encode %x scale %s zero_point %z in <expressed> as ui4 clamp [1, 14] semantics #saturate {unsigned_zero_point} : (f32, f32, i8) -> i4
  %2 = qdq.encode %v scale %w as f8E4M3FN semantics #saturate : (vector<4xf16>, vector<4xf8E8M0FNU>) -> vector<4xf8E4M3FN>
  %3 = qdq.encode %x scale %s at %at seed %seed as i8 semantics #stochastic : (f32, f32, i64, i64) -> i8
  return %0, %1, %2, %3 : i8, i4, vector<4xf8E4M3FN>, i8
}

// A tie, NaN, and codes in wider integers: -7 of i4 is -7, 9 of ui4 is 9, 2.0 of f4E2M1FN has the bits 0100.
// FOLDED-LABEL: func.func @constants(
// FOLDED-DAG: %[[TIE:.*]] = arith.constant 2 : i8
// FOLDED-DAG: %[[NAN:.*]] = arith.constant -128 : i8
// FOLDED-DAG: %[[SIGNED:.*]] = arith.constant -7 : i8
// FOLDED-DAG: %[[UNSIGNED:.*]] = arith.constant 9 : i8
// FOLDED-DAG: %[[BITS:.*]] = arith.constant dense<4> : vector<2xi8>
// FOLDED: return %[[TIE]], %[[NAN]], %[[SIGNED]], %[[UNSIGNED]], %[[BITS]]
// ARITH-LABEL: func.func @constants(
// ARITH-NOT: qdq.
// ARITH: arith.extui {{.*}} : vector<2xi4> to vector<2xi8>
// ARITH: return
func.func @constants() -> (i8, i8, i8, i8, vector<2xi8>) {
  %tie = arith.constant 2.5 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %one = arith.constant 1.0 : f32
  %low = arith.constant -7.2 : f32
  %high = arith.constant 9.4 : f32
  %twos = arith.constant dense<2.0> : vector<2xf32>
  %ones = arith.constant dense<1.0> : vector<2xf32>
  %0 = qdq.encode %tie scale %one as i8 semantics #saturate : (f32, f32) -> i8
  %1 = qdq.encode %nan scale %one as i8 semantics #saturate : (f32, f32) -> i8
  %2 = qdq.encode %low scale %one as i4 semantics #saturate : (f32, f32) -> i8
  %3 = qdq.encode %high scale %one as ui4 semantics #saturate : (f32, f32) -> i8
  %4 = qdq.encode %twos scale %ones as f4E2M1FN semantics #saturate : (vector<2xf32>, vector<2xf32>) -> vector<2xi8>
  return %0, %1, %2, %3, %4 : i8, i8, i8, i8, vector<2xi8>
}

// Neither draws nor what is undefined fold; a code that nobody reads goes.
// FOLDED-LABEL: func.func @kept(
// FOLDED-COUNT-2: qdq.encode
// FOLDED-NOT: qdq.encode
// FOLDED: return
func.func @kept(%x: f32) -> (i8, i8) {
  %one = arith.constant 1.0 : f32
  %huge = arith.constant 300.0 : f32
  %at = arith.constant 0 : i64
  %0 = qdq.encode %one scale %one at %at as i8 semantics #stochastic {seed = 3 : i64} : (f32, f32, i64) -> i8
  %1 = qdq.encode %huge scale %one as i8 semantics #undefined : (f32, f32) -> i8
  %2 = qdq.encode %x scale %one as i8 semantics #saturate : (f32, f32) -> i8
  return %0, %1 : i8, i8
}
