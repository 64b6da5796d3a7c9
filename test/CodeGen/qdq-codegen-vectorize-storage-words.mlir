// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of storage words that a body joins or shares.
// RUN: quant-opt %s --qdq-codegen-vectorize=vector-bits=512 | FileCheck %s

#b0 = affine_map<(d0, d1) -> (d0, 0)>
#b1 = affine_map<(d0, d1) -> (d0, 1)>
#o = affine_map<(d0, d1) -> (d0, d1)>

// A byte from outside is none of the operand with its number.
// CHECK-LABEL: func.func @byte_of_another_block(
// CHECK-SAME: %[[S:.*]]: i8, %
// CHECK: %[[LOW:.*]] = arith.extui %[[S]] : i8 to i16
// CHECK: %[[ALL:.*]] = vector.broadcast %[[LOW]] : i16 to vector<[[N:.*]]xi16>
// CHECK: arith.ori %[[ALL]], %{{.*}} : vector<[[N]]xi16>
func.func @byte_of_another_block(%s: i8, %w: tensor<64x2xi8>) -> tensor<64x4xi8> {
  %e = tensor.empty() : tensor<64x4xi8>
  %c4 = arith.constant 4 : i16
  %c8 = arith.constant 8 : i16
  %r = linalg.generic {indexing_maps = [#b0, #b1, #o], iterator_types = ["parallel", "parallel"]}
      ins(%w, %w : tensor<64x2xi8>, tensor<64x2xi8>) outs(%e : tensor<64x4xi8>) {
  ^bb0(%x: i8, %y: i8, %out: i8):
    %low = arith.extui %s : i8 to i16
    %wide = arith.extui %y : i8 to i16
    %high = arith.shli %wide, %c8 : i16
    %word = arith.ori %low, %high : i16
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i16
    %t = arith.muli %n, %c4 : i16
    %h = arith.shrui %word, %t : i16
    %q = arith.trunci %h : i16 to i4
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
  %c4 = arith.constant 4 : i8
  %r = linalg.generic {indexing_maps = [#one, #x, #sum], iterator_types = ["reduction", "reduction"]}
      ins(%w, %x : tensor<2xi8>, tensor<64x2xf32>) outs(%init : tensor<f32>) {
  ^bb0(%b: i8, %f: f32, %sum: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i8
    %s = arith.muli %n, %c4 : i8
    %h = arith.shrui %b, %s : i8
    %q = arith.trunci %h : i8 to i4
    %y = arith.sitofp %q : i4 to f32
    %z = arith.mulf %y, %f : f32
    %t = arith.addf %sum, %z fastmath<reassoc> : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
