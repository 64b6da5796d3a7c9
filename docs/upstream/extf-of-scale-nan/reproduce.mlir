// RUN: mlir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @nan
// CHECK-DAG: arith.constant 0x7F800000 : f32
// CHECK-DAG: arith.constant 0x7F80 : bf16
// CHECK: return
func.func @nan() -> (f32, bf16) {
  %x = arith.constant 0xFF : f8E8M0FNU
  %0 = arith.extf %x : f8E8M0FNU to f32
  %1 = arith.extf %x : f8E8M0FNU to bf16
  return %0, %1 : f32, bf16
}
