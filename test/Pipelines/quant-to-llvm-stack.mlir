// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --quant-to-llvm=sum-order=lanes | FileCheck %s --implicit-check-not=llvm.alloca

// Loops allocate no stack for the sizes of a buffer.
// CHECK: llvm.func @sums_of_open_sizes(
func.func @sums_of_open_sizes(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>) outs(%c : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}
