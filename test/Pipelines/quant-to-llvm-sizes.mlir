// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --quant-to-llvm --mlir-print-ir-before=qdq-codegen-prepare-bufferization -o /dev/null 2>&1 | FileCheck %s

// Bufferization compares slices, and takes long to follow their sizes through all loops and pads before: they are sums of the sizes of arguments instead.
// CHECK-LABEL: func.func @sizes_of_later_loops(
// CHECK: tensor.dim %arg0, %c0
// CHECK: tensor.dim %arg0, %c1
// CHECK-NOT: tensor.dim
// CHECK: scf.for
// CHECK: tensor.pad
// CHECK-NOT: tensor.dim
// CHECK: return
func.func @sizes_of_later_loops(%x: tensor<?x?xf32>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %q = qdq.quantize %x scale %s block_shape [32, 32] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xi8>
  %d = qdq.dequantize %q scale %s block_shape [32, 32] : (tensor<?x?xi8>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = tensor.pad %d low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %r = qdq.quantize %p scale %t block_shape [32, 32] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xi8>
  %e = qdq.dequantize %r scale %t block_shape [32, 32] : (tensor<?x?xi8>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}
