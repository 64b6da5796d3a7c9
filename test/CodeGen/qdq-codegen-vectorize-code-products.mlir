// RUN: quant-opt %s --qdq-codegen-vectorize="byte-dots=x86-vnni vector-bits=256" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize="byte-dots=x86-vnni vector-bits=512" --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: quant-opt %s --qdq-codegen-vectorize="vector-bits=256" --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: quant-opt %s --qdq-codegen-vectorize="byte-dots=x86-vnni vector-bits=256" --split-input-file | FileCheck %s --check-prefix=PANEL

// Sums in any order of products of codes in blocks, with a column in each lane.

#x = affine_map<(m, n, b, byte, slot) -> (m, b, byte, slot)>
#d = affine_map<(m, n, b, byte, slot) -> (m, b)>
#w = affine_map<(m, n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(m, n, b, byte, slot) -> (n, b)>
#y = affine_map<(m, n, b, byte, slot) -> (m, n)>

// The codes of a block share their bytes; four rows share the codes.
// CHECK-LABEL: func @signed
// WIDE-LABEL: func @signed
// OFF-LABEL: func @signed
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1]
// CHECK: arith.muli {{.*}}, %c-8_i32 : i32
// CHECK: scf.for %[[N:.*]] = %c0 to %c64 step %c8
// CHECK:   scf.for %[[B:.*]] = %c0 to %c8 step %c1 {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-8: vector.transfer_read %{{.*}} : tensor<64x8x16xi8>, vector<16xi8>
// CHECK:     vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi32>, vector<4xi32>
// CHECK:     vector.shuffle {{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xi32>, vector<8xi32>
// CHECK:     vector.shuffle {{.*}} [0, 1, 8, 9, 4, 5, 12, 13] : vector<8xi32>, vector<8xi32>
// CHECK:     arith.xori {{.*}} : vector<32xi8>
// CHECK:     vector.transfer_read {{.*}} : tensor<6x8x2x16xi8>, vector<4xi8>
// CHECK:     %[[SCALE:.*]] = vector.from_elements {{.*}} : vector<8xf32>
// CHECK:     %[[BY:.*]] = vector.broadcast %{{.*}} : f32 to vector<8xf32>
// CHECK:     %[[OFFSET:.*]] = vector.broadcast %{{.*}} : i32 to vector<8xi32>
// CHECK:     %[[DOT:.*]] = vector.contract {{.*}} %[[OFFSET]] : vector<8x8x4xi32>, vector<8x8x4xi32> into vector<8xi32>
// CHECK:     %[[REAL:.*]] = arith.sitofp %[[DOT]]
// CHECK:     %[[SCALED:.*]] = arith.mulf %[[REAL]], %[[BY]] fastmath<contract>
// CHECK:     %[[TERM:.*]] = arith.mulf %[[SCALED]], %[[SCALE]] fastmath<contract>
// CHECK:     arith.addf %{{.*}}, %[[TERM]] fastmath<contract>
// CHECK-COUNT-3: vector.contract
// CHECK-NOT: vector.contract
// CHECK: vector.transfer_write {{.*}} : vector<8xf32>, tensor<6x64xf32>
// The two rows that are left.
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>)
// WIDE: vector.shuffle {{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29] : vector<16xi32>, vector<16xi32>
// WIDE: vector.contract {{.*}} into vector<16xi32>
// OFF-NOT: vector.contract
func.func @signed(%x: tensor<6x8x16x2xi8>, %d: tensor<6x8xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #d, #w, #s, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %d, %w, %s : tensor<6x8x16x2xi8>, tensor<6x8xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<6x64xf32>) {
  ^bb0(%in: i8, %by: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 4 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %x8 = arith.sitofp %in : i8 to f32
    %real = arith.mulf %x8, %by : f32
    %5 = arith.mulf %real, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<6x64xf32>
  return %r : tensor<6x64xf32>
}

// -----

#x = affine_map<(m, n, b, byte, slot) -> (m, b, byte, slot)>
#d = affine_map<(m, n, b, byte, slot) -> (m, b)>
#w = affine_map<(m, n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(m, n, b, byte, slot) -> (n, b)>
#y = affine_map<(m, n, b, byte, slot) -> (m, n)>

// Zero points multiply the sums of the codes in a block; blocks of two chunks
// in a loop, and open rows: two, and one, behind each four.
// CHECK-LABEL: func @zero_points
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x8xi32>)
// CHECK-NOT: arith.muli {{.*}} : i32
// CHECK: scf.for {{.*}} step %c4
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c16 {{.*}} -> (vector<8xi32>, vector<8xi32>, vector<8xi32>, vector<8xi32>)
// CHECK-COUNT-4: vector.contract {{.*}} : vector<8x8x4xi32>, vector<8x8x4xi32> into vector<8xi32>
// CHECK: scf.yield
// CHECK: %[[Z:.*]] = arith.subi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK: arith.muli %{{.*}}, %[[Z]] : vector<8xi32>
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>) {
// CHECK: scf.for {{.*}} -> (vector<8xf32>) {
func.func @zero_points(%x: tensor<?x8x32x2xi8>, %d: tensor<?x8xf32>, %w: tensor<64x8x32xi8>, %z: tensor<64x8xi8>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #d, #w, #s, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %d, %w, %z : tensor<?x8x32x2xi8>, tensor<?x8xf32>, tensor<64x8x32xi8>, tensor<64x8xi8>) outs(%y : tensor<?x64xf32>) {
  ^bb0(%in: i8, %by: f32, %bytes: i8, %zero: i8, %out: f32):
    %slot = linalg.index 4 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %z4 = arith.trunci %zero : i8 to i4
    %z32 = arith.extui %z4 : i4 to i32
    %2 = arith.extui %code : i4 to i32
    %difference = arith.subi %2, %z32 : i32
    %3 = arith.sitofp %difference : i32 to f32
    %wide = arith.extsi %in : i8 to i32
    %x8 = arith.sitofp %wide : i32 to f32
    %real = arith.mulf %by, %x8 : f32
    %5 = arith.mulf %real, %3 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----

#x = affine_map<(m, n, b, byte, slot) -> (m, b, byte, slot)>
#d = affine_map<(m, n, b, byte, slot) -> (m, b)>
#w = affine_map<(m, n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(m, n, b, byte, slot) -> (n, b)>
#y = affine_map<(m, n, b, byte, slot) -> (m, n)>

// Blocks of 8 bytes: lanes are terms of a sum, and four columns share the codes
// of x.
// CHECK-LABEL: func @short_blocks
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: vector.contract {{.*}} : vector<2x8x4xi32>, vector<2x8x4xi32> into vector<8xi32>
// CHECK: vector.shuffle {{.*}} [0, 0, 1, 1, 2, 2, 3, 3] : vector<4xf32>, vector<4xf32>
// CHECK: vector.reduction <add>
func.func @short_blocks(%x: tensor<1x8x8x2xi8>, %d: tensor<1x8xf32>, %w: tensor<64x8x8xi8>, %s: tensor<64x8xf32>, %y: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #d, #w, #s, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %d, %w, %s : tensor<1x8x8x2xi8>, tensor<1x8xf32>, tensor<64x8x8xi8>, tensor<64x8xf32>) outs(%y : tensor<1x64xf32>) {
  ^bb0(%in: i8, %by: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 4 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %x8 = arith.sitofp %in : i8 to f32
    %real = arith.mulf %x8, %by : f32
    %5 = arith.mulf %real, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

// -----

#x = affine_map<(m, n, b, byte, slot) -> (m, b, byte, slot)>
#d = affine_map<(m, n, b, byte, slot) -> (m, b)>
#w = affine_map<(m, n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(m, n, b, byte, slot) -> (n, b)>
#y = affine_map<(m, n, b, byte, slot) -> (m, n)>

// The written order stays.
// CHECK-LABEL: func @in_order
// CHECK-NOT: vector.contract
func.func @in_order(%x: tensor<6x8x16x2xi8>, %d: tensor<6x8xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #d, #w, #s, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %d, %w, %s : tensor<6x8x16x2xi8>, tensor<6x8xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<6x64xf32>) {
  ^bb0(%in: i8, %by: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 4 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %x8 = arith.sitofp %in : i8 to f32
    %real = arith.mulf %x8, %by : f32
    %5 = arith.mulf %real, %4 : f32
    %6 = arith.addf %out, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<6x64xf32>
  return %r : tensor<6x64xf32>
}

// -----

#x = affine_map<(m, n, b, byte, slot) -> (m, b, byte, slot)>
#d = affine_map<(m, n, b, byte, slot) -> (m, b)>
#w = affine_map<(m, n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(m, n, b, byte, slot) -> (n, b)>
#y = affine_map<(m, n, b, byte, slot) -> (m, n)>

// Constant codes are laid out in words of neighboring columns, constant scales
// with the columns innermost: for a single row, too, and any number of blocks.
// CHECK-LABEL: func @constant
// WIDE-LABEL: func @constant
// OFF-LABEL: func @constant
// PANEL-LABEL: func @constant
// PANEL-DAG: arith.constant dense<17> : tensor<8x7x4x32xi8>
// PANEL-DAG: arith.constant dense<2.000000e+00> : tensor<7x64xf32>
// PANEL: scf.for %[[N:[a-z0-9]+]] = %{{.*}} -> (tensor<1x64xf32>)
// PANEL: scf.for %[[B:[a-z0-9]+]] = %{{.*}} -> (vector<8xf32>)
// PANEL: %[[PANEL:.*]] = affine.apply #{{.*}}(%[[N]])
// PANEL: vector.transfer_read %{{.*}}[%[[PANEL]], %[[B]], %{{.*}}, %{{.*}}]{{.*}} : tensor<8x7x4x32xi8>, vector<32xi8>
// PANEL: vector.transfer_read %{{.*}}[%[[B]], %[[N]]]{{.*}} : tensor<7x64xf32>, vector<8xf32>
// PANEL-NOT: tensor<64x7x16xi8>
// PANEL: return
func.func @constant(%x: tensor<1x7x16x2xi8>, %d: tensor<1x7xf32>, %y: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %w = arith.constant dense<17> : tensor<64x7x16xi8>
  %s = arith.constant dense<2.0> : tensor<64x7xf32>
  %r = linalg.generic {indexing_maps = [#x, #d, #w, #s, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %d, %w, %s : tensor<1x7x16x2xi8>, tensor<1x7xf32>, tensor<64x7x16xi8>, tensor<64x7xf32>) outs(%y : tensor<1x64xf32>) {
  ^bb0(%in: i8, %by: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 4 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %x8 = arith.sitofp %in : i8 to f32
    %real = arith.mulf %x8, %by : f32
    %5 = arith.mulf %real, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

// -----

#x = affine_map<(m, n, b, byte, slot) -> (m, b, byte, slot)>
#d = affine_map<(m, n, b, byte, slot) -> (m, b)>
#w = affine_map<(m, n, b, byte, slot) -> (n, b, byte)>
#s = affine_map<(m, n, b, byte, slot) -> (n, b)>
#y = affine_map<(m, n, b, byte, slot) -> (m, n)>
#e = affine_map<(m, n, b, byte, slot) -> (n floordiv 2)>

// An operand that the body does not use may have any map.
// CHECK-LABEL: func @unused_constant
// WIDE-LABEL: func @unused_constant
// OFF-LABEL: func @unused_constant
// PANEL-LABEL: func @unused_constant
// PANEL: vector.contract
func.func @unused_constant(%x: tensor<1x7x16x2xi8>, %d: tensor<1x7xf32>, %y: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %w = arith.constant dense<17> : tensor<64x7x16xi8>
  %s = arith.constant dense<2.0> : tensor<64x7xf32>
  %e = arith.constant dense<1.0> : tensor<32xf32>
  %r = linalg.generic {indexing_maps = [#x, #d, #w, #s, #e, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %d, %w, %s, %e : tensor<1x7x16x2xi8>, tensor<1x7xf32>, tensor<64x7x16xi8>, tensor<64x7xf32>, tensor<32xf32>) outs(%y : tensor<1x64xf32>) {
  ^bb0(%in: i8, %by: f32, %bytes: i8, %scale: f32, %unused: f32, %out: f32):
    %slot = linalg.index 4 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %2 = arith.extsi %code : i4 to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %x8 = arith.sitofp %in : i8 to f32
    %real = arith.mulf %x8, %by : f32
    %5 = arith.mulf %real, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

// -----

#x = affine_map<(m, n, b, byte) -> (m, b, byte)>
#d = affine_map<(m, n, b, byte) -> (m, b)>
#w = affine_map<(m, n, b, byte) -> (n, b, byte)>
#s = affine_map<(m, n, b, byte) -> (n, b)>
#y = affine_map<(m, n, b, byte) -> (m, n)>

// Codes of 8 bits fill their bytes. Two of their products do not fit in i16.
// CHECK-LABEL: func @bytes
// WIDE-LABEL: func @bytes
// OFF-LABEL: func @bytes
// PANEL-LABEL: func @bytes
// PANEL-DAG: arith.constant dense<17> : tensor<8x7x4x32xi8>
// PANEL: vector.transfer_read {{.*}} : tensor<8x7x4x32xi8>, vector<32xi8>
// CHECK: vector.contract {{.*}} kind = #vector.kind<add>} {{.*}} : vector<8x4xi32>, vector<8x4xi32> into vector<8xi32>
// WIDE: vector.contract {{.*}} kind = #vector.kind<add>} {{.*}} : vector<16x4xi32>, vector<16x4xi32> into vector<16xi32>
// CHECK: return
// OFF-NOT: vector.contract
func.func @bytes(%x: tensor<?x7x16xi8>, %d: tensor<?x7xf32>, %z: tensor<64x7xi8>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %w = arith.constant dense<17> : tensor<64x7x16xi8>
  %s = arith.constant dense<2.0> : tensor<64x7xf32>
  %r = linalg.generic {indexing_maps = [#x, #d, #w, #s, #s, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %d, %w, %s, %z : tensor<?x7x16xi8>, tensor<?x7xf32>, tensor<64x7x16xi8>, tensor<64x7xf32>, tensor<64x7xi8>) outs(%y : tensor<?x64xf32>) {
  ^bb0(%in: i8, %by: f32, %byte: i8, %scale: f32, %zero: i8, %out: f32):
    %code = arith.extui %byte : i8 to i32
    %z32 = arith.extui %zero : i8 to i32
    %difference = arith.subi %code, %z32 : i32
    %3 = arith.sitofp %difference : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %x8 = arith.sitofp %in : i8 to f32
    %real = arith.mulf %x8, %by : f32
    %5 = arith.mulf %real, %4 fastmath<reassoc,contract> : f32
    %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
    linalg.yield %6 : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
