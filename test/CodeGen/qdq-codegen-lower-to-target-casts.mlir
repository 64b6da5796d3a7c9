// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts that LLVM rounds twice, or to nearest even only. test/python/test_rounded_casts.py has the values.
// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=integer-casts,rounded-casts | FileCheck %s

// CHECK-LABEL: func.func @short_integer(
// CHECK: %[[WIDE:.*]] = arith.sitofp %{{.*}} : i24 to f32
// CHECK-NEXT: arith.truncf %[[WIDE]] : f32 to bf16
func.func @short_integer(%x: i24) -> bf16 {
  %r = arith.sitofp %x : i24 to bf16
  return %r : bf16
}

// -2^24 is one bit: no integer of 25 bits is rounded.
// CHECK-LABEL: func.func @one_bit_more(
// CHECK-NEXT: arith.sitofp %{{.*}} : i25 to f32
func.func @one_bit_more(%x: i25) -> bf16 {
  %r = arith.sitofp %x : i25 to bf16
  return %r : bf16
}

// CHECK-LABEL: func.func @unsigned_64(
// CHECK: %[[IS_SHORT:.*]] = arith.cmpi ult, %[[X:.*]], %{{.*}} : vector<4xi64>
// CHECK: %[[ODD:.*]] = arith.select %[[IS_SHORT]], %[[X]], %{{.*}}
// CHECK: %[[WIDE:.*]] = arith.uitofp %[[ODD]] : vector<4xi64> to vector<4xf64>
// CHECK: arith.truncf %[[WIDE]] : vector<4xf64> to vector<4xbf16>
func.func @unsigned_64(%x: vector<4xi64>) -> vector<4xbf16> {
  %r = arith.uitofp %x : vector<4xi64> to vector<4xbf16>
  return %r : vector<4xbf16>
}

// Beyond 2^24 the result is infinite: f32 between rounds no finite one.
// CHECK-LABEL: func.func @to_f16(
// CHECK-NEXT: arith.sitofp %{{.*}} : i64 to f16
func.func @to_f16(%x: i64) -> f16 {
  %r = arith.sitofp %x : i64 to f16
  return %r : f16
}

// CHECK-LABEL: func.func @nearest_even(
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT: return
func.func @nearest_even(%x: f32) -> bf16 {
  %r = arith.truncf %x to_nearest_even : f32 to bf16
  return %r : bf16
}

// CHECK-LABEL: func.func @upward(
// CHECK: %[[NEAREST:.*]] = arith.truncf %[[X:.*]] : f64 to f32
// CHECK: %[[BACK:.*]] = arith.extf %[[NEAREST]] : f32 to f64
// CHECK: arith.cmpf olt, %[[BACK]], %[[X]] : f64
// CHECK-NOT: upward
// CHECK: return
func.func @upward(%x: f64) -> f32 {
  %r = arith.truncf %x upward : f64 to f32
  return %r : f32
}
