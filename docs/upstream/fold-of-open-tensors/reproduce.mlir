// RUN: mlir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @xor
// CHECK: arith.constant dense<0> : tensor<?xi32>
func.func @xor(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = arith.xori %x, %x : tensor<?xi32>
  return %0 : tensor<?xi32>
}

// CHECK-LABEL: func.func @compare
// CHECK: arith.constant dense<false> : tensor<?xi1>
func.func @compare(%x: tensor<?xi32>) -> tensor<?xi1> {
  %0 = arith.cmpi slt, %x, %x : tensor<?xi32>
  return %0 : tensor<?xi1>
}
