// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --quant-to-llvm --verify-diagnostics
// MLIR 23 refuses the op itself.
// REQUIRES: mlir-22

func.func @forgotten(%x: tensor<?xi64>) -> tensor<1x?xi64> {
  // expected-error@+1 {{'tensor.expand_shape' op reaches the stage 'sources' of quant-to-llvm: sizes of output_shape are those of the result type}}
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [1, 16] : tensor<?xi64> into tensor<1x?xi64>
  return %0 : tensor<1x?xi64>
}
