// RUN: mlir-opt %s --arith-expand --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts > %t
// RUN: mlir-runner %t -e main --entry-point-result=void --shared-libs=%mlir_c_runner_utils | FileCheck %s

func.func @maximum(%x: f32, %y: f32) -> f32 {
  %r = arith.maximumf %x, %y : f32
  return %r : f32
}
func.func @minimum(%x: f32, %y: f32) -> f32 {
  %r = arith.minimumf %x, %y : f32
  return %r : f32
}

// CHECK: {{^}}-0
// CHECK-NEXT: {{^}}0
func.func @main() {
  %p = arith.constant 0.0 : f32
  %n = arith.constant -0.0 : f32
  %0 = call @maximum(%p, %n) : (f32, f32) -> f32
  %1 = call @minimum(%n, %p) : (f32, f32) -> f32
  vector.print %0 : f32
  vector.print %1 : f32
  return
}
