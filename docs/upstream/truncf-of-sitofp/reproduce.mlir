// RUN: mlir-opt %s --canonicalize | FileCheck %s

// CHECK: arith.sitofp %{{.*}} : i64 to f32
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @twice(%x: i64) -> f32 {
  %0 = arith.sitofp %x : i64 to f64
  %1 = arith.truncf %0 : f64 to f32
  return %1 : f32
}
