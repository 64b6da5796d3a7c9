// The header, the forms of output, and other targets. Programs that call what
// it compiles are in test/python/test_ahead_of_time.py.
// RUN: rm -rf %t && mkdir %t
// RUN: quant-compile %s -o %t/model.o --header %t/model.h
// RUN: FileCheck %s --input-file=%t/model.h
// RUN: llvm-nm --defined-only --extern-only --format=just-symbols %t/model.o | sort | FileCheck %s --check-prefix=NAMES

// RUN: quant-compile %s -o - --emit=asm -mcpu=x86-64-v4 -mtriple=x86_64-linux-gnu | FileCheck %s --check-prefix=AVX512
// RUN: quant-compile %s -o - --emit=asm -mtriple=x86_64-linux-gnu -mattr=+avx2 | FileCheck %s --check-prefix=AVX2
// RUN: quant-compile %s -o %t/arm.o -mtriple=aarch64-linux-gnu
// RUN: llvm-readobj --file-header %t/arm.o | FileCheck %s --check-prefix=ARM
// RUN: quant-compile %s -o - --emit=llvm --prefix=my_ | FileCheck %s --check-prefix=LLVM
// RUN: quant-compile %s -o %t/model.bc --emit=bitcode
// RUN: llvm-dis %t/model.bc -o - | FileCheck %s --check-prefix=BITCODE

// CHECK: Made by quant-compile from quant-compile.mlir for
// CHECK: #ifndef QDQ_MODEL_H
// CHECK: extern "C"
// CHECK:      * quantize
// CHECK-NEXT: *   arg0 ("X"): tensor<?x4xf32>
// CHECK-NEXT: *     shape [arg0_size0][4], float
// CHECK-NEXT: *   arg1: f16
// CHECK-NEXT: *     bits of f16
// CHECK-NEXT: *   result0: tensor<?x4x!quant.uniform<u4:f32, 5.000000e-01:8>>
// CHECK-NEXT: *     shape [?][4], packed i4: row-major, without gaps, the first element in the lowest bits
// CHECK-NEXT: *   result1: f16
// CHECK-NEXT: *     bits of f16
// CHECK-NEXT: *   result2: index
// CHECK-NEXT: *     int64_t
// CHECK-NEXT: *   returns 0
// CHECK: int quantize(const float *arg0, int64_t arg0_size0, uint16_t arg1, uint8_t *result0, uint16_t *result1, int64_t *result2);
// CHECK: * quantize_sizes
// CHECK-NEXT: sizes[0]: bytes of result0
// CHECK-NEXT: sizes[1]: result0, dimension 0
// CHECK-NEXT: sizes[2]: the value of result2
// CHECK: int quantize_sizes(const float *arg0, int64_t arg0_size0, uint16_t arg1, int64_t sizes[3]);

// CHECK: *   arg0: tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
// CHECK: int odd_name(const int8_t *arg0, float *result0);

// NAMES-NOT: {{.}}
// NAMES: odd_name
// NAMES-NEXT: quantize
// NAMES-NEXT: quantize_sizes
// NAMES-NOT: {{.}}

// AVX512: zmm
// AVX2: ymm
// ARM: Arch: aarch64
// LLVM: target triple =
// LLVM: define {{.*}}i32 @my_odd_name(ptr
// BITCODE: define {{.*}}i32 @odd_name(ptr

func.func @quantize(%x: tensor<?x4xf32> {onnx.name = "X"}, %a: f16)
    -> (tensor<?x4x!quant.uniform<u4:f32, 0.5:8>>, f16, index) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %q = quant.qcast %x : tensor<?x4xf32> to tensor<?x4x!quant.uniform<u4:f32, 0.5:8>>
  %b = arith.addf %a, %a : f16
  return %q, %b, %n : tensor<?x4x!quant.uniform<u4:f32, 0.5:8>>, f16, index
}

func.func @"odd.name"(%q: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32> {
  %x = quant.dcast %q : tensor<2x!quant.uniform<i8:f32, 0.5>> to tensor<2xf32>
  return %x : tensor<2xf32>
}

func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
