// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks and channels of reshaped codes: which have parameters in the other shape.
// RUN: quant-opt %s --qdq-motion | FileCheck %s

// Blocks of 4 lie in rows of 8, and those of 16 are two rows.
// CHECK-LABEL: func @blocks_in_rows(
// CHECK: %[[CODES:.*]] = tensor.expand_shape %{{.*}} : tensor<32xi8> into tensor<4x8xi8>
// CHECK: qdq.dequantize %[[CODES]] scale %{{.*}} block_shape [1, 4]
// CHECK: %[[MORE:.*]] = tensor.expand_shape %{{.*}} : tensor<32xi8> into tensor<4x8xi8>
// CHECK: qdq.dequantize %[[MORE]] scale %{{.*}} block_shape [2, 0]
func.func @blocks_in_rows(%q: tensor<32xi8>, %s: tensor<8xf32>, %t: tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = qdq.dequantize %q scale %s block_shape [4] : (tensor<32xi8>, tensor<8xf32>) -> tensor<32xf32>
  %y = qdq.dequantize %q scale %t block_shape [16] : (tensor<32xi8>, tensor<2xf32>) -> tensor<32xf32>
  %a = tensor.expand_shape %x [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  %b = tensor.expand_shape %y [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// A block ends within a row, or rows have open sizes.
// CHECK-LABEL: func @blocks_that_stay(
// CHECK-COUNT-2: tensor.expand_shape %{{.*}} : tensor<{{.*}}xf32> into
func.func @blocks_that_stay(%q: tensor<24xi8>, %s: tensor<4xf32>, %open: tensor<?xi8>, %t: tensor<?xf32>, %n: index, %m: index) -> (tensor<3x8xf32>, tensor<?x?xf32>) {
  %x = qdq.dequantize %q scale %s block_shape [6] : (tensor<24xi8>, tensor<4xf32>) -> tensor<24xf32>
  %y = qdq.dequantize %open scale %t block_shape [4] : (tensor<?xi8>, tensor<?xf32>) -> tensor<?xf32>
  %a = tensor.expand_shape %x [[0, 1]] output_shape [3, 8] : tensor<24xf32> into tensor<3x8xf32>
  %b = tensor.expand_shape %y [[0, 1]] output_shape [%n, %m] : tensor<?xf32> into tensor<?x?xf32>
  return %a, %b : tensor<3x8xf32>, tensor<?x?xf32>
}

// Rows of codes as one dimension: blocks of 4 in rows of 8; whole rows; a row of one block and a short one.
// CHECK-LABEL: func @rows_together(
// CHECK: %[[A:.*]] = tensor.collapse_shape %{{.*}} : tensor<4x8xi8> into tensor<32xi8>
// CHECK: qdq.dequantize %[[A]] scale %{{.*}} block_shape [4]
// CHECK: %[[B:.*]] = tensor.collapse_shape %{{.*}} : tensor<4x8xi8> into tensor<32xi8>
// CHECK: qdq.dequantize %[[B]] scale %{{.*}} block_shape [8]
// CHECK: %[[C:.*]] = tensor.collapse_shape %{{.*}} : tensor<1x6xi8> into tensor<6xi8>
// CHECK: qdq.dequantize %[[C]] scale %{{.*}} block_shape [4]
func.func @rows_together(%q: tensor<4x8xi8>, %s: tensor<4x2xf32>, %t: tensor<4xf32>, %r: tensor<1x6xi8>, %u: tensor<1x2xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<6xf32>) {
  %x = qdq.dequantize %q scale %s block_shape [1, 4] : (tensor<4x8xi8>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %y = qdq.dequantize %q scale %t axis 0 : (tensor<4x8xi8>, tensor<4xf32>) -> tensor<4x8xf32>
  %z = qdq.dequantize %r scale %u block_shape [1, 4] : (tensor<1x6xi8>, tensor<1x2xf32>) -> tensor<1x6xf32>
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %b = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %c = tensor.collapse_shape %z [[0, 1]] : tensor<1x6xf32> into tensor<6xf32>
  return %a, %b, %c : tensor<32xf32>, tensor<32xf32>, tensor<6xf32>
}

// Open rows; rows that end within a block; blocks of two rows.
// CHECK-LABEL: func @rows_that_stay(
// CHECK-COUNT-4: tensor.collapse_shape %{{.*}} : tensor<{{.*}}xf32> into
func.func @rows_that_stay(%q: tensor<4x?xi8>, %s: tensor<4xf32>, %r: tensor<3x6xi8>, %t: tensor<3x2xf32>, %p: tensor<4x8xi8>, %u: tensor<2x2xf32>, %v: tensor<4x?xf32>) -> (tensor<?xf32>, tensor<18xf32>, tensor<32xf32>, tensor<?xf32>) {
  %x = qdq.dequantize %q scale %s axis 0 : (tensor<4x?xi8>, tensor<4xf32>) -> tensor<4x?xf32>
  %y = qdq.dequantize %r scale %t block_shape [1, 4] : (tensor<3x6xi8>, tensor<3x2xf32>) -> tensor<3x6xf32>
  %z = qdq.dequantize %p scale %u block_shape [2, 4] : (tensor<4x8xi8>, tensor<2x2xf32>) -> tensor<4x8xf32>
  %w = qdq.dequantize %q scale %v block_shape [1, 4] : (tensor<4x?xi8>, tensor<4x?xf32>) -> tensor<4x?xf32>
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<4x?xf32> into tensor<?xf32>
  %b = tensor.collapse_shape %y [[0, 1]] : tensor<3x6xf32> into tensor<18xf32>
  %c = tensor.collapse_shape %z [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %d = tensor.collapse_shape %w [[0, 1]] : tensor<4x?xf32> into tensor<?xf32>
  return %a, %b, %c, %d : tensor<?xf32>, tensor<18xf32>, tensor<32xf32>, tensor<?xf32>
}

// 32 scales in 4 rows leave 8 a row. Of an open number, or of two open sizes, the rows are not known.
// CHECK-LABEL: func @scale_of_each_element(
// CHECK: tensor.expand_shape %{{.*}} : tensor<?xi8> into tensor<4x?xi8>
// CHECK: %[[SCALES:.*]] = tensor.expand_shape %{{.*}} : tensor<32xf32> into tensor<4x8xf32>
// CHECK: qdq.dequantize %{{.*}} scale %[[SCALES]] block_shape [1, 1]
// CHECK: tensor.expand_shape %{{.*}} : tensor<32xf32> into tensor<4x8xf32>
// CHECK: tensor.expand_shape %{{.*}} : tensor<?xf32> into tensor<?x?xf32>
func.func @scale_of_each_element(%q: tensor<?xi8>, %s: tensor<32xf32>, %r: tensor<32xi8>, %t: tensor<?xf32>, %n: index, %m: index) -> (tensor<4x?xf32>, tensor<4x8xf32>, tensor<?x?xf32>) {
  %x = qdq.dequantize %q scale %s axis 0 : (tensor<?xi8>, tensor<32xf32>) -> tensor<?xf32>
  %y = qdq.dequantize %r scale %t axis 0 : (tensor<32xi8>, tensor<?xf32>) -> tensor<32xf32>
  %z = qdq.dequantize %q scale %s axis 0 : (tensor<?xi8>, tensor<32xf32>) -> tensor<?xf32>
  %a = tensor.expand_shape %x [[0, 1]] output_shape [4, %n] : tensor<?xf32> into tensor<4x?xf32>
  %b = tensor.expand_shape %y [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  %c = tensor.expand_shape %z [[0, 1]] output_shape [%n, %m] : tensor<?xf32> into tensor<?x?xf32>
  return %a, %b, %c : tensor<4x?xf32>, tensor<4x8xf32>, tensor<?x?xf32>
}

// Dimensions of size 1 alone.
// CHECK-LABEL: func @sizes_of_one(
// CHECK: %[[CODES:.*]] = tensor.expand_shape %{{.*}} : tensor<1xi8> into tensor<1x1xi8>
// CHECK: qdq.dequantize %[[CODES]] scale %{{.*}} axis
func.func @sizes_of_one(%q: tensor<1xi8>, %s: tensor<1xf32>) -> tensor<1x1xf32> {
  %x = qdq.dequantize %q scale %s axis 0 : (tensor<1xi8>, tensor<1xf32>) -> tensor<1xf32>
  %a = tensor.expand_shape %x [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  return %a : tensor<1x1xf32>
}
