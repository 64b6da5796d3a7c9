// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With AVX2 alone, codes are no indices of tables of floats, and bytes are
// multiplied in vectors of 256 bits.
// RUN: quant-opt %s --quant-to-llvm="target-triple=x86_64-linux-gnu target-cpu=x86-64-v3 block-floating-point=true" | FileCheck %s
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

// Values of f4 in halves are 0 to 24 above the least: two products fit in i16.
// CHECK-LABEL: llvm.func @product(
// CHECK: "llvm.x86.avx2.pshuf.b"
// CHECK: "llvm.x86.avx2.pmadd.ub.sw"
// CHECK: "llvm.x86.avx2.pmadd.wd"
func.func @product(%w: tensor<64x64xf4E2M1FN>, %s: tensor<64x2xf32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %d = qdq.dequantize %w scale %s block_shape [1, 32] : (tensor<64x64xf4E2M1FN>, tensor<64x2xf32>) -> tensor<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.matvec ins(%d, %x : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
