// RUN: not --crash mlir-opt %s --canonicalize 2>&1 | FileCheck %s

// CHECK: PLEASE submit a bug report
func.func @expand(%x: tensor<16xi64>) -> tensor<1x?xi64> {
  %0 = tensor.cast %x : tensor<16xi64> to tensor<?xi64>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [1, 16] : tensor<?xi64> into tensor<1x?xi64>
  return %1 : tensor<1x?xi64>
}
