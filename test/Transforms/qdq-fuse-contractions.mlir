// RUN: quant-opt %s --convert-qdq-to-linalg --qdq-fuse-contractions --canonicalize --split-input-file | FileCheck %s

// A packed, blocked weight is read where it is: no tensor of its floats is left, and the sum runs over blocks, bytes and slots in their order.
// CHECK-LABEL: func.func @matvec_blocked_i4(
// CHECK-SAME: %{{.*}}: tensor<8x32xui8>, %[[S:[^:]*]]: tensor<8x2xf32>
// CHECK-NOT: tensor<8x64xf32>
// CHECK-NOT: tensor<8x2x16x2xf32>
// CHECK-NOT: linalg.matvec
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%{{.*}}, %[[S]], %{{.*}} : tensor<8x2x16xi8>, tensor<8x2xf32>, tensor<2x16x2xf32>)
// CHECK: %[[CODE:.*]] = arith.sitofp
// CHECK: %[[W:.*]] = arith.mulf %[[CODE]], %{{.*}} : f32
// CHECK: %[[P:.*]] = arith.mulf %[[W]], %{{.*}} : f32
// CHECK: arith.addf %{{.*}}, %[[P]] : f32
// CHECK-NOT: tensor<8x64xf32>
// CHECK: return

// The sum and what it adds up are free, what a weight is is not.
func.func @matvec_blocked_i4(%w: tensor<8x32xui8>, %s: tensor<8x2xf32>, %x: tensor<64xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %q = qdq.unpack %w packing <onnx, axis = 1> : (tensor<8x32xui8>) -> tensor<8x64xi4>
  %d = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<8x64xi4>, tensor<8x2xf32>) -> tensor<8x64xf32>
  %r = linalg.matvec ins(%d, %x : tensor<8x64xf32>, tensor<64xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @vecmat_blocked(
// CHECK-NOT: tensor<64x8xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]}
// CHECK-NOT: tensor<64x8xf32>
// CHECK: return
func.func @vecmat_blocked(%x: tensor<64xf32>, %w: tensor<64x8xi8>, %s: tensor<2x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %d = qdq.dequantize %w scale %s block_shape [32, 1] : (tensor<64x8xi8>, tensor<2x8xf32>) -> tensor<64x8xf32>
  %r = linalg.vecmat ins(%x, %d : tensor<64xf32>, tensor<64x8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Both operands, the second one transposed and of dynamic size; batches.
// CHECK-LABEL: func.func @matmul_both(
// CHECK-NOT: tensor<{{.*}}x64xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x2x32xi8>, tensor<?xf32>, tensor<?x2x32xi8>, tensor<?x2xf32>) outs
// CHECK-LABEL: func.func @batch_matmul(
// CHECK-NOT: tensor<2x64x8xf32>
// CHECK: linalg.generic
// CHECK: return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @matmul_both(%x: tensor<?x64xi8>, %t: tensor<?xf32>, %w: tensor<?x64xi8>, %s: tensor<?x2xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %e = qdq.dequantize %x scale %t axis 0 : (tensor<?x64xi8>, tensor<?xf32>) -> tensor<?x64xf32>
  %d = qdq.dequantize %w scale %s block_shape [1, 32] : (tensor<?x64xi8>, tensor<?x2xf32>) -> tensor<?x64xf32>
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%e, %d : tensor<?x64xf32>, tensor<?x64xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @batch_matmul(%x: tensor<2x4x64xf32>, %w: tensor<2x64x8xi8>, %s: tensor<2x2x8xf32>, %y: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %d = qdq.dequantize %w scale %s block_shape [1, 32, 1] : (tensor<2x64x8xi8>, tensor<2x2x8xf32>) -> tensor<2x64x8xf32>
  %r = linalg.batch_matmul ins(%x, %d : tensor<2x4x64xf32>, tensor<2x64x8xf32>) outs(%y : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----

// Two contractions of one weight: each dequantizes it.
// CHECK-LABEL: func.func @shared(
// CHECK-NOT: tensor<8x64xf32>
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @shared(%w: tensor<8x64xi8>, %s: tensor<8x2xf32>, %x: tensor<64xf32>, %z: tensor<64xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %d = qdq.dequantize %w scale %s block_shape [1, 32] : (tensor<8x64xi8>, tensor<8x2xf32>) -> tensor<8x64xf32>
  %q = linalg.matvec ins(%d, %x : tensor<8x64xf32>, tensor<64xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.matvec ins(%d, %z : tensor<8x64xf32>, tensor<64xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %q, %r : tensor<8xf32>, tensor<8xf32>
}

// -----

// What is more than a dequantize is not repeated.
// CHECK-LABEL: func.func @exp(
// CHECK: linalg.exp
// CHECK: linalg.matvec
func.func @exp(%w: tensor<8x64xf32>, %x: tensor<64xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %d = linalg.exp ins(%w : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = linalg.matvec ins(%d, %x : tensor<8x64xf32>, tensor<64xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Two operands without their dimensions of size 1, as in attention: the product gets them back, and both are fused.
// CHECK-LABEL: func.func @batch_matmul_collapsed_operands
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<1x8x20x15xi8>, tensor<1x8x15x20xi8>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @batch_matmul_collapsed_operands(%q: tensor<1x8x20x15xi8>, %r: tensor<1x8x15x20xi8>, %s: f32, %init: tensor<8x20x20xf32>) -> tensor<1x8x20x20xf32> {
  %a = qdq.dequantize %q scale %s : (tensor<1x8x20x15xi8>, f32) -> tensor<1x8x20x15xf32>
  %b = qdq.dequantize %r scale %s : (tensor<1x8x15x20xi8>, f32) -> tensor<1x8x15x20xf32>
  %ca = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<1x8x20x15xf32> into tensor<8x20x15xf32>
  %cb = tensor.collapse_shape %b [[0, 1], [2], [3]] : tensor<1x8x15x20xf32> into tensor<8x15x20xf32>
  %p = linalg.batch_matmul ins(%ca, %cb : tensor<8x20x15xf32>, tensor<8x15x20xf32>) outs(%init : tensor<8x20x20xf32>) -> tensor<8x20x20xf32>
  %e = tensor.expand_shape %p [[0, 1], [2], [3]] output_shape [1, 8, 20, 20] : tensor<8x20x20xf32> into tensor<1x8x20x20xf32>
  return %e : tensor<1x8x20x20xf32>
}

// Where a size is known of one operand alone, the blocks stay beside the product: upstream does not expand it.
// CHECK-LABEL: func.func @sizes_of_one_operand
// CHECK-COUNT-2: tensor.collapse_shape
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x64xf32>, tensor<4x64xf32>) outs(%{{.*}} : tensor<3x4xf32>)
func.func @sizes_of_one_operand(%p: tensor<?x64xi8>, %s: tensor<?x2xf32>, %q: tensor<4x64xi8>, %t: tensor<4x2xf32>, %init: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %a = qdq.dequantize %p scale %s block_shape [1, 32] : (tensor<?x64xi8>, tensor<?x2xf32>) -> tensor<?x64xf32>
  %b = qdq.dequantize %q scale %t block_shape [1, 32] : (tensor<4x64xi8>, tensor<4x2xf32>) -> tensor<4x64xf32>
  %r = linalg.contract indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
    ins(%a, %b : tensor<?x64xf32>, tensor<4x64xf32>) outs(%init : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

// Rows of two blocks of codes, each of which was unpacked as a row of two halves: the rows are split first.
// CHECK-LABEL: func.func @blocks_of_rows
// CHECK-SAME: %[[X:.*]]: tensor<1x64xf32>, %[[CODES:.*]]: tensor<16x2x16xi8>
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %[[CODES]] {{\[}}[0, 1], [2], [3]] output_shape [8, 2, 2, 16]
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]
// CHECK-SAME: ins(%{{.*}}, %[[ROWS]] : tensor<1x2x2x16xf32>, tensor<8x2x2x16xi8>)
// CHECK: arith.sitofp
// CHECK: arith.addf
func.func @blocks_of_rows(%x: tensor<1x64xf32>, %codes: tensor<16x2x16xi8>, %y: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<16x2x16xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(b, h, i) -> (b, h, i)>, affine_map<(b, h, i) -> (b, h, i)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%codes : tensor<16x2x16xi8>) outs(%e : tensor<16x2x16xf32>) {
  ^bb0(%code: i8, %out: f32):
    %real = arith.sitofp %code : i8 to f32
    linalg.yield %real : f32
  } -> tensor<16x2x16xf32>
  %blocks = tensor.collapse_shape %d [[0], [1, 2]] : tensor<16x2x16xf32> into tensor<16x32xf32>
  %split = tensor.expand_shape %blocks [[0, 1], [2]] output_shape [8, 2, 32] : tensor<16x32xf32> into tensor<8x2x32xf32>
  %rows = tensor.collapse_shape %split [[0], [1, 2]] : tensor<8x2x32xf32> into tensor<8x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %rows : tensor<1x64xf32>, tensor<8x64xf32>) outs(%y : tensor<1x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}

// -----

// Codes of two fields, which split a row in different ways, and scales of a third: each field keeps its loops, and the pass ends.
// CHECK-LABEL: func.func @codes_of_two_fields
// CHECK-SAME: %[[X:.*]]: tensor<1x64xf32>, %[[LOW:.*]]: tensor<16x2x8xi8>, %[[HIGH:.*]]: tensor<16x2x4xi8>, %[[S:.*]]: tensor<16x16xf32>
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction", "reduction"]
// CHECK: arith.shli
// CHECK: arith.sitofp
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @codes_of_two_fields(%x: tensor<1x64xf32>, %low: tensor<16x2x8xi8>, %high: tensor<16x2x4xi8>, %s: tensor<16x16xf32>, %y: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %two = arith.constant 2 : i8
  %e0 = tensor.empty() : tensor<16x2x2x8xi2>
  %l = linalg.generic {indexing_maps = [affine_map<(r, h, f, i) -> (r, h, i)>, affine_map<(r, h, f, i) -> (r, h, f, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%low : tensor<16x2x8xi8>) outs(%e0 : tensor<16x2x2x8xi2>) {
  ^bb0(%byte: i8, %out: i2):
    %f = linalg.index 2 : index
    %amount = arith.index_castui %f : index to i8
    %shifted = arith.shrui %byte, %amount : i8
    %code = arith.trunci %shifted : i8 to i2
    linalg.yield %code : i2
  } -> tensor<16x2x2x8xi2>
  %e1 = tensor.empty() : tensor<16x2x4x4xi2>
  %h = linalg.generic {indexing_maps = [affine_map<(r, h, f, i) -> (r, h, i)>, affine_map<(r, h, f, i) -> (r, h, f, i)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%high : tensor<16x2x4xi8>) outs(%e1 : tensor<16x2x4x4xi2>) {
  ^bb0(%byte: i8, %out: i2):
    %f = linalg.index 2 : index
    %amount = arith.index_castui %f : index to i8
    %shifted = arith.shrui %byte, %amount : i8
    %code = arith.trunci %shifted : i8 to i2
    linalg.yield %code : i2
  } -> tensor<16x2x4x4xi2>
  %lows = tensor.collapse_shape %l [[0], [1, 2, 3]] : tensor<16x2x2x8xi2> into tensor<16x32xi2>
  %highs = tensor.collapse_shape %h [[0], [1, 2, 3]] : tensor<16x2x4x4xi2> into tensor<16x32xi2>
  %e2 = tensor.empty() : tensor<16x32xi8>
  %codes = linalg.generic {indexing_maps = [affine_map<(r, i) -> (r, i)>, affine_map<(r, i) -> (r, i)>, affine_map<(r, i) -> (r, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%lows, %highs : tensor<16x32xi2>, tensor<16x32xi2>) outs(%e2 : tensor<16x32xi8>) {
  ^bb0(%a: i2, %b: i2, %out: i8):
    %a8 = arith.extui %a : i2 to i8
    %b8 = arith.extui %b : i2 to i8
    %up = arith.shli %b8, %two : i8
    %code = arith.ori %a8, %up : i8
    linalg.yield %code : i8
  } -> tensor<16x32xi8>
  %blocks = tensor.expand_shape %codes [[0], [1, 2]] output_shape [16, 16, 2] : tensor<16x32xi8> into tensor<16x16x2xi8>
  %e3 = tensor.empty() : tensor<16x16x2xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(r, g, i) -> (r, g, i)>, affine_map<(r, g, i) -> (r, g)>, affine_map<(r, g, i) -> (r, g, i)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%blocks, %s : tensor<16x16x2xi8>, tensor<16x16xf32>) outs(%e3 : tensor<16x16x2xf32>) {
  ^bb0(%code: i8, %scale: f32, %out: f32):
    %real = arith.sitofp %code : i8 to f32
    %scaled = arith.mulf %real, %scale : f32
    linalg.yield %scaled : f32
  } -> tensor<16x16x2xf32>
  %records = tensor.collapse_shape %d [[0], [1, 2]] : tensor<16x16x2xf32> into tensor<16x32xf32>
  %split = tensor.expand_shape %records [[0, 1], [2]] output_shape [8, 2, 32] : tensor<16x32xf32> into tensor<8x2x32xf32>
  %rows = tensor.collapse_shape %split [[0], [1, 2]] : tensor<8x2x32xf32> into tensor<8x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %rows : tensor<1x64xf32>, tensor<8x64xf32>) outs(%y : tensor<1x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %out, %p : f32
    linalg.yield %t : f32
  } -> tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}

// -----

// A scale that several ops compute of a byte of each record: they become one, without the dimension of one byte, where the sum is.
// CHECK-LABEL: func.func @scale_of_a_byte
// CHECK-SAME: %{{.*}}: tensor<64xf32>, %[[CODES:.*]]: tensor<16x32xi8>, %[[BYTES:.*]]: tensor<16x1xi8>
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [8, 2] : tensor<16xi8> into tensor<8x2xi8>
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction", "reduction"]
// CHECK-SAME: %[[ROWS]]
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: arith.shli
// CHECK: %[[REAL:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.mulf %[[REAL]], %cst
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
#id = affine_map<(r, i) -> (r, i)>
func.func @scale_of_a_byte(%x: tensor<64xf32>, %codes: tensor<16x32xi8>, %bytes: tensor<16x1xi8>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %c23 = arith.constant 23 : i32
  %e0 = tensor.empty() : tensor<16x1xi32>
  %exponents = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%bytes : tensor<16x1xi8>) outs(%e0 : tensor<16x1xi32>) {
  ^bb0(%byte: i8, %out: i32):
    %wide = arith.extui %byte : i8 to i32
    linalg.yield %wide : i32
  } -> tensor<16x1xi32>
  %bits = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%exponents : tensor<16x1xi32>) outs(%e0 : tensor<16x1xi32>) {
  ^bb0(%exponent: i32, %out: i32):
    %shifted = arith.shli %exponent, %c23 : i32
    linalg.yield %shifted : i32
  } -> tensor<16x1xi32>
  %e1 = tensor.empty() : tensor<16x1xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%bits : tensor<16x1xi32>) outs(%e1 : tensor<16x1xf32>) {
  ^bb0(%bit: i32, %out: f32):
    %real = arith.bitcast %bit : i32 to f32
    linalg.yield %real : f32
  } -> tensor<16x1xf32>
  %half = arith.constant 0.5 : f32
  %halves = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<16x1xf32>) outs(%e1 : tensor<16x1xf32>) {
  ^bb0(%real: f32, %out: f32):
    %product = arith.mulf %real, %half : f32
    linalg.yield %product : f32
  } -> tensor<16x1xf32>
  %scales = tensor.collapse_shape %halves [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
  %e2 = tensor.empty() : tensor<16x32xf32>
  %d = linalg.generic {indexing_maps = [#id, affine_map<(r, i) -> (r)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%codes, %scales : tensor<16x32xi8>, tensor<16xf32>) outs(%e2 : tensor<16x32xf32>) {
  ^bb0(%code: i8, %scale: f32, %out: f32):
    %real = arith.sitofp %code : i8 to f32
    %scaled = arith.mulf %real, %scale : f32
    linalg.yield %scaled : f32
  } -> tensor<16x32xf32>
  %split = tensor.expand_shape %d [[0, 1], [2]] output_shape [8, 2, 32] : tensor<16x32xf32> into tensor<8x2x32xf32>
  %rows = tensor.collapse_shape %split [[0], [1, 2]] : tensor<8x2x32xf32> into tensor<8x64xf32>
  %r = linalg.matvec ins(%rows, %x : tensor<8x64xf32>, tensor<64xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A choice by a mask, as in attention, is computed once, not for each column.
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#sums = affine_map<(d0, d1, d2) -> (d0, d1)>
#same = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @masked(
// CHECK: %[[CHOSEN:.*]] = linalg.generic
// CHECK: arith.select
// CHECK: linalg.generic {{.*}} "reduction"]} ins(%[[CHOSEN]], %{{.*}} : tensor<4x8xf32>, tensor<8x16xf32>)
func.func @masked(%hidden: tensor<4x8xi1>, %x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %init: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x8xf32>
  %chosen = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%hidden, %x : tensor<4x8xi1>, tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%h: i1, %e: f32, %out: f32):
    %s = arith.select %h, %zero, %e : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%chosen, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

// Fields of two words that make a code are computed with its float, in loops over the parts of both words.
// CHECK-LABEL: func.func @five_bits(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x1x2x2x8xf32>)
// CHECK-NOT: linalg.generic
func.func @five_bits(%w: tensor<4x16xui8>, %h: tensor<4x4xui8>, %s: tensor<4x1xf32>) -> tensor<4x32xf32> {
  %low = qdq.unpack %w packing <bits = 4, axis = 1, block = 32, order = [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31]> : (tensor<4x16xui8>) -> tensor<4x32xi4>
  %high = qdq.unpack %h packing <bits = 1, axis = 1, block = 32> : (tensor<4x4xui8>) -> tensor<4x32xi1>
  %e = tensor.empty() : tensor<4x32xi8>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%low, %high : tensor<4x32xi4>, tensor<4x32xi1>) outs(%e : tensor<4x32xi8>) {
  ^bb0(%nibble: i4, %bit: i1, %out: i8):
    %four = arith.constant 4 : i8
    %0 = arith.extui %nibble : i4 to i8
    %1 = arith.extui %bit : i1 to i8
    %2 = arith.shli %1, %four : i8
    %code = arith.ori %0, %2 : i8
    linalg.yield %code : i8
  } -> tensor<4x32xi8>
  %x = qdq.dequantize %3 scale %s block_shape [1, 32] : (tensor<4x32xi8>, tensor<4x1xf32>) -> tensor<4x32xf32>
  return %x : tensor<4x32xf32>
}

// -----

// What has two results, and products on buffers, stay.
// CHECK-LABEL: func.func @two_results(
// CHECK-COUNT-2: linalg.generic
// CHECK-LABEL: func.func @on_buffers(
// CHECK: linalg.matmul
#e = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
func.func @two_results(%x: tensor<8xi8>, %e: tensor<8xf32>, %y: tensor<f32>) -> (tensor<f32>, tensor<8xf32>) {
  %d:2 = linalg.generic {indexing_maps = [#e, #e, #e], iterator_types = ["parallel"]} ins(%x : tensor<8xi8>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%q: i8, %out0: f32, %out1: f32):
    %f = arith.sitofp %q : i8 to f32
    linalg.yield %f, %f : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  %r = linalg.generic {indexing_maps = [#e, #s], iterator_types = ["reduction"]} ins(%d#0 : tensor<8xf32>) outs(%y : tensor<f32>) {
  ^bb0(%f: f32, %out: f32):
    %a = arith.addf %out, %f : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  return %r, %d#1 : tensor<f32>, tensor<8xf32>
}
func.func @on_buffers(%x: memref<2x3xf32>, %w: memref<3x4xf32>, %y: memref<2x4xf32>) {
  linalg.matmul ins(%x, %w : memref<2x3xf32>, memref<3x4xf32>) outs(%y : memref<2x4xf32>)
  return
}

// -----

#d = affine_map<(n, g, h) -> (n, g)>
#id = affine_map<(n, g, h) -> (n, g, h)>
#codes = affine_map<(n, g, k) -> (n, g, k)>
#zeros = affine_map<(n, g, k) -> (n, g)>

// Zero points that share a byte are cut from it before: a loop over their places would split that over blocks.
// CHECK-LABEL: func.func @shared_zero_points(
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8x2xi8>) outs(%{{.*}} : tensor<8x2x2xi4>)
// CHECK: %[[ZEROS:.*]] = tensor.collapse_shape %[[Z]] {{.*}} into tensor<8x4xi4>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]} ins(%{{.*}}, %[[ZEROS]], %{{.*}} : tensor<8x4x16xi8>, tensor<8x4xi4>, tensor<4x16xf32>)
func.func @shared_zero_points(%w: tensor<8x4x16xi8>, %bytes: tensor<8x2xi8>, %x: tensor<64xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x2x2xi4>
  %z = linalg.generic {indexing_maps = [#d, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%bytes : tensor<8x2xi8>) outs(%e : tensor<8x2x2xi4>) {
  ^bb0(%byte: i8, %out: i4):
    %place = linalg.index 2 : index
    %code = qdq.extract_field %byte slots(%place) strides [4] : (i8, index) -> i4
    linalg.yield %code : i4
  } -> tensor<8x2x2xi4>
  %zeros = tensor.collapse_shape %z [[0], [1, 2]] : tensor<8x2x2xi4> into tensor<8x4xi4>
  %f = tensor.empty() : tensor<8x4x16xf32>
  %d = linalg.generic {indexing_maps = [#codes, #zeros, #codes], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %zeros : tensor<8x4x16xi8>, tensor<8x4xi4>) outs(%f : tensor<8x4x16xf32>) {
  ^bb0(%code: i8, %zero: i4, %out: f32):
    %a = arith.extui %code : i8 to i32
    %b = arith.extui %zero : i4 to i32
    %s = arith.subi %a, %b : i32
    %real = arith.sitofp %s : i32 to f32
    linalg.yield %real : f32
  } -> tensor<8x4x16xf32>
  %c = tensor.collapse_shape %d [[0], [1, 2]] : tensor<8x4x16xf32> into tensor<8x64xf32>
  %r = linalg.matvec ins(%c, %x : tensor<8x64xf32>, tensor<64xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
