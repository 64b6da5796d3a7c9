// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file | FileCheck %s

#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// Sixteen rows at once. The first four columns of the last square are terms.
// CHECK-LABEL: func.func @rows(
// CHECK: scf.for
// CHECK: %[[START:.*]] = vector.transfer_read {{.*}} : tensor<16xf32>, vector<16xf32>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[START]]) -> (vector<16xf32>)
// CHECK-COUNT-16: vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<16x36xf32>, vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT: arith.addf
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[SUM]])
// CHECK-COUNT-16: vector.transfer_read {{.*}} : tensor<16x36xf32>, vector<16xf32>
// CHECK: vector.shuffle
// CHECK-COUNT-4: arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT: arith.addf
// CHECK: vector.transfer_write {{.*}} : vector<16xf32>, tensor<16xf32>
// CHECK: return
func.func @rows(%x: tensor<32x36xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %r = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<32x36xf32>) outs(%y : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}

// -----

#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

#vector = affine_map<(i, k) -> (k)>

// The rows share the other factor. A rest of an open number is read element by element.
// CHECK-LABEL: func.func @matvec(
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (vector<16xf32>)
// CHECK-COUNT-64: vector.shuffle
// CHECK: %[[X:.*]] = tensor.extract
// CHECK: %[[SHARED:.*]] = vector.broadcast %[[X]] : f32 to vector<16xf32>
// CHECK: arith.mulf {{.*}}%[[SHARED]] : vector<16xf32>
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>)
// CHECK-COUNT-16: tensor.extract
// CHECK: vector.from_elements
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK: vector.transfer_write
func.func @matvec(%w: tensor<32x?xf32>, %x: tensor<?xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %r = linalg.generic {indexing_maps = [#all, #vector, #row], iterator_types = ["parallel", "reduction"]} ins(%w, %x : tensor<32x?xf32>, tensor<?xf32>) outs(%y : tensor<32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}

// -----

#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// Three rows are no vector. Rows of two operands stay in their loop.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @others(%x: tensor<3x36xf32>, %y: tensor<3xf32>, %z: tensor<32x36xf32>, %w: tensor<32xf32>) -> (tensor<3xf32>, tensor<32xf32>) {
  %r = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x36xf32>) outs(%y : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %q = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%z, %z : tensor<32x36xf32>, tensor<32x36xf32>) outs(%w : tensor<32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    %s = arith.addf %o, %t : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r, %q : tensor<3xf32>, tensor<32xf32>
}
