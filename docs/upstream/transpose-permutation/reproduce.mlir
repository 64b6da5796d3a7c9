// RUN: not --crash mlir-opt %s 2>&1 | FileCheck %s

// CHECK: NamedAttrList::set
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %z = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%y : tensor<3x2xf32>) permutation = [1.0, 0]
  return %z : tensor<3x2xf32>
}
