// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales that XNNPACK leaves to kernels of LiteRT that wrap.
// RUN: quant-opt %s --convert-tfl-to-qdq=profile=xnnpack --split-input-file --verify-diagnostics

!q = !quant.uniform<i8:f32, 512.0>
!r = !quant.uniform<i8:f32, 1.0>
func.func @add(%x: tensor<4x!q>) -> tensor<4x!r> {
  // expected-error@+1 {{'tfl.add' op has operands whose scale is 5.120000e+02 times the result's: expected less than 256, since LiteRT's default kernels wrap}}
  %y = "tfl.add"(%x, %x) {fused_activation_function = "NONE"} : (tensor<4x!q>, tensor<4x!q>) -> tensor<4x!r>
  return %y : tensor<4x!r>
}
