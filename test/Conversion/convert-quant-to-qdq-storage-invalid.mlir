// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage of MLIR 23 for which no text says what a code is.
// REQUIRES: mlir-23
// RUN: quant-opt --convert-quant-to-qdq --split-input-file --verify-diagnostics %s
// RUN: quant-opt --lower-quant --split-input-file --verify-diagnostics %s

func.func @zero_point(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quant.qcast' op has the type '!quant.uniform<f8E5M2:f32, 5.000000e-01:3>', whose zero point is 3: expected 0, since its codes are no integers}}
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<f8E5M2:f32, 0.5:3>>
  return
}

// -----

func.func @narrowed(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quant.qcast' op has the type '!quant.uniform<f8E5M2<-100:100>:f32, 5.000000e-01>', whose codes are narrowed to -100 to 100: expected all, -57344 to 57344}}
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<f8E5M2<-100:100>:f32, 0.5>>
  return
}

// -----

!q = !quant.quantile<ui2:f16, {-1.0, -0.5, 0.0, 1.0}>
func.func @to_quantiles(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quant.qcast' op stores quantiles, and no text says which code a value between two of them has: expected only 'quant.dcast' of such a type}}
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<!q:f32, 0.5>>
  return
}

// -----

!q = !quant.quantile<ui2:f16, {-1.0, -0.5, 0.0, 1.0}>
func.func @unranked(%q: tensor<*x!quant.uniform<!q:f32, 0.5>>) {
  // expected-error@+1 {{'quant.dcast' op looks quantiles up for an unranked tensor: expected a ranked one}}
  %x = quant.dcast %q : tensor<*x!quant.uniform<!q:f32, 0.5>> to tensor<*xf32>
  return
}

// -----

!q = !quant.quantile<si2:f16, {-1.0, -0.5, 0.0, 1.0}>
func.func @signed(%q: tensor<4x!quant.uniform<!q:f32, 0.5>>) {
  // expected-error@+1 {{whose 4 quantiles belong to 'si2': expected one for each code of an unsigned integer}}
  %x = quant.dcast %q : tensor<4x!quant.uniform<!q:f32, 0.5>> to tensor<4xf32>
  return
}

// -----

!q = !quant.quantile<ui2:f32, {-1.0, -0.5, 0.0, 1.0}>
func.func @wide(%q: tensor<4x!quant.uniform<!q:f32, 0.5>>) {
  // expected-error@+1 {{whose quantiles are of type 'f32': expected bf16, f16, or a smaller float}}
  %x = quant.dcast %q : tensor<4x!quant.uniform<!q:f32, 0.5>> to tensor<4xf32>
  return
}
