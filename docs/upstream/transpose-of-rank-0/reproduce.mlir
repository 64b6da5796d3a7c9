// RUN: not --crash mlir-opt %s --linalg-generalize-named-ops 2>&1 | FileCheck %s

// CHECK: PLEASE submit a bug report
func.func @identity(%x: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %t = linalg.transpose ins(%x : tensor<f32>) outs(%e : tensor<f32>) permutation = []
  return %t : tensor<f32>
}
