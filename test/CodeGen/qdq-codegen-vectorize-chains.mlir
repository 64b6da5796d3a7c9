// The ways through a chain of `a + a` double with each op: walks over operands and users visit each value once.
// RUN: %chains %s | timeout 60 quant-opt --qdq-codegen-vectorize --split-input-file | FileCheck %s

// Users of an index, until one shifts by it.
// CHECK-LABEL: func.func @users_of_index(
// CHECK-COUNT-45: arith.addi {{.*}} : vector<8xindex>
func.func @users_of_index(%y: tensor<64xi64>) -> tensor<64xi64> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%y : tensor<64xi64>) {
  ^bb0(%out: i64):
    %a0 = linalg.index 0 : index
    // CHAIN 45
    %a#1 = arith.addi %a#0, %a#0 : index
    // END
    %wide = arith.index_cast %a45 : index to i64
    linalg.yield %wide : i64
  } -> tensor<64xi64>
  return %r : tensor<64xi64>
}

// -----

// The index of a block of 2^50 of a sum of 2^45 times the loop: tiles of 32, each with one scale.
// CHECK-LABEL: func.func @block_index(
// CHECK: scf.for {{.*}} step %c32
// CHECK: %[[FIRST:.*]] = arith.addi
// CHECK-COUNT-44: arith.addi
// CHECK-NOT: arith.addi
// CHECK: arith.divui
// CHECK: tensor.extract
func.func @block_index(%x: tensor<64xf32>, %s: tensor<2xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %length = arith.constant 0x4000000000000 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%v: f32, %out: f32):
    %a0 = linalg.index 0 : index
    // CHAIN 45
    %a#1 = arith.addi %a#0, %a#0 : index
    // END
    %block = arith.divui %a45, %length : index
    %scale = tensor.extract %s[%block] : tensor<2xf32>
    %p = arith.mulf %v, %scale : f32
    linalg.yield %p : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// An index beyond 64 bits is none of a block.
// CHECK-LABEL: func.func @block_index_overflow(
// CHECK: linalg.generic
// CHECK: tensor.extract
func.func @block_index_overflow(%x: tensor<64xf32>, %s: tensor<2xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %length = arith.constant 32 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%v: f32, %out: f32):
    %a0 = linalg.index 0 : index
    // CHAIN 70
    %a#1 = arith.addi %a#0, %a#0 : index
    // END
    %block = arith.divui %a70, %length : index
    %scale = tensor.extract %s[%block] : tensor<2xf32>
    %p = arith.mulf %v, %scale : f32
    linalg.yield %p : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// Where a code lies in its byte.
// CHECK-LABEL: func.func @slot(
// CHECK: qdq.lookup
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @slot(%w: tensor<16x8x16xi8>, %scales: tensor<16x8xf32>, %x: tensor<8x16x2xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %x : tensor<16x8x16xi8>, tensor<16x8xf32>, tensor<8x16x2xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %v: f32, %sum: f32):
    %a0 = linalg.index 3 : index
    // CHAIN 45
    %a#1 = arith.addi %a#0, %a#0 : index
    // END
    %code = qdq.extract_field %byte slots(%a45) strides [1] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}
