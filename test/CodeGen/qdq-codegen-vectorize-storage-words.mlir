// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of storage words that a body joins or shares.
// RUN: quant-opt %s --qdq-codegen-vectorize=vector-bits=512 | FileCheck %s

#b0 = affine_map<(d0, d1) -> (d0, 0)>
#b1 = affine_map<(d0, d1) -> (d0, 1)>
#o = affine_map<(d0, d1) -> (d0, d1)>

// A byte from outside is none of the operand with its number.
// CHECK-LABEL: func.func @byte_of_another_block(
// CHECK-SAME: %[[S:.*]]: i8, %
// CHECK: %[[ALL:.*]] = vector.broadcast %[[S]] : i8 to vector<[[N:.*]]xi8>
// CHECK: %[[LOW:.*]] = arith.extui %[[ALL]] : vector<[[N]]xi8> to vector<[[N]]xi16>
// CHECK: arith.ori %[[LOW]], %{{.*}} : vector<[[N]]xi16>
func.func @byte_of_another_block(%s: i8, %w: tensor<64x2xi8>) -> tensor<64x4xi8> {
  %e = tensor.empty() : tensor<64x4xi8>
  %r = linalg.generic {indexing_maps = [#b0, #b1, #o], iterator_types = ["parallel", "parallel"]}
      ins(%w, %w : tensor<64x2xi8>, tensor<64x2xi8>) outs(%e : tensor<64x4xi8>) {
  ^bb0(%x: i8, %y: i8, %out: i8):
    %i = linalg.index 1 : index
    %q = qdq.extract_field %s, %y slots(%i) strides [4] : (i8, i8, index) -> i4
    %z = arith.extui %q : i4 to i8
    linalg.yield %z : i8
  } -> tensor<64x4xi8>
  return %r : tensor<64x4xi8>
}

#one = affine_map<(d0, d1) -> (d1)>
#x = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> ()>

// Words that all rows share are scalars, and so are their codes.
// CHECK-LABEL: func.func @codes_of_shared_words(
// CHECK: arith.mulf %{{.*}} : vector<{{.*}}xf32>
func.func @codes_of_shared_words(%w: tensor<2xi8>, %x: tensor<64x2xf32>, %init: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [#one, #x, #sum], iterator_types = ["reduction", "reduction"]}
      ins(%w, %x : tensor<2xi8>, tensor<64x2xf32>) outs(%init : tensor<f32>) {
  ^bb0(%b: i8, %f: f32, %sum: f32):
    %i = linalg.index 1 : index
    %q = qdq.extract_field %b slots(%i) strides [4] : (i8, index) -> i4
    %y = arith.sitofp %q : i4 to f32
    %z = arith.mulf %y, %f : f32
    %t = arith.addf %sum, %z fastmath<reassoc> : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
