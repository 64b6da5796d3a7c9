// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize=byte-dots=x86-vnni --split-input-file | FileCheck %s

// Plans lie beside the IR: an attribute means nothing to the pass, whatever its name and value.

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @units(
// CHECK: vector.transfer_write
// CHECK-SAME: vector<16x
// CHECK: linalg.generic
// CHECK: linalg.transpose
func.func @units(%x: tensor<16x32xf32>, %y: tensor<16x3xf32>, %e: tensor<16x32xf32>, %f: tensor<16xf32>, %g: tensor<3x16xf32>) -> (tensor<16x32xf32>, tensor<16xf32>, tensor<3x16xf32>) {
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"],
      qdq.lane_loops, qdq.init, qdq.slot_sums, qdq.sum_tile, qdq.word_loops, qdq.byte_tile, qdq.result_lanes, qdq.tile, qdq.block_tile, qdq.block_rest}
      ins(%x : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<16x32xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"],
      qdq.lane_loops, qdq.init, qdq.slot_sums, qdq.sum_tile, qdq.word_loops, qdq.byte_tile, qdq.result_lanes, qdq.tile, qdq.block_tile, qdq.block_rest}
      ins(%y : tensor<16x3xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %n = arith.addf %sum, %a : f32
    linalg.yield %n : f32
  } -> tensor<16xf32>
  %t = linalg.transpose ins(%y : tensor<16x3xf32>) outs(%g : tensor<3x16xf32>) permutation = [1, 0] {qdq.square}
  return %r, %s, %t : tensor<16x32xf32>, tensor<16xf32>, tensor<3x16xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @numbers(
// CHECK: vector.transfer_write
// CHECK-SAME: vector<16x
// CHECK: linalg.generic
// CHECK: linalg.transpose
func.func @numbers(%x: tensor<16x32xf32>, %y: tensor<16x3xf32>, %e: tensor<16x32xf32>, %f: tensor<16xf32>, %g: tensor<3x16xf32>) -> (tensor<16x32xf32>, tensor<16xf32>, tensor<3x16xf32>) {
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"],
      qdq.lane_loops = 7 : i64, qdq.init = 7 : i64, qdq.slot_sums = 7 : i64, qdq.sum_tile = 7 : i64, qdq.word_loops = 7 : i64, qdq.byte_tile = 7 : i64, qdq.result_lanes = 7 : i64, qdq.tile = 7 : i64, qdq.block_tile = 7 : i64, qdq.block_rest = 7 : i64}
      ins(%x : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<16x32xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"],
      qdq.lane_loops = 7 : i64, qdq.init = 7 : i64, qdq.slot_sums = 7 : i64, qdq.sum_tile = 7 : i64, qdq.word_loops = 7 : i64, qdq.byte_tile = 7 : i64, qdq.result_lanes = 7 : i64, qdq.tile = 7 : i64, qdq.block_tile = 7 : i64, qdq.block_rest = 7 : i64}
      ins(%y : tensor<16x3xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %n = arith.addf %sum, %a : f32
    linalg.yield %n : f32
  } -> tensor<16xf32>
  %t = linalg.transpose ins(%y : tensor<16x3xf32>) outs(%g : tensor<3x16xf32>) permutation = [1, 0] {qdq.square = 7 : i64}
  return %r, %s, %t : tensor<16x32xf32>, tensor<16xf32>, tensor<3x16xf32>
}
