// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-expand-floats | FileCheck %s
// RUN: quant-opt %s --qdq-native-casts=target=avx10.2 | FileCheck %s --check-prefix=NATIVE
// RUN: quant-opt %s --qdq-expand-floats=include-f16 | FileCheck %s --check-prefix=HALF

// The casts of a named op are what its name says: with others it is a generic.
// CHECK-LABEL: func.func @small(
// CHECK: linalg.generic
// CHECK-NOT: arith.extf
// CHECK: return
// NATIVE-LABEL: func.func @small(
// NATIVE: linalg.generic
// NATIVE-NOT: f8E5M2 to f32
// NATIVE: return
func.func @small(%x: tensor<1x4xf8E5M2>, %w: tensor<4x1xf8E5M2>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %a = linalg.matmul ins(%x, %w : tensor<1x4xf8E5M2>, tensor<4x1xf8E5M2>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %a : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: linalg.matmul
// NATIVE-LABEL: func.func @half(
// NATIVE: linalg.matmul
// HALF-LABEL: func.func @half(
// HALF: linalg.generic
// HALF-NOT: arith.extf
// HALF: return
func.func @half(%x: tensor<1x4xf16>, %w: tensor<4x1xf16>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %a = linalg.matmul ins(%x, %w : tensor<1x4xf16>, tensor<4x1xf16>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %a : tensor<1x1xf32>
}

// The body of a map is its author's.
// CHECK-LABEL: func.func @map(
// CHECK: linalg.map
// CHECK-NOT: arith.extf
// CHECK: return
func.func @map(%x: tensor<4xf8E5M2>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %a = linalg.map ins(%x : tensor<4xf8E5M2>) outs(%init : tensor<4xf32>) (%in: f8E5M2, %out: f32) {
    %wide = arith.extf %in : f8E5M2 to f32
    linalg.yield %wide : f32
  }
  return %a : tensor<4xf32>
}
