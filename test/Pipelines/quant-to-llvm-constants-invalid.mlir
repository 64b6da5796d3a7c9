// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --quant-to-llvm --split-input-file --verify-diagnostics

func.func @xor_of_equal(%x: tensor<?xi32>) -> tensor<?xi32> {
  // expected-error@+1 {{a constant has no sizes. Upstream folds arith.xori, subi and cmpi of equal tensors to it: write linalg.fill}}
  %0 = arith.xori %x, %x : tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

func.func @scalar_without_data() -> tensor<f32> {
  // expected-error@+1 {{has no data of one element in resource 'absent'}}
  %0 = arith.constant dense_resource<absent> : tensor<f32>
  return %0 : tensor<f32>
}
