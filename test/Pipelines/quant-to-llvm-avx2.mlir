// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With AVX2 alone, codes are no indices of tables of floats.
// RUN: quant-opt %s --quant-to-llvm="target-triple=x86_64-linux-gnu target-cpu=x86-64-v3" | FileCheck %s
// RUN: quant-opt %s --quant-to-llvm="target-triple=x86_64-linux-gnu target-cpu=x86-64-v4 sum-order=any" | FileCheck %s --check-prefix=WIDE

// CHECK-LABEL: llvm.func @dequantize(
// CHECK-NOT: llvm.extractelement
// CHECK: llvm.sitofp
// CHECK-NOT: llvm.extractelement
// WIDE-LABEL: llvm.func @dequantize(
// WIDE: "llvm.x86.avx512.permvar.si.512"
func.func @dequantize(%w: tensor<64x64xi4>, %s: tensor<64x2xf32>) -> tensor<64x64xf32> {
  %0 = qdq.dequantize %w scale %s block_shape [1, 32] : (tensor<64x64xi4>, tensor<64x2xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
