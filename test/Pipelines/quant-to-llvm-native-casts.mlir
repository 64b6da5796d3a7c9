// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor says whether it casts floats of 8 bits: no option of its own.
// RUN: quant-opt %s --quant-to-llvm="target-triple=x86_64-linux-gnu target-features=+avx10.2" | FileCheck %s --check-prefix=X86
// RUN: quant-opt %s --quant-to-llvm="target-triple=aarch64-linux-gnu target-features=+fp8" | FileCheck %s --check-prefix=ARM
// RUN: quant-opt %s --quant-to-llvm="target-triple=riscv64-linux-gnu target-features=+v,+zvfbfmin,+experimental-zvfofp8min" | FileCheck %s --check-prefix=RISCV
// RUN: quant-opt %s --quant-to-llvm="target-triple=x86_64-linux-gnu target-features=+avx10.2 without=native-casts" | FileCheck %s --check-prefix=NONE
// RUN: quant-opt %s --quant-to-llvm="target-triple=riscv64-linux-gnu target-features=+v,+experimental-zvfofp8min" | FileCheck %s --check-prefix=NONE
// RUN: quant-opt %s --quant-to-llvm | FileCheck %s --check-prefix=NONE

// NONE-NOT: call_intrinsic
// X86: llvm.call_intrinsic "llvm.x86.avx10.mask.vcvthf82ph
// ARM: llvm.call_intrinsic "llvm.aarch64.neon.fp8.cvtl1"
// RISCV: llvm.call_intrinsic "llvm.riscv.vfwcvt.f.f.v"
func.func @f(%q: tensor<64xf8E4M3FN>, %s: f32) -> tensor<64xf32> {
  %x = qdq.dequantize %q scale %s : (tensor<64xf8E4M3FN>, f32) -> tensor<64xf32>
  return %x : tensor<64xf32>
}
