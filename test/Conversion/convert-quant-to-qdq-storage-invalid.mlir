// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage that is no integer, as MLIR 23 has it.
// REQUIRES: mlir-23
// RUN: quant-opt --convert-quant-to-qdq --split-input-file --verify-diagnostics %s
// RUN: quant-opt --lower-quant --split-input-file --verify-diagnostics %s

func.func @float(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quant.qcast' op has the type '!quant.uniform<f8E5M2:f32, 5.000000e-01>', whose storage is no integer}}
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<f8E5M2:f32, 0.5>>
  return
}

// -----

!q = !quant.quantile<ui2:f16, {-1.0, -0.5, 0.0, 1.0}>
// expected-error@+1 {{'func.func' op has the type '!quant.uniform<!quant.quantile<}}
func.func @quantile(%q: tensor<4x!quant.uniform<!q:f32, 0.5>>) {
  // expected-error@+1 {{'quant.dcast' op has the type '!quant.uniform<!quant.quantile<}}
  %x = quant.dcast %q : tensor<4x!quant.uniform<!q:f32, 0.5>> to tensor<4xf32>
  return
}
