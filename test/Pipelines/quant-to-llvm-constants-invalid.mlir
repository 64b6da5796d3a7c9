// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --quant-to-llvm --verify-diagnostics

func.func @xor_of_equal(%x: tensor<?xi32>) -> tensor<?xi32> {
  // expected-error@+1 {{a constant has no sizes. Upstream folds arith.xori, subi and cmpi of equal tensors to it: write linalg.fill}}
  %0 = arith.xori %x, %x : tensor<?xi32>
  return %0 : tensor<?xi32>
}
