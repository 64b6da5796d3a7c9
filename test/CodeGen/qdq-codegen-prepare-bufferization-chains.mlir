// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %chains %s | timeout 60 quant-opt --qdq-codegen-prepare-bufferization | FileCheck %s

// Each reader of a result is looked at once.
// CHECK-LABEL: func.func @selects(
// CHECK: %[[WHOLE:.*]] = bufferization.to_tensor
// CHECK: linalg.negf {{.*}} outs(%[[WHOLE]]
func.func @selects(%x: tensor<4x8xf32>, %c: i1, %i: index, %out: memref<4x8xf32>) -> f32 {
  %e = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.negf ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  bufferization.materialize_in_destination %s0 in restrict writable %out : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  // CHAIN 40
  %s#1 = arith.select %c, %s#0, %s#0 : tensor<4x8xf32>
  // END
  %r = tensor.extract %s40[%i, %i] : tensor<4x8xf32>
  return %r : f32
}
