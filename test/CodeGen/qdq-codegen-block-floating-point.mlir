// RUN: quant-opt %s --qdq-codegen-block-floating-point --canonicalize --cse --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-block-floating-point=vector-bits=256 --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=HALF
// RUN: quant-opt %s --qdq-codegen-parallelize='min-part=512 block-float-bits=512' --split-input-file | FileCheck %s --check-prefix=PARTS
// RUN: not quant-opt %s --qdq-codegen-block-floating-point=vector-bits=64 --split-input-file 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: error: vector-bits is 64: expected 128, 256 or 512

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// The largest magnitudes of four blocks, which make a vector, then digits, sums
// for the offset of the codes, and units.
// CHECK-LABEL: func @signed
// HALF-LABEL: func @signed
// A part has too few sums, but was planned as a part of enough.
// PARTS-LABEL: func @signed
// PARTS: scf.forall
// PARTS: scf.if
// PARTS: vector.contract
// CHECK: linalg.transpose {{.*}} : tensor<2x64x2xf32>) outs({{.*}} : tensor<2x2x64xf32>)
// CHECK: arith.maxui {{.*}} : i32
// CHECK: tensor<2x4xi32>
// CHECK: tensor.extract
// CHECK: %[[HOLDS:.*]] = arith.cmpi eq
// CHECK: scf.if %[[HOLDS]] -> (tensor<64xf32>)
// CHECK:   math.roundeven
// CHECK:   arith.fptosi {{.*}} : f32 to i32
// CHECK:   linalg.yield {{.*}} : i8, i8, i8
// CHECK:   arith.muli {{.*}}, %c-8_i32
// CHECK:   scf.for {{.*}} -> (tensor<64xf32>)
// Four columns share what is made of x.
// CHECK:     scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK:       %[[BYTES:.*]] = vector.transfer_read {{.*}} : tensor<64x8x16xi8>, vector<4x16xi8>
// CHECK:       arith.andi {{.*}} : vector<64xi8>
// CHECK:       arith.xori {{.*}} : vector<64xi8>
// CHECK:       %[[SCALES:.*]] = vector.transfer_read {{.*}} : tensor<64x8xf32>, vector<4xf32>
// CHECK:       vector.shuffle %[[SCALES]], %{{.*}} [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
// CHECK-COUNT-2: vector.contract {{.*}} into vector<16xi32>
// CHECK:       arith.shli
// CHECK-COUNT-2: vector.contract {{.*}} into vector<16xi32>
// CHECK:       arith.shli
// CHECK-COUNT-2: vector.contract {{.*}} into vector<16xi32>
// CHECK-NOT:   vector.contract
// CHECK:       arith.addi {{.*}} : vector<16xi32>
// CHECK:       arith.sitofp {{.*}} : vector<16xi32> to vector<16xf32>
// CHECK:     vector.reduction <add>
// CHECK: } else {
// CHECK:   linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<64xf32>)
// HALF: vector.transfer_read {{.*}} : tensor<64x8x16xi8>, vector<2x16xi8>
// HALF: vector.contract {{.*}} into vector<8xi32>
func.func @signed(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// No offset, and a block that is two vectors, or four.
// CHECK-LABEL: func @unsigned
// HALF-LABEL: func @unsigned
// CHECK-NOT: arith.muli {{.*}} : i32
// CHECK: arith.remui %{{.*}}, %c2
// CHECK: %[[BLOCK:.*]] = arith.divui %{{.*}}, %c2
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}, %[[BLOCK]], %{{.*}}]{{.*}} : tensor<64x8x128xi8>, vector<64xi8>
// CHECK-NOT: arith.xori
// CHECK: %[[SCALE:.*]] = tensor.extract %{{.*}}[%{{.*}}, %[[BLOCK]]]
// CHECK: vector.broadcast %[[SCALE]] : f32 to vector<16xf32>
// HALF: arith.divui %{{.*}}, %c4
func.func @unsigned(%x: tensor<8x128x2xf32>, %w: tensor<64x8x128xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x128x2xf32>, tensor<64x8x128xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extui %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// Values of floats in halves, from a table, which has none below 0.
// CHECK-LABEL: func @floats
// HALF-LABEL: func @floats
// CHECK: arith.constant dense<[12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0]> : vector<16xi8>
// CHECK: arith.muli {{.*}}, %c-12_i32
// CHECK: qdq.lookup
// CHECK: vector.contract
func.func @floats(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.bitcast %code : i4 to f4E2M1FN
    %3 = arith.extf %2 : f4E2M1FN to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// The order of the sum is fixed.
// CHECK-LABEL: func @in_order
// CHECK-NOT: scf.if
// HALF-LABEL: func @in_order
func.func @in_order(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 : f32
    %6 = arith.addf %out, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// Too few sums share x.
// CHECK-LABEL: func @few_sums
// CHECK-NOT: scf.if
// HALF-LABEL: func @few_sums
// PARTS-LABEL: func @few_sums
// PARTS: scf.forall
// PARTS-NOT: scf.if
// PARTS-NOT: vector.contract
// PARTS: scf.forall.in_parallel
func.func @few_sums(%x: tensor<8x16x2xf32>, %w: tensor<63x8x16xi8>, %s: tensor<63x8xf32>, %y: tensor<63xf32>) -> tensor<63xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<63x8x16xi8>, tensor<63x8xf32>) outs(%y : tensor<63xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<63xf32>
  return %r : tensor<63xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// Blocks of 20 bytes fill no vector.
// CHECK-LABEL: func @gaps
// CHECK-NOT: scf.if
// HALF-LABEL: func @gaps
func.func @gaps(%x: tensor<8x20x2xf32>, %w: tensor<64x8x20xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x20x2xf32>, tensor<64x8x20xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// The blocks fill no whole number of vectors.
// CHECK-LABEL: func @odd_blocks
// CHECK-NOT: scf.if
// HALF-LABEL: func @odd_blocks
func.func @odd_blocks(%x: tensor<7x16x2xf32>, %w: tensor<64x7x16xi8>, %s: tensor<64x7xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<7x16x2xf32>, tensor<64x7x16xi8>, tensor<64x7xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// Pairs of blocks fill vectors of half as many bytes.
// CHECK-LABEL: func @even_blocks
// CHECK: vector.transfer_read {{.*}} vector<2x16xi8>
// HALF-LABEL: func @even_blocks
func.func @even_blocks(%x: tensor<6x16x2xf32>, %w: tensor<64x6x16xi8>, %s: tensor<64x6xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<6x16x2xf32>, tensor<64x6x16xi8>, tensor<64x6xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// A zero point that is the same for all codes.
// CHECK-LABEL: func @moved
// HALF-LABEL: func @moved
// CHECK: scf.if
// CHECK: arith.muli {{.*}}, %c-5_i32
// CHECK-NOT: arith.xori
// CHECK: scf.for
func.func @moved(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extui %code : i4 to i32
    %five = arith.constant 5 : i32
    %z = arith.subi %2, %five : i32
    %3 = arith.sitofp %z : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// A lane of i32 has no room for the sums.
// CHECK-LABEL: func @moved_far
// CHECK-NOT: scf.if
// HALF-LABEL: func @moved_far
func.func @moved_far(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extui %code : i4 to i32
    %far = arith.constant 32 : i32
    %z = arith.subi %2, %far : i32
    %3 = arith.sitofp %z : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// The values are too large.
// CHECK-LABEL: func @squares
// CHECK-NOT: scf.if
// HALF-LABEL: func @squares
func.func @squares(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %z = arith.muli %2, %2 : i32
    %3 = arith.sitofp %z : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// Signed codes that are read as unsigned are large.
// CHECK-LABEL: func @mixed_signs
// CHECK-NOT: scf.if
// HALF-LABEL: func @mixed_signs
func.func @mixed_signs(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.uitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// The blocks are not counted yet.
// CHECK-LABEL: func @dynamic
// CHECK-NOT: scf.if
// HALF-LABEL: func @dynamic
func.func @dynamic(%x: tensor<?x16x2xf32>, %w: tensor<64x?x16xi8>, %s: tensor<64x?xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<?x16x2xf32>, tensor<64x?x16xi8>, tensor<64x?xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (n, b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// Each sum has an x of its own.
// CHECK-LABEL: func @rows_of_x
// CHECK-NOT: scf.if
// HALF-LABEL: func @rows_of_x
func.func @rows_of_x(%x: tensor<64x8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<64x8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n, b)>

// Each block has a sum of its own.
// CHECK-LABEL: func @sums_of_blocks
// CHECK-NOT: scf.if
// HALF-LABEL: func @sums_of_blocks
func.func @sums_of_blocks(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64x8xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64x8xf32>
  return %r : tensor<64x8xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// A product may not be rounded together with its sum.
// CHECK-LABEL: func @without_contraction
// HALF-LABEL: func @without_contraction
// CHECK: %[[SUM:.*]] = arith.mulf {{.*}} : vector<16xf32>
// CHECK: %[[TERM:.*]] = arith.mulf %[[SUM]], %{{[^ ]*}} : vector<16xf32>
// CHECK: arith.addf %{{[^,]*}}, %[[TERM]] : vector<16xf32>
func.func @without_contraction(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// A sum that may be fused with products does not allow its products to be fused.
// CHECK-LABEL: func @product_is_rounded
// CHECK: arith.sitofp {{.*}} : vector<16xi32> to vector<16xf32>
// CHECK-COUNT-2: arith.mulf %{{.*}}, %{{[a-z0-9_]+}} : vector<16xf32>
// CHECK: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
func.func @product_is_rounded(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, pair, b, byte, slot) -> (pair, b, byte, slot)>
#w = affine_map<(n, pair, b, byte, slot) -> (n, pair, b, byte)>
#s = affine_map<(n, pair, b, byte, slot) -> (n, pair, b)>
#z = affine_map<(n, pair, b, byte, slot) -> (n, pair)>
#y = affine_map<(n, pair, b, byte, slot) -> (n)>

// Zero points in halves of bytes, multiplied with the sums of x.
// CHECK-LABEL: func @zero_points
// HALF-LABEL: func @zero_points
// CHECK: scf.if
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<2x4x4xi32>)
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}} : tensor<64x4x2x16xi8>, vector<2x2x16xi8>
// CHECK: vector.transfer_read {{.*}} : tensor<64x4x2xf32>, vector<2x2xf32>
// CHECK: %[[BYTES:.*]] = vector.transfer_read {{.*}} : tensor<64x4xi8>, vector<2xi8>
// CHECK: vector.shuffle %[[BYTES]], %{{.*}} [0, 0, 1, 1]
// CHECK: arith.shrui {{.*}} : vector<4xi32>
// CHECK: %[[LANES:.*]] = vector.shuffle {{.*}} [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3] : vector<4xi32>, vector<4xi32>
// CHECK: %[[FACTOR:.*]] = arith.subi %{{.*}}, %[[LANES]]
// CHECK: arith.muli %{{.*}}, %[[FACTOR]] : vector<16xi32>
func.func @zero_points(%x: tensor<4x2x16x2xf32>, %w: tensor<64x4x2x16xi8>, %s: tensor<64x4x2xf32>, %z: tensor<64x4xi8>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #z, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s, %z : tensor<4x2x16x2xf32>, tensor<64x4x2x16xi8>, tensor<64x4x2xf32>, tensor<64x4xi8>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %zero: i8, %out: f32):
    %slot = linalg.index 4 : index
    %2 = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %3 = arith.extui %2 : i4 to i32
    %b = linalg.index 2 : index
    %nibble = qdq.extract_field %zero slots(%b) strides [4] : (i8, index) -> i4
    %4 = arith.extui %nibble : i4 to i32
    %5 = arith.subi %3, %4 : i32
    %6 = arith.sitofp %5 : i32 to f32
    %weight = arith.mulf %6, %scale : f32
    %7 = arith.mulf %in, %weight fastmath<reassoc,contract> : f32
    %8 = arith.addf %out, %7 fastmath<reassoc,contract> : f32
    linalg.yield %8 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, pair, b, byte, slot) -> (pair, b, byte, slot)>
#w = affine_map<(n, pair, b, byte, slot) -> (n, pair, b, byte)>
#s = affine_map<(n, pair, b, byte, slot) -> (n, pair, b)>
#z = affine_map<(n, pair, b, byte, slot) -> (n, pair)>
#y = affine_map<(n, pair, b, byte, slot) -> (n)>

// A lane of i32 has no room for the sums.
// CHECK-LABEL: func @far_zero_points
// CHECK-NOT: scf.if
// HALF-LABEL: func @far_zero_points
func.func @far_zero_points(%x: tensor<4x2x16x2xf32>, %w: tensor<64x4x2x16xi8>, %s: tensor<64x4x2xf32>, %z: tensor<64x4xi8>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #z, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s, %z : tensor<4x2x16x2xf32>, tensor<64x4x2x16xi8>, tensor<64x4x2xf32>, tensor<64x4xi8>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %zero: i8, %out: f32):
    %slot = linalg.index 4 : index
    %2 = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %3 = arith.extui %2 : i4 to i32
    %4 = arith.extui %zero : i8 to i32
    %5 = arith.subi %3, %4 : i32
    %6 = arith.sitofp %5 : i32 to f32
    %weight = arith.mulf %6, %scale : f32
    %7 = arith.mulf %in, %weight fastmath<reassoc,contract> : f32
    %8 = arith.addf %out, %7 fastmath<reassoc,contract> : f32
    linalg.yield %8 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, pair, b, byte, slot) -> (pair, b, byte, slot)>
#w = affine_map<(n, pair, b, byte, slot) -> (n, pair, b, byte)>
#s = affine_map<(n, pair, b, byte, slot) -> (n, pair, b)>
#z = affine_map<(n, pair, b, byte, slot) -> (n, pair)>
#y = affine_map<(n, pair, b, byte, slot) -> (n)>

// Zero points that differ within a block.
// CHECK-LABEL: func @zero_points_of_bytes
// CHECK-NOT: scf.if
// HALF-LABEL: func @zero_points_of_bytes
func.func @zero_points_of_bytes(%x: tensor<4x2x16x2xf32>, %w: tensor<64x4x2x16xi8>, %s: tensor<64x4x2xf32>, %z: tensor<64x4xi8>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #z, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s, %z : tensor<4x2x16x2xf32>, tensor<64x4x2x16xi8>, tensor<64x4x2xf32>, tensor<64x4xi8>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %zero: i8, %out: f32):
    %slot = linalg.index 4 : index
    %2 = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %3 = arith.extui %2 : i4 to i32
    %b = linalg.index 4 : index
    %nibble = qdq.extract_field %zero slots(%b) strides [4] : (i8, index) -> i4
    %4 = arith.extui %nibble : i4 to i32
    %5 = arith.subi %3, %4 : i32
    %6 = arith.sitofp %5 : i32 to f32
    %weight = arith.mulf %6, %scale : f32
    %7 = arith.mulf %in, %weight fastmath<reassoc,contract> : f32
    %8 = arith.addf %out, %7 fastmath<reassoc,contract> : f32
    linalg.yield %8 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, pair, b, byte, slot) -> (pair, b, byte, slot)>
#w = affine_map<(n, pair, b, byte, slot) -> (n, pair, b, byte)>
#s = affine_map<(n, pair, b, byte, slot) -> (n, pair, b)>
#z = affine_map<(n, pair, b, byte, slot) -> (n, pair)>
#y = affine_map<(n, pair, b, byte, slot) -> (n)>

// A bias, multiplied with the sums of x as floats.
// CHECK-LABEL: func @biases
// HALF-LABEL: func @biases
// CHECK: scf.if
// CHECK: arith.sitofp {{.*}} : i32 to f32
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[BIAS:.*]] = vector.transfer_read {{.*}} : tensor<64x4xf32>, vector<2xf32>
// CHECK: vector.shuffle %[[BIAS]], %{{.*}} [0, 0, 1, 1]
// CHECK: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK: arith.mulf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
func.func @biases(%x: tensor<4x2x16x2xf32>, %w: tensor<64x4x2x16xi8>, %s: tensor<64x4x2xf32>, %z: tensor<64x4xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #z, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s, %z : tensor<4x2x16x2xf32>, tensor<64x4x2x16xi8>, tensor<64x4x2xf32>, tensor<64x4xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %zero: f32, %out: f32):
    %slot = linalg.index 4 : index
    %2 = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %3 = arith.extui %2 : i4 to i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = arith.mulf %4, %scale : f32
    %weight = arith.addf %5, %zero : f32
    %7 = arith.mulf %in, %weight fastmath<reassoc,contract> : f32
    %8 = arith.addf %out, %7 fastmath<reassoc,contract> : f32
    linalg.yield %8 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// The factor of the term is a value from outside of the sum, not an operand.
// CHECK-LABEL: func.func @factor_from_outside(
// CHECK-NOT: scf.if
#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(n, b, byte, slot) -> (n, b)>
#y = affine_map<(n, b, byte, slot) -> (n)>
func.func @factor_from_outside(%c: f32, %x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %scale, %real : f32
    %term = arith.mulf %c, %weight : f32
    %sum = arith.addf %out, %term fastmath<reassoc,contract> : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// One scale for all blocks. Of 65 columns, one is left over of tiles of four.
// CHECK-LABEL: func @scalar_scale_odd_columns
// HALF-LABEL: func @scalar_scale_odd_columns
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c4 iter_args
// CHECK: vector.broadcast %arg2 : f32 to vector<16xf32>
// CHECK-COUNT-4: vector.reduction <add>
// CHECK: vector.transfer_read %arg1[%c64,
// CHECK: vector.broadcast %arg2 : f32 to vector<16xf32>
// CHECK: vector.reduction <add>
// CHECK-NOT: vector.reduction
// CHECK: } else {
func.func @scalar_scale_odd_columns(%x: tensor<8x16x2xf32>, %w: tensor<65x8x16xi8>, %s: f32, %y: tensor<65xf32>) -> tensor<65xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, affine_map<(n, b, byte, slot) -> ()>, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<65x8x16xi8>, f32) outs(%y : tensor<65xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %integer = arith.extsi %code : i4 to i32
    %real = arith.sitofp %integer : i32 to f32
    %weight = arith.mulf %real, %scale : f32
    %term = arith.mulf %in, %weight fastmath<reassoc,contract> : f32
    %sum = arith.addf %out, %term fastmath<reassoc,contract> : f32
    linalg.yield %sum : f32
  } -> tensor<65xf32>
  return %r : tensor<65xf32>
}

// -----

#x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
#w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
#y = affine_map<(n, b, byte, slot) -> (n)>

// A sum of nothing.
// CHECK-LABEL: func @no_blocks
// CHECK-NOT: scf.if
// HALF-LABEL: func @no_blocks
func.func @no_blocks(%x: tensor<0x16x2xf32>, %w: tensor<64x0x16xi8>, %s: f32, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, affine_map<(n, b, byte, slot) -> ()>, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<0x16x2xf32>, tensor<64x0x16xi8>, f32) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %integer = arith.extsi %code : i4 to i32
    %real = arith.sitofp %integer : i32 to f32
    %weight = arith.mulf %real, %scale : f32
    %term = arith.mulf %in, %weight fastmath<reassoc,contract> : f32
    %sum = arith.addf %out, %term fastmath<reassoc,contract> : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(m, n, b, byte, slot) -> (m, b, byte, slot)>
#w = affine_map<(m, n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(m, n, b, byte, slot) -> (n, b)>
#y = affine_map<(m, n, b, byte, slot) -> (m, n)>

// Sums of floats are faster for four rows, and stay so in parts of fewer.
// CHECK-LABEL: func @four_rows
// CHECK-NOT: scf.if
// HALF-LABEL: func @four_rows
// PARTS-LABEL: func @four_rows
// PARTS: scf.forall
// PARTS-NOT: scf.if
// PARTS-NOT: vector.contract
// PARTS: scf.forall.in_parallel
func.func @four_rows(%x: tensor<4x8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<4x8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<4x64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 4 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// -----

#x = affine_map<(n, b, half, word, bit) -> (b, half, word, bit)>
#low = affine_map<(n, b, half, word, bit) -> (n, b, word, bit)>
#high = affine_map<(n, b, half, word, bit) -> (n, b, half, word)>
#s = affine_map<(n, b, half, word, bit) -> (n, b)>
#y = affine_map<(n, b, half, word, bit) -> (n)>

// Codes of five bits, in two operands: nibbles, and a bit of each in a word of
// 32. The two bytes of a scale are read at once.
// CHECK-LABEL: func @joined
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: tensor.extract {{.*}} : tensor<64x18xi8>
// CHECK:   vector.from_elements {{.*}} : vector<2xi16>
// CHECK:   arith.bitcast {{.*}} : vector<2xi16> to vector<2xf16>
// CHECK-DAG: vector.transfer_read {{.*}} : tensor<64x18x2x8xi8>, vector<2x2x8xi8>
// CHECK-DAG: arith.shrui {{.*}} : vector<32xi16>
// CHECK-DAG: vector.transfer_read {{.*}} : tensor<64x18x2x2xi8>, vector<2x2x2xi8>
// CHECK-DAG: vector.bitcast {{.*}} : vector<8xi8> to vector<64xi1>
// CHECK-COUNT-3: vector.contract
// HALF-LABEL: func @joined
// HALF: arith.shrui {{.*}} : vector<16xi16>
// HALF: vector.bitcast {{.*}} : vector<4xi8> to vector<32xi1>
func.func @joined(%x: tensor<18x2x2x8xf32>, %low: tensor<64x18x2x8xi8>, %high: tensor<64x18x2x2xi8>, %s0: tensor<64x18xi8>, %s1: tensor<64x18xi8>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #low, #high, #s, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %low, %high, %s0, %s1 : tensor<18x2x2x8xf32>, tensor<64x18x2x8xi8>, tensor<64x18x2x2xi8>, tensor<64x18xi8>, tensor<64x18xi8>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %nibbles: i8, %bits: i8, %scale0: i8, %scale1: i8, %out: f32):
    %half = linalg.index 2 : index
    %nibble = qdq.extract_field %nibbles slots(%half) strides [4] : (i8, index) -> i4
    %place = linalg.index 4 : index
    %bit = qdq.extract_field %bits slots(%place) strides [1] : (i8, index) -> i1
    %four = arith.constant 4 : i8
    %lower = arith.extui %nibble : i4 to i8
    %fifth = arith.extui %bit : i1 to i8
    %upper = arith.shli %fifth, %four : i8
    %code = arith.ori %lower, %upper : i8
    %wide = arith.extsi %code : i8 to i32
    %sixteen = arith.constant 16 : i32
    %moved = arith.subi %wide, %sixteen : i32
    %real = arith.sitofp %moved : i32 to f32
    %word = qdq.extract_field %scale0, %scale1 strides [] : (i8, i8) -> i16
    %f16 = arith.bitcast %word : i16 to f16
    %scale = arith.extf %f16 : f16 to f32
    %weight = arith.mulf %real, %scale : f32
    %term = arith.mulf %in, %weight fastmath<reassoc,contract> : f32
    %sum = arith.addf %out, %term fastmath<reassoc,contract> : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, c, half, byte) -> (b, c, half, byte)>
#w = affine_map<(n, b, c, half, byte) -> (n, b, c, byte)>
#t = affine_map<(n, b, c, half, byte) -> (n, b, c, half)>
#s = affine_map<(n, b, c, half, byte) -> (n, b)>
#y = affine_map<(n, b, c, half, byte) -> (n)>

// The halves of a byte are in blocks of their own. Eight blocks share the scale
// of their scales, and are computed at once: four vectors.
// CHECK-LABEL: func @halves
// CHECK: scf.for %{{.*}} = %c0 to %c4 step
// CHECK:   vector.transfer_read {{.*}} : tensor<64x4x4x2xi8>, vector<4x2xi8>
// CHECK:   arith.mulf {{.*}} : vector<8xf32>
// CHECK-COUNT-48: vector.contract
// CHECK-NOT: vector.contract
// CHECK:   vector.shuffle {{.*}}[6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7] : vector<8xf32>, vector<8xf32>
// CHECK: } else {
func.func @halves(%x: tensor<4x4x2x32xf32>, %w: tensor<64x4x4x32xi8>, %t: tensor<64x4x4x2xi8>, %s: tensor<64x4xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #t, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %t, %s : tensor<4x4x2x32xf32>, tensor<64x4x4x32xi8>, tensor<64x4x4x2xi8>, tensor<64x4xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %of: i8, %outer: f32, %out: f32):
    %half = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%half) strides [4] : (i8, index) -> i4
    %wide = arith.extui %code : i4 to i32
    %real = arith.uitofp %wide : i32 to f32
    %inner = arith.uitofp %of : i8 to f32
    %scale = arith.mulf %inner, %outer : f32
    %weight = arith.mulf %real, %scale : f32
    %term = arith.mulf %in, %weight fastmath<reassoc,contract> : f32
    %sum = arith.addf %out, %term fastmath<reassoc,contract> : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#x = affine_map<(n, b, byte) -> (b, byte)>
#w = affine_map<(n, b, byte) -> (n, b, byte)>
#y = affine_map<(n, b, byte) -> (n)>

// A code that is always 0: no products of bytes.
// CHECK-LABEL: func @constant_code
// CHECK-NOT: vector.contract
// HALF-LABEL: func @constant_code
func.func @constant_code(%x: tensor<4x64xf32>, %w: tensor<64x4x64xi8>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x64xf32>, tensor<64x4x64xi8>) outs(%y : tensor<64xf32>) {
  ^bb0(%in: f32, %byte: i8, %out: f32):
    %zero = arith.constant 0 : i8
    %code = arith.andi %byte, %zero : i8
    %real = arith.uitofp %code : i8 to f32
    %term = arith.mulf %in, %real fastmath<reassoc> : f32
    %sum = arith.addf %out, %term fastmath<reassoc> : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
