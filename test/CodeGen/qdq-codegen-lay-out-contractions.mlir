// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named sums of i32 and f32 become generics; other named ops stay.
// RUN: quant-opt %s --qdq-codegen-lay-out-contractions | FileCheck %s

// CHECK-LABEL: @sums
// CHECK: linalg.fill
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: linalg.transpose
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
func.func @sums(%a: tensor<4x8xi8>, %b: tensor<8x16xi8>, %x: tensor<?xf32>, %w: tensor<?x?xf32>, %init: tensor<?xf32>) -> (tensor<16x4xi32>, tensor<?xf32>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x16xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x16xi32>) -> tensor<4x16xi32>
  %p = linalg.matmul ins(%a, %b : tensor<4x8xi8>, tensor<8x16xi8>) outs(%f : tensor<4x16xi32>) -> tensor<4x16xi32>
  %u = tensor.empty() : tensor<16x4xi32>
  %t = linalg.transpose ins(%p : tensor<4x16xi32>) outs(%u : tensor<16x4xi32>) permutation = [1, 0]
  %y = linalg.matvec ins(%w, %x : tensor<?x?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %t, %y : tensor<16x4xi32>, tensor<?xf32>
}

// Sums of f16 and f64 are no candidates.
// CHECK-LABEL: @others
// CHECK: linalg.matvec
// CHECK: linalg.matmul
func.func @others(%w: tensor<8x8xf16>, %x: tensor<8xf16>, %init: tensor<8xf16>, %a: tensor<8x8xf64>) -> (tensor<8xf16>, tensor<8x8xf64>) {
  %y = linalg.matvec ins(%w, %x : tensor<8x8xf16>, tensor<8xf16>) outs(%init : tensor<8xf16>) -> tensor<8xf16>
  %z = linalg.matmul ins(%a, %a : tensor<8x8xf64>, tensor<8x8xf64>) outs(%a : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %y, %z : tensor<8xf16>, tensor<8x8xf64>
}

// -----

// A sum in any order of few terms, whose factors are arguments, has lanes that are results, too: joining lanes that are terms would cost more. One of many terms stays.
// CHECK-LABEL: func.func @few_terms(
// CHECK: linalg.transpose ins(%arg1 : tensor<32x64xf32>) outs(%{{.*}} : tensor<64x32xf32>)
// CHECK-LABEL: func.func @many_terms(
// CHECK-NOT: linalg.transpose
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @few_terms(%x: tensor<16x64xf32>, %w: tensor<32x64xf32>, %y: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<16x64xf32>, tensor<32x64xf32>) outs(%y : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

func.func @many_terms(%x: tensor<16x512xf32>, %w: tensor<32x512xf32>, %y: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<16x512xf32>, tensor<32x512xf32>) outs(%y : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}
