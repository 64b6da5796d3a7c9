// RUN: quant-opt %s --qdq-codegen-vectorize --canonicalize --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize=vector-bits=256 --split-input-file | FileCheck %s --check-prefix=NARROW

// 16 words hold four blocks of 32 codes: x is laid out for the eight slots of a word, codes are looked up as reals, and each lane has the scale of its block.
// CHECK-LABEL: func.func @blocks_of_32(
// CHECK-DAG: %[[TABLE:.*]] = arith.constant dense<[0.000000e+00, 1.000000e+00, {{.*}}, -1.000000e+00]> : vector<16xf32>
// CHECK: linalg.transpose ins({{.*}} : tensor<2x16x8xf32>) outs({{.*}} : tensor<2x8x16xf32>) permutation = [0, 2, 1]
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-8: vector.transfer_read {{.*}} : tensor<2x4x2x4x4xf32>, vector<4x4xf32>
// CHECK: %[[BYTES:.*]] = vector.transfer_read {{.*}} vector<4x4x4xi8>
// CHECK: %[[FLAT:.*]] = vector.shape_cast %[[BYTES]]
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[FLAT]] : vector<64xi8> to vector<16xi32>
// CHECK: %[[SCALES:.*]] = vector.transfer_read {{.*}} vector<4xf32>
// CHECK: vector.shuffle %[[SCALES]], %{{.*}} [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]

// The first bits of a word, and the next ones: where a byte lies depends on the order of bytes.
// CHECK: %[[BYTE:.*]] = math.cttz
// CHECK: %[[AMOUNT:.*]] = vector.broadcast %[[BYTE]]
// CHECK: arith.shrui %[[WORDS]], %[[AMOUNT]]
// CHECK: arith.addi %{{.*}}, %c4_i32
// CHECK: qdq.lookup %[[TABLE]]

