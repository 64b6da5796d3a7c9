// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file | FileCheck %s

// Codes of five bits, the fifth in another byte: four bits of 16 bytes for each field, and a bit of each of four bytes for eight lanes.
// CHECK-LABEL: func.func @fifth_bit(
// CHECK: scf.for {{.*}} -> (vector<16xf32>,
// CHECK: vector.transfer_read {{.*}} vector<2x8xi8>
// CHECK: %[[HIGH:.*]] = vector.transfer_read {{.*}} vector<2x2xi8>
// CHECK: %[[FLAT:.*]] = vector.shape_cast %[[HIGH]] : vector<2x2xi8> to vector<4xi8>
// CHECK: %[[LANES:.*]] = vector.shuffle %[[FLAT]], %[[FLAT]] [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3]
// CHECK: %[[FIRST:.*]] = vector.shuffle %[[LANES]], %[[LANES]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
// CHECK: arith.shrui %[[FIRST]], %{{.*}} : vector<16xi8>
// CHECK: arith.ori {{.*}} : vector<16xi8>
// CHECK: vector.reduction <add>
func.func @fifth_bit(%x: tensor<8x2x2x8xf32>, %low: tensor<16x8x2x8xi8>, %high: tensor<16x8x2x2xi8>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c4_i8 = arith.constant 4 : i8
  %r = linalg.generic {indexing_maps = [affine_map<(n, b, f, h, j) -> (b, f, h, j)>, affine_map<(n, b, f, h, j) -> (n, b, h, j)>,
                                        affine_map<(n, b, f, h, j) -> (n, b, f, h)>, affine_map<(n, b, f, h, j) -> (n)>],
                       iterator_types = ["parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %low, %high : tensor<8x2x2x8xf32>, tensor<16x8x2x8xi8>, tensor<16x8x2x2xi8>) outs(%y : tensor<16xf32>) {
  ^bb0(%v: f32, %byte: i8, %bits: i8, %sum: f32):
    %field = linalg.index 2 : index
    %nibble = qdq.extract_field %byte slots(%field) strides [4] : (i8, index) -> i4
    %lane = linalg.index 4 : index
    %bit = qdq.extract_field %bits slots(%lane) strides [1] : (i8, index) -> i1
    %5 = arith.extui %bit : i1 to i8
    %6 = arith.extui %nibble : i4 to i8
    %7 = arith.shli %5, %c4_i8 : i8
    %code = arith.ori %6, %7 : i8
    %real = arith.sitofp %code : i8 to f32
    %p = arith.mulf %v, %real fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// A field whose slot two loops compute, as the fusion of reshapes leaves it.
// CHECK-LABEL: func.func @slot_of_two_loops(
// CHECK-NOT: affine.apply
// CHECK: scf.for {{.*}} -> (vector<16xf32>,
// CHECK: arith.shrui {{.*}} : vector<16xi32>
// CHECK: vector.reduction <add>
func.func @slot_of_two_loops(%x: tensor<8x2x2x16xf32>, %w: tensor<16x8x16xi8>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, b, f, g, i) -> (b, f, g, i)>, affine_map<(n, b, f, g, i) -> (n, b, i)>, affine_map<(n, b, f, g, i) -> (n)>],
                       iterator_types = ["parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x2x2x16xf32>, tensor<16x8x16xi8>) outs(%y : tensor<16xf32>) {
  ^bb0(%v: f32, %byte: i8, %sum: f32):
    %f = linalg.index 2 : index
    %g = linalg.index 3 : index
    %field = affine.apply affine_map<()[s0, s1] -> (s0 * 2 + s1)>()[%f, %g]
    %code = qdq.extract_field %byte slots(%field) strides [2] : (i8, index) -> i2
    %3 = arith.extui %code : i2 to i8
    %real = arith.sitofp %3 : i8 to f32
    %p = arith.mulf %v, %real fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// A scale for each 16 of 32 lanes: both are computed in one vector of two, then spread.
// CHECK-LABEL: func.func @scales_of_halves(
// CHECK: %[[CODES:.*]] = vector.transfer_read {{.*}} vector<2xi8>
// CHECK: %[[REALS:.*]] = arith.sitofp %[[CODES]] : vector<2xi8> to vector<2xf32>
// CHECK: %[[SCALES:.*]] = arith.mulf %[[REALS]], %{{.*}} : vector<2xf32>
// CHECK: vector.shuffle %[[SCALES]], %[[SCALES]] [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
// CHECK: vector.reduction <add>
func.func @scales_of_halves(%x: tensor<8x2x16xf32>, %w: tensor<16x8x2x16xi8>, %s: tensor<16x8x2xi8>, %d: tensor<16x8xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, b, h, i) -> (b, h, i)>, affine_map<(n, b, h, i) -> (n, b, h, i)>, affine_map<(n, b, h, i) -> (n, b, h)>,
                                        affine_map<(n, b, h, i) -> (n, b)>, affine_map<(n, b, h, i) -> (n)>],
                       iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s, %d : tensor<8x2x16xf32>, tensor<16x8x2x16xi8>, tensor<16x8x2xi8>, tensor<16x8xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%v: f32, %code: i8, %half: i8, %whole: f32, %sum: f32):
    %0 = arith.sitofp %half : i8 to f32
    %scale = arith.mulf %0, %whole : f32
    %1 = arith.sitofp %code : i8 to f32
    %2 = arith.mulf %1, %scale : f32
    %p = arith.mulf %v, %2 fastmath<reassoc,contract> : f32
    %t = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// Scales of two bytes each, which are parts of a word: only 16 lanes, of one scale.
// CHECK-LABEL: func.func @scales_of_two_bytes(
// CHECK: scf.for {{.*}} -> (vector<16xf32>,
// CHECK: tensor.extract {{.*}} : tensor<4x8x2x2xi8>
// CHECK: vector.reduction <add>
func.func @scales_of_two_bytes(%x: tensor<8x2x16xf32>, %w: tensor<16x8x2x16xi8>, %s: tensor<16x8x2x2xi8>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c8 = arith.constant 8 : i16
  %r = linalg.generic {indexing_maps = [affine_map<(n, b, h, i) -> (b, h, i)>, affine_map<(n, b, h, i) -> (n, b, h, i)>, affine_map<(n, b, h, i) -> (n, b, h, 0)>,
                                        affine_map<(n, b, h, i) -> (n, b, h, 1)>, affine_map<(n, b, h, i) -> (n)>],
                       iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s, %s : tensor<8x2x16xf32>, tensor<16x8x2x16xi8>, tensor<16x8x2x2xi8>, tensor<16x8x2x2xi8>) outs(%y : tensor<16xf32>) {
  ^bb0(%v: f32, %code: i8, %low: i8, %high: i8, %sum: f32):
    %0 = arith.extui %low : i8 to i16
    %1 = arith.extui %high : i8 to i16
    %2 = arith.shli %1, %c8 : i16
    %3 = arith.ori %0, %2 : i16
    %4 = arith.bitcast %3 : i16 to f16
    %scale = arith.extf %4 : f16 to f32
    %5 = arith.sitofp %code : i8 to f32
    %6 = arith.mulf %5, %scale : f32
    %p = arith.mulf %v, %6 fastmath<reassoc,contract> : f32
    %t = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

#w = affine_map<(n, byte, slot) -> (n, byte)>
#x = affine_map<(n, byte, slot) -> (byte, slot)>
#y = affine_map<(n, byte, slot) -> (n)>

// A table at a code is a look-up.
// CHECK-LABEL: func @table
// CHECK: qdq.lookup %{{.*}} : (vector<16x{{.*}}>
// CHECK-NOT: tensor.extract %cst
func.func @table(%w: tensor<64x64xi8>, %x: tensor<64x2xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %values = arith.constant dense<[-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]> : tensor<16xi8>
  %r = linalg.generic {indexing_maps = [#w, #x, #y], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%w, %x : tensor<64x64xi8>, tensor<64x2xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%byte: i8, %in: f32, %out: f32):
    %slot = linalg.index 2 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %place = arith.index_castui %code : i4 to index
    %value = tensor.extract %values[%place] : tensor<16xi8>
    %real = arith.sitofp %value : i8 to f32
    %term = arith.mulf %in, %real fastmath<reassoc,contract> : f32
    %sum = arith.addf %out, %term fastmath<reassoc,contract> : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
