// RUN: mlir-opt %s --convert-arith-to-llvm | FileCheck %s

// CHECK-LABEL: func @product
// CHECK: arith.mului_extended %{{.*}} : vector<2x4xi32>
func.func @product(%x: vector<2x4xi32>) -> (vector<2x4xi32>, vector<2x4xi32>) {
  %low, %high = arith.mului_extended %x, %x : vector<2x4xi32>
  return %low, %high : vector<2x4xi32>, vector<2x4xi32>
}
