// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --quant-to-llvm="target=vector target-cpu=cooperlake" | FileCheck %s
// RUN: quant-opt %s --quant-to-llvm="target=linalg" | FileCheck %s
// REQUIRES: x86-64-registered-target

// Tensors without elements, found by tools/fuzz.

// A group of an open size and 0.
// CHECK-LABEL: llvm.func @collapse(
func.func @collapse(%v: tensor<?x0xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %q = qdq.quantize %v scale %s axis 0 : (tensor<?x0xf32>, tensor<?xf32>) -> tensor<?x0xi8>
  %x = qdq.dequantize %q scale %s axis 0 : (tensor<?x0xi8>, tensor<?xf32>) -> tensor<?x0xf32>
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<?x0xf32> into tensor<?xf32>
  %y = arith.addf %r, %r : tensor<?xf32>
  return %y : tensor<?xf32>
}

// The type of the zero points tells it, but not that of the codes: no tile of them is a slice.
// CHECK-LABEL: llvm.func @zero_points(
func.func @zero_points(%q: tensor<?x?xui4>, %s: f64, %z: ui4, %blocks: tensor<?x?xf16>, %none: tensor<0x0xi16>) -> (tensor<?x?xf16>, tensor<?x?xf32>) {
  %x = qdq.dequantize %q scale %s zero_point %z : (tensor<?x?xui4>, f64, ui4) -> tensor<?x?xf16>
  %y = qdq.dequantize %q scale %blocks zero_point %none block_shape [32, 1] semantics <compute = f64> : (tensor<?x?xui4>, tensor<?x?xf16>, tensor<0x0xi16>) -> tensor<?x?xf32>
  return %x, %y : tensor<?x?xf16>, tensor<?x?xf32>
}
