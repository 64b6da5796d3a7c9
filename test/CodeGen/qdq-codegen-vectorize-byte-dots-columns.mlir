// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns of a constant, 16 at a time: the four bytes of each column lie side by side.
// RUN: quant-opt %s --qdq-codegen-vectorize="byte-dots=x86-vnni vector-bits=128" | FileCheck %s

#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>

// b[k][j] = (7 k + 3 j) mod 101 - 50
// CHECK-LABEL: func.func @constant_columns(
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c16
// CHECK: arith.constant dense<"0xCED5DCE3D1D8DFE6
func.func @constant_columns(%x: tensor<4x4xi8>, %init: tensor<4x32xi32>) -> tensor<4x32xi32> {
  %w = arith.constant dense<[[-50,-47,-44,-41,-38,-35,-32,-29,-26,-23,-20,-17,-14,-11,-8,-5,-2,1,4,7,10,13,16,19,22,25,28,31,34,37,40,43],[-43,-40,-37,-34,-31,-28,-25,-22,-19,-16,-13,-10,-7,-4,-1,2,5,8,11,14,17,20,23,26,29,32,35,38,41,44,47,50],[-36,-33,-30,-27,-24,-21,-18,-15,-12,-9,-6,-3,0,3,6,9,12,15,18,21,24,27,30,33,36,39,42,45,48,-50,-47,-44],[-29,-26,-23,-20,-17,-14,-11,-8,-5,-2,1,4,7,10,13,16,19,22,25,28,31,34,37,40,43,46,49,-49,-46,-43,-40,-37]]> : tensor<4x32xi8>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x4xi8>, tensor<4x32xi8>) outs(%init : tensor<4x32xi32>) {
  ^bb0(%u: i8, %v: i8, %sum: i32):
    %p = arith.extui %u : i8 to i32
    %q = arith.extsi %v : i8 to i32
    %t = arith.muli %p, %q : i32
    %s = arith.addi %sum, %t : i32
    linalg.yield %s : i32
  } -> tensor<4x32xi32>
  return %r : tensor<4x32xi32>
}
