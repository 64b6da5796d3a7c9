// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer is freed behind its last use: the next one takes its place in the caches.
// RUN: quant-opt %s --quant-to-llvm="stop-after=buffers target=linalg" | FileCheck %s

// CHECK-LABEL: func.func @chain(
// CHECK: linalg.matmul ins(%arg0, %arg0 {{.*}} outs(%[[FIRST:[a-z_0-9]+]] :
// CHECK-NEXT: linalg.matmul ins(%[[FIRST]], %arg0 {{.*}} outs(%[[SECOND:[a-z_0-9]+]] :
// CHECK-NEXT: memref.dealloc %[[FIRST]]
// CHECK: linalg.matmul ins(%[[SECOND]], %arg0
// CHECK-NEXT: memref.dealloc %[[SECOND]]
func.func @chain(%x: tensor<8x8xf64>, %init: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8x8xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<8x8xf64>) -> tensor<8x8xf64>
  %a = linalg.matmul ins(%x, %x : tensor<8x8xf64>, tensor<8x8xf64>) outs(%f : tensor<8x8xf64>) -> tensor<8x8xf64>
  %b = linalg.matmul ins(%a, %x : tensor<8x8xf64>, tensor<8x8xf64>) outs(%f : tensor<8x8xf64>) -> tensor<8x8xf64>
  %c = linalg.matmul ins(%b, %x : tensor<8x8xf64>, tensor<8x8xf64>) outs(%init : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %c : tensor<8x8xf64>
}
