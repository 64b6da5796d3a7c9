// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that wrap no sums of products of codes: there are none, or the products are 0.
// RUN: quant-opt %s --qdq-lint --verify-diagnostics | FileCheck %s

#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// 2^16 products of bytes may wrap in 32 bits; none does where a factor is 0, a sum is a difference, or
// the sum before is not one of its terms.
// CHECK-LABEL: func.func @no_sums_of_products(
func.func @no_sums_of_products(%x: tensor<1x262144xi8>, %w: tensor<262144x1xi8>, %init: tensor<1x1xi32>, %one: i32) -> (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>) {
  %zeros = arith.constant dense<0> : tensor<262144x1xi8>
  %a = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %zeros : tensor<1x262144xi8>, tensor<262144x1xi8>) outs(%init : tensor<1x1xi32>) {
  ^bb0(%p: i8, %q: i8, %out: i32):
    %pw = arith.extsi %p : i8 to i32
    %qw = arith.extsi %q : i8 to i32
    %product = arith.muli %pw, %qw : i32
    %sum = arith.addi %product, %out : i32
    linalg.yield %sum : i32
  } -> tensor<1x1xi32>
  %b = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x262144xi8>, tensor<262144x1xi8>) outs(%init : tensor<1x1xi32>) {
  ^bb0(%p: i8, %q: i8, %out: i32):
    %pw = arith.extsi %p : i8 to i32
    %qw = arith.extsi %q : i8 to i32
    %difference = arith.subi %pw, %qw : i32
    %sum = arith.addi %out, %difference : i32
    linalg.yield %sum : i32
  } -> tensor<1x1xi32>
  %c = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x262144xi8>, tensor<262144x1xi8>) outs(%init : tensor<1x1xi32>) {
  ^bb0(%p: i8, %q: i8, %out: i32):
    %pw = arith.extsi %p : i8 to i32
    %qw = arith.extsi %q : i8 to i32
    %product = arith.muli %pw, %qw : i32
    %sum = arith.addi %one, %product : i32
    linalg.yield %sum : i32
  } -> tensor<1x1xi32>
  %d = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x262144xi8>, tensor<262144x1xi8>) outs(%init : tensor<1x1xi32>) {
  ^bb0(%p: i8, %q: i8, %out: i32):
    %pw = arith.extsi %p : i8 to i32
    %product = arith.muli %pw, %one : i32
    %sum = arith.addi %out, %product : i32
    linalg.yield %sum : i32
  } -> tensor<1x1xi32>
  %e = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x262144xi8>, tensor<262144x1xi8>) outs(%init : tensor<1x1xi32>) {
  ^bb0(%p: i8, %q: i8, %out: i32):
    %both = arith.addi %p, %q : i8
    %wide = arith.extsi %both : i8 to i32
    %product = arith.muli %wide, %wide : i32
    %sum = arith.addi %out, %product : i32
    linalg.yield %sum : i32
  } -> tensor<1x1xi32>
  return %a, %b, %c, %d, %e : tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>
}

// Reals of codes that are floats, and of what is no dequantize: no pairs of bytes.
// CHECK-LABEL: func.func @no_codes_of_integers(
func.func @no_codes_of_integers(%x: tensor<1x4xf8E4M3FN>, %y: tensor<1x4xui8>, %w: tensor<4x1xf32>, %h: tensor<4x1xf16>, %s: f32, %init: tensor<1x1xf32>, %c: f32) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
  %xd = qdq.dequantize %x scale %s : (tensor<1x4xf8E4M3FN>, f32) -> tensor<1x4xf32>
  %yd = qdq.dequantize %y scale %s : (tensor<1x4xui8>, f32) -> tensor<1x4xf32>
  %zd = qdq.dequantize %y scale %s : (tensor<1x4xui8>, f32) -> tensor<1x4xf16>
  // expected-remark @below {{leaves it: of operand 0: its codes are floats (and 1 more remark of this kind: details=true)}}
  %a = linalg.matmul ins(%xd, %w : tensor<1x4xf32>, tensor<4x1xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  %b = linalg.matmul ins(%yd, %w : tensor<1x4xf32>, tensor<4x1xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  %d = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%zd, %h : tensor<1x4xf16>, tensor<4x1xf16>) outs(%init : tensor<1x1xf32>) {
  ^bb0(%p: f16, %q: f16, %out: f32):
    %wide = arith.extf %p : f16 to f32
    %product = arith.mulf %wide, %c : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<1x1xf32>
  return %a, %b, %d : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}
