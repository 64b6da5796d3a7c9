// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-lay-out-contractions | FileCheck %s

// Out of both loops; what depends on the iteration, or could trap, stays.
// CHECK-LABEL: @nest
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x8xf32>)
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.remsi
// CHECK: linalg.transpose ins(%{{.*}} : tensor<8x4xf32>)
func.func @nest(%w: tensor<4x8xf32>, %n: index, %p: index, %q: index, %init: tensor<8x4xf32>) -> (tensor<8x4xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init, %k = %c0) -> (tensor<8x4xf32>, index) {
    %in:2 = scf.for %j = %c0 to %n step %c1 iter_args(%u = %s, %l = %k) -> (tensor<8x4xf32>, index) {
      %m = arith.remsi %p, %q : index
      %e = tensor.empty() : tensor<8x4xf32>
      %t = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
      %f = tensor.empty() : tensor<4x8xf32>
      %v = linalg.transpose ins(%u : tensor<8x4xf32>) outs(%f : tensor<4x8xf32>) permutation = [1, 0]
      %x = linalg.transpose ins(%v : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
      %a = linalg.add ins(%x, %t : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
      scf.yield %a, %m : tensor<8x4xf32>, index
    }
    scf.yield %in#0, %in#1 : tensor<8x4xf32>, index
  }
  return %r#0, %r#1 : tensor<8x4xf32>, index
}

// In buffers it would read what the loop writes.
// CHECK-LABEL: @buffers
// CHECK: scf.for
// CHECK: linalg.transpose
func.func @buffers(%w: memref<4x8xf32>, %t: memref<8x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    linalg.transpose ins(%w : memref<4x8xf32>) outs(%t : memref<8x4xf32>) permutation = [1, 0]
  }
  return
}
