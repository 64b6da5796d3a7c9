// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize=vector-bits=256 --split-input-file | FileCheck %s --check-prefix=NARROW

// A weight [K, N] packed along N. Blocks outermost, 64 bytes of a row at a time: the sums of the low codes are four vectors of 16 lanes, and those of the
// high ones. Each adds one product after the other, rounded, to what the destination holds.
// CHECK-LABEL: func.func @vecmat_i4_block_32(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2x32x128xi8>
// CHECK: scf.for %[[BLOCK:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(
// CHECK: scf.for %[[BYTE:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %[[C64:[a-z0-9_]+]] iter_args(
// CHECK: tensor.extract_slice %[[W]][%[[BLOCK]], 0, %[[BYTE]]] [1, 32, 64]
// CHECK: vector.transfer_read {{.*}} vector<64x2xf32>
// CHECK: %[[EVEN:.*]] = vector.shuffle {{.*}} [0, 2, 4,
// CHECK: %[[ODD:.*]] = vector.shuffle {{.*}} [1, 3, 5,
// CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[S0:.*]] = %[[EVEN]], %[[S1:.*]] = %[[ODD]]) -> (vector<64xf32>, vector<64xf32>)
// CHECK: %[[BYTES:.*]] = vector.transfer_read {{.*}} vector<64xi8>
// CHECK: arith.extui %[[BYTES]] : vector<64xi8> to vector<64xi32>
// CHECK: qdq.lookup {{.*}} -> vector<64xf32>
// CHECK: %[[P0:.*]] = arith.mulf {{.*}} : vector<64xf32>
// CHECK: %[[P1:.*]] = arith.mulf {{.*}} : vector<64xf32>
// CHECK: %[[X0:.*]] = arith.mulf {{.*}}, %[[P0]] : vector<64xf32>
// CHECK: %[[X1:.*]] = arith.mulf {{.*}}, %[[P1]] : vector<64xf32>
// CHECK: %[[N0:.*]] = arith.addf %[[S0]], %[[X0]] : vector<64xf32>
// CHECK: %[[N1:.*]] = arith.addf %[[S1]], %[[X1]] : vector<64xf32>
// CHECK: scf.yield %[[N0]], %[[N1]]
// CHECK: vector.interleave %[[SUMS]]#0, %[[SUMS]]#1
// CHECK: vector.transfer_write {{.*}} vector<64x2xf32>

// NARROW-LABEL: func.func @vecmat_i4_block_32(
// NARROW: scf.for {{.*}} -> (vector<32xf32>, vector<32xf32>)
#x = affine_map<(b, s, g, k) -> (g, k)>
#bytes = affine_map<(b, s, g, k) -> (g, k, b)>
#scales = affine_map<(b, s, g, k) -> (g, b, s)>
#y = affine_map<(b, s, g, k) -> (b, s)>
func.func @vecmat_i4_block_32(%w: tensor<2x32x128xi8>, %scales: tensor<2x128x2xf32>, %x: tensor<2x32xf32>, %y: tensor<128x2xf32>) -> tensor<128x2xf32> {
  %r = linalg.generic {indexing_maps = [#x, #bytes, #scales, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w, %scales : tensor<2x32xf32>, tensor<2x32x128xi8>, tensor<2x128x2xf32>) outs(%y : tensor<128x2xf32>) {
  ^bb0(%v: f32, %byte: i8, %scale: f32, %sum: f32):
    %slot = linalg.index 1 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %wide = arith.extsi %code : i4 to i32
    %real = arith.sitofp %wide : i32 to f32
    %weight = arith.mulf %real, %scale : f32
    %term = arith.mulf %v, %weight : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<128x2xf32>
  return %r : tensor<128x2xf32>
}

// -----

// Rows share what becomes of a code: eight, and one at a time of those left over. What fills no tile of 16 bytes is a loop.
// CHECK-LABEL: func.func @matmul_dynamic(
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: linalg.generic
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK: linalg.generic
#x = affine_map<(m, b, s, k) -> (m, k)>
#bytes = affine_map<(m, b, s, k) -> (k, b)>
#y = affine_map<(m, b, s, k) -> (m, b, s)>
func.func @matmul_dynamic(%w: tensor<?x?xi8>, %x: tensor<?x?xf32>, %y: tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
  %r = linalg.generic {indexing_maps = [#x, #bytes, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xf32>, tensor<?x?xi8>) outs(%y : tensor<?x?x2xf32>) {
  ^bb0(%v: f32, %byte: i8, %sum: f32):
    %slot = linalg.index 2 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %wide = arith.extsi %code : i4 to i32
    %real = arith.sitofp %wide : i32 to f32
    %term = arith.mulf %v, %real : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<?x?x2xf32>
  return %r : tensor<?x?x2xf32>
}
