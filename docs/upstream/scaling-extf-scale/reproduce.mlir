// RUN: mlir-opt %s --arith-expand="include-f8e8m0=true" --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts > %t
// RUN: mlir-runner %t -e main --entry-point-result=void --shared-libs=%mlir_c_runner_utils | FileCheck %s

func.func @scaled(%one: f16, %scale: f32) -> f32 {
  %y = arith.scaling_extf %one, %scale : f16, f32 to f32
  return %y : f32
}

// CHECK: 2
// CHECK-NEXT: 2
// CHECK-NEXT: 4
func.func @main() {
  %one = arith.constant 1.0 : f16
  %a = arith.constant 3.0 : f32
  %b = arith.constant -3.0 : f32
  %c = arith.constant 7.5 : f32
  %0 = call @scaled(%one, %a) : (f16, f32) -> f32
  %1 = call @scaled(%one, %b) : (f16, f32) -> f32
  %2 = call @scaled(%one, %c) : (f16, f32) -> f32
  vector.print %0 : f32
  vector.print %1 : f32
  vector.print %2 : f32
  return
}
