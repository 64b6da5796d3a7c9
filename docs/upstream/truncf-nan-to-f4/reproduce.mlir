// RUN: mlir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @nan
// CHECK-DAG: arith.constant 0x0 : f4E2M1FN
// CHECK-DAG: arith.constant 0x0 : f6E2M3FN
// CHECK-DAG: arith.constant 0x0 : f6E3M2FN
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @nan() -> (f4E2M1FN, f6E2M3FN, f6E3M2FN) {
  %x = arith.constant 0x7FC00000 : f32
  %0 = arith.truncf %x : f32 to f4E2M1FN
  %1 = arith.truncf %x : f32 to f6E2M3FN
  %2 = arith.truncf %x : f32 to f6E3M2FN
  return %0, %1, %2 : f4E2M1FN, f6E2M3FN, f6E3M2FN
}

// CHECK-LABEL: func @infinity
// CHECK: arith.constant 0x0 : f4E2M1FN
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @infinity() -> f4E2M1FN {
  %x = arith.constant 0x7F800000 : f32
  %0 = arith.truncf %x : f32 to f4E2M1FN
  return %0 : f4E2M1FN
}
