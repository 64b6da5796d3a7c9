// RUN: mlir-opt %s --loop-invariant-code-motion | FileCheck %s
// RUN: mlir-opt %s --loop-invariant-code-motion --convert-scf-to-cf --convert-vector-to-llvm --arith-expand --convert-to-llvm --reconcile-unrealized-casts > %t
// RUN: not --crash mlir-runner %t -e main --entry-point-result=void --shared-libs=%mlir_c_runner_utils

// CHECK-LABEL: func @loop
// CHECK: arith.floordivsi
// CHECK: scf.for
func.func @loop(%count: index, %a: i32, %b: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero) -> i32 {
    %1 = arith.floordivsi %a, %b : i32
    %2 = arith.addi %sum, %1 : i32
    scf.yield %2 : i32
  }
  return %r : i32
}

func.func @main() {
  %count = arith.constant 0 : index
  %a = arith.constant 7 : i32
  %b = arith.constant 0 : i32
  %r = call @loop(%count, %a, %b) : (index, i32, i32) -> i32
  vector.print %r : i32
  return
}
