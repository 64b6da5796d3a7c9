// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-outline-repeats=min-ops=8 --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-outline-repeats --split-input-file | FileCheck %s --check-prefix=SMALL

// Weights and buffers of results are arguments. Each layer fills its own tensor.
// CHECK-LABEL: func.func @layers(
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>, %[[KEPT0:.*]]: memref<4x4xf32>, %[[KEPT1:.*]]: memref<4x4xf32>, %[[KEPT2:.*]]: memref<4x4xf32>)
// CHECK-DAG: %[[W0:.*]] = arith.constant dense<1.0
// CHECK-DAG: %[[W1:.*]] = arith.constant dense<[
// CHECK-DAG: %[[W2:.*]] = arith.constant dense_resource<w2>
// CHECK: %[[Y0:.*]] = call @layers.shared(%[[X]], %[[W0]], %[[KEPT0]])
// CHECK-NEXT: %[[Y1:.*]] = call @layers.shared(%[[Y0]], %[[W1]], %[[KEPT1]])
// CHECK-NEXT: %[[Y2:.*]] = call @layers.shared(%[[Y1]], %[[W2]], %[[KEPT2]])
// CHECK-NEXT: return %[[Y2]]
// CHECK: func.func private @layers.shared(%[[IN:.*]]: tensor<4x4xf32>, %[[W:.*]]: tensor<4x4xf32>, %[[KEPT:.*]]: memref<4x4xf32>) -> tensor<4x4xf32>
// CHECK-SAME: llvm.linkage = #llvm.linkage<internal>
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: tensor.empty
// CHECK: linalg.fill
// CHECK: linalg.matmul ins(%[[IN]], %[[W]]
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[KEPT]]
// CHECK: linalg.fill
// CHECK: %[[OUT:.*]] = linalg.matmul
// CHECK: return %[[OUT]]

// SMALL-LABEL: func.func @layers(
// SMALL-NOT: call
func.func @layers(%x: tensor<4x4xf32>, %kept0: memref<4x4xf32>, %kept1: memref<4x4xf32>, %kept2: memref<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %w0 = arith.constant dense<1.0> : tensor<4x4xf32>
  %w1 = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<4x4xf32>
  %w2 = arith.constant dense_resource<w2> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a0 = linalg.matmul ins(%x, %w0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y0 = linalg.matmul ins(%a0, %a0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a1 = linalg.matmul ins(%y0, %w1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y1 = linalg.matmul ins(%a1, %a1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a2 = linalg.matmul ins(%y1, %w2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y2 = linalg.matmul ins(%a2, %a2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  bufferization.materialize_in_destination %a0 in restrict writable %kept0 : (tensor<4x4xf32>, memref<4x4xf32>) -> ()
  bufferization.materialize_in_destination %a1 in restrict writable %kept1 : (tensor<4x4xf32>, memref<4x4xf32>) -> ()
  bufferization.materialize_in_destination %a2 in restrict writable %kept2 : (tensor<4x4xf32>, memref<4x4xf32>) -> ()
  return %y2 : tensor<4x4xf32>
}
{-# dialect_resources: { builtin: { w2: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" } } #-}

// -----

// The index of the second layer is another one, and the third reads the first again.
// CHECK-LABEL: func.func @unlike(
// CHECK-NOT: call
// CHECK: return
func.func @unlike(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e0 = tensor.extract %x[%c1] : tensor<8xf32>
  %a0 = arith.addf %e0, %e0 : f32
  %b0 = arith.mulf %a0, %e0 : f32
  %d0 = arith.divf %b0, %a0 : f32
  %y0 = tensor.insert %d0 into %x[%c1] : tensor<8xf32>
  %e1 = tensor.extract %y0[%c2] : tensor<8xf32>
  %a1 = arith.addf %e1, %e1 : f32
  %b1 = arith.mulf %a1, %e1 : f32
  %d1 = arith.divf %b1, %a1 : f32
  %y1 = tensor.insert %d1 into %y0[%c2] : tensor<8xf32>
  %e2 = tensor.extract %y0[%c2] : tensor<8xf32>
  %a2 = arith.addf %e2, %e2 : f32
  %b2 = arith.mulf %a2, %e2 : f32
  %d2 = arith.divf %b2, %a2 : f32
  %y2 = tensor.insert %d2 into %y1[%c2] : tensor<8xf32>
  return %y1, %y2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A write of the caller that others may see stays where it is.
// CHECK-LABEL: func.func @unrestricted(
// CHECK: linalg.matmul
// CHECK-NEXT: memref.load
// CHECK: bufferization.materialize_in_destination
func.func @unrestricted(%x: tensor<4x4xf32>, %i: index, %seen: memref<4x4xf32>) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = memref.load %seen[%i, %i] : memref<4x4xf32>
  %b = linalg.matmul ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = tensor.extract %b[%i, %i] : tensor<4x4xf32>
  bufferization.materialize_in_destination %a in restrict writable %seen : (tensor<4x4xf32>, memref<4x4xf32>) -> ()
  return %s, %t : f32, f32
}

// -----

// Two writes of one result stay behind it.
// CHECK-LABEL: func.func @written_twice(
// CHECK: %[[Y:.*]] = math.exp
// CHECK-NEXT: bufferization.materialize_in_destination %[[Y]]
// CHECK-NEXT: bufferization.materialize_in_destination %[[Y]]
// CHECK-NEXT: math.exp
func.func @written_twice(%x: tensor<8xf32>, %p: memref<8xf32>, %q: memref<8xf32>) -> tensor<8xf32> {
  %y = math.exp %x : tensor<8xf32>
  %a = math.exp %y : tensor<8xf32>
  %b = math.log %a : tensor<8xf32>
  %c = math.sin %b : tensor<8xf32>
  %d = math.cos %c : tensor<8xf32>
  %e = math.tanh %d : tensor<8xf32>
  %f = math.erf %e : tensor<8xf32>
  %g = math.absf %f : tensor<8xf32>
  %h = math.ceil %g : tensor<8xf32>
  %i = math.floor %h : tensor<8xf32>
  %j = math.trunc %i : tensor<8xf32>
  %k = math.round %j : tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %p : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %y in restrict writable %q : (tensor<8xf32>, memref<8xf32>) -> ()
  return %k : tensor<8xf32>
}
