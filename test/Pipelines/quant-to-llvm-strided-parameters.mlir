// RUN: quant-opt %s --quant-to-llvm=caller-allocates | FileCheck %s

// A scale for each row, from one column of a table: the read of one element from a subview with a stride.
// CHECK: llvm.func @dequantize_axis_strided_scale
// CHECK-NOT: vector.
func.func @dequantize_axis_strided_scale(%q: tensor<4x8xi16>, %table: tensor<4x3xf32>) -> tensor<4x8xf32> {
  %s = tensor.extract_slice %table[0, 2] [4, 1] [1, 1] : tensor<4x3xf32> to tensor<4xf32>
  %x = qdq.dequantize %q scale %s axis 0 : (tensor<4x8xi16>, tensor<4xf32>) -> tensor<4x8xf32>
  return %x : tensor<4x8xf32>
}