// A vector of 256 bits holds no table of 16 codes.
// NARROW-LABEL: func.func @blocks_of_32(
// NARROW-NOT: vector.bitcast
// NARROW: vector.reduction
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @blocks_of_32(%w: tensor<16x8x16xi8>, %scales: tensor<16x8xf32>, %x: tensor<8x16x2xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %x : tensor<16x8x16xi8>, tensor<16x8xf32>, tensor<8x16x2xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %v: f32, %sum: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// A zero point is subtracted from the look-up, as a float: the difference of two bytes is exact.
// CHECK-LABEL: func.func @zero_points(
// CHECK-DAG: %[[TABLE:.*]] = arith.constant dense<[0.000000e+00, 1.000000e+00, {{.*}}, 1.500000e+01]> : vector<16xf32>
// CHECK: %[[ZEROS:.*]] = vector.transfer_read {{.*}} vector<4xi8>
// CHECK: %[[SPREAD:.*]] = vector.shuffle %[[ZEROS]], %{{.*}} [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
// CHECK: %[[CODES:.*]] = qdq.lookup %[[TABLE]]
// CHECK: %[[FLOATS:.*]] = arith.{{[us]}}itofp %
// CHECK: arith.subf %[[CODES]], %[[FLOATS]]
// NARROW-LABEL: func.func @zero_points(
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @zero_points(%w: tensor<16x8x16xi8>, %scales: tensor<16x8xf32>, %zeros: tensor<16x8xi8>, %x: tensor<8x16x2xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %zeros, %x : tensor<16x8x16xi8>, tensor<16x8xf32>, tensor<16x8xi8>, tensor<8x16x2xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %zero: i8, %v: f32, %sum: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %wide = arith.extui %code : i4 to i32
    %from = arith.extui %zero : i8 to i32
    %moved = arith.subi %wide, %from : i32
    %real = arith.sitofp %moved : i32 to f32
    %weight = arith.mulf %real, %scale : f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// Words fill blocks of 256 codes: the scale is in the table.
// CHECK-LABEL: func.func @blocks_of_256(
// CHECK: linalg.transpose
// CHECK: scf.for
// CHECK: vector.bitcast {{.*}} : vector<64xi8> to vector<16xi32>
// CHECK: %[[SCALE:.*]] = vector.broadcast {{.*}} : f32 to vector<16xf32>
// CHECK: arith.mulf %[[SCALE]], %{{.*}} : vector<16xf32>
// CHECK-NOT: vector.shuffle
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @blocks_of_256(%w: tensor<16x2x128xi8>, %scales: tensor<16x2xf32>, %x: tensor<2x128x2xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %x : tensor<16x2x128xi8>, tensor<16x2xf32>, tensor<2x128x2xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %v: f32, %sum: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// A weight that is rounded to bf16 is rounded in the table of its block, not in each lane.
// CHECK-LABEL: func.func @rounded(
// CHECK-NOT: vector.bitcast
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @rounded(%w: tensor<16x8x16xi8>, %scales: tensor<16x8xf32>, %x: tensor<8x16x2xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %x : tensor<16x8x16xi8>, tensor<16x8xf32>, tensor<8x16x2xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %v: f32, %sum: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %exact = arith.mulf %real, %scale : f32
    %rounded = arith.truncf %exact : f32 to bf16
    %weight = arith.extf %rounded : bf16 to f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// Each sum has an x of its own, which a transposition would read once more.
// CHECK-LABEL: func.func @own_factor(
// CHECK-NOT: linalg.transpose
// CHECK-NOT: vector.bitcast
// CHECK: vector.reduction
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (n, g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @own_factor(%w: tensor<16x8x16xi8>, %scales: tensor<16x8xf32>, %x: tensor<16x8x16x2xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %x : tensor<16x8x16xi8>, tensor<16x8xf32>, tensor<16x8x16x2xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %v: f32, %sum: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// Codes that end in no byte of their own are zero there, not the next byte's.
// CHECK-LABEL: func.func @straddling(
// CHECK-NOT: vector<64xi8> to vector<16xi32>
// CHECK: return
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @straddling(%w: tensor<16x8x16xi8>, %scales: tensor<16x8xf32>, %x: tensor<8x16x2xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %x : tensor<16x8x16xi8>, tensor<16x8xf32>, tensor<8x16x2xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %v: f32, %sum: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %byte slots(%slot) strides [6] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// The table that a body has is of another code.
// CHECK-LABEL: func.func @two_codes(
// CHECK-NOT: vector<64xi8> to vector<16xi32>
// CHECK: return
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @two_codes(%w: tensor<16x8x16xi8>, %scales: tensor<16x8xf32>, %z: tensor<16xi8>, %x: tensor<8x16x2xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #y, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %z, %x : tensor<16x8x16xi8>, tensor<16x8xf32>, tensor<16xi8>, tensor<8x16x2xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %zb: i8, %v: f32, %sum: f32):
    %zc = qdq.extract_field %zb strides [] : (i8) -> i4
    %zr = arith.sitofp %zc : i4 to f32
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %q = arith.mulf %weight, %v : f32
    %p = arith.mulf %q, %zr : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// Amounts that blocks add to.
// CHECK-LABEL: func.func @amounts_of_blocks(
// CHECK-NOT: vector<64xi8> to vector<16xi32>
// CHECK: return
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @amounts_of_blocks(%w: tensor<16x8x16xi8>, %scales: tensor<16x8xf32>, %z: tensor<16x8xi8>, %x: tensor<8x16x2xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c4 = arith.constant 4 : index
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %z, %x : tensor<16x8x16xi8>, tensor<16x8xf32>, tensor<16x8xi8>, tensor<8x16x2xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %zb: i8, %v: f32, %sum: f32):
    %slot = linalg.index 3 : index
    %bit = arith.muli %slot, %c4 : index
    %amount0 = arith.index_castui %bit : index to i8
    %amount = arith.addi %amount0, %zb : i8
    %shifted = arith.shrui %byte, %amount : i8
    %code = arith.trunci %shifted : i8 to i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// Slots that only the run counts.
// CHECK-LABEL: func.func @unknown_slots(
// CHECK-NOT: vector<64xi8> to vector<16xi32>
// CHECK: return
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @unknown_slots(%w: tensor<16x8x16xi8>, %scales: tensor<16x8xf32>, %x: tensor<8x16x?xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %x : tensor<16x8x16xi8>, tensor<16x8xf32>, tensor<8x16x?xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %v: f32, %sum: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// No slots.
// CHECK-LABEL: func.func @no_slots(
// CHECK-NOT: vector<64xi8> to vector<16xi32>
// CHECK: return
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @no_slots(%w: tensor<16x8x16xi8>, %scales: tensor<16x8xf32>, %x: tensor<8x16x0xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %x : tensor<16x8x16xi8>, tensor<16x8xf32>, tensor<8x16x0xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%byte: i8, %scale: f32, %v: f32, %sum: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}
