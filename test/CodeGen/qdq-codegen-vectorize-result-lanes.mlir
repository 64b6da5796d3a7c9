// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file | FileCheck %s

// Channels outside: neighbors in a line are lanes, and a weight is the same for
// all of them. What uses the sums is in the same loops.
// CHECK-LABEL: func.func @nchw(
// CHECK: scf.for
// CHECK: %[[X:.*]] = vector.transfer_read {{.*}} vector<16xi8>
// CHECK: %[[P:.*]] = arith.extui %[[X]] : vector<16xi8> to vector<16xi32>
// CHECK: %[[W:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK: %[[Q:.*]] = vector.broadcast %[[W]] : i32 to vector<16xi32>
// CHECK: %[[T:.*]] = arith.muli %[[P]], %[[Q]] : vector<16xi32>
// CHECK: arith.addi {{.*}}%[[T]]
// CHECK: arith.trunci {{.*}} vector<{{.*}}xi8>
// CHECK-NOT: linalg.generic
func.func @nchw(%a: tensor<1x8x34x34xi8>, %w: tensor<8x3x3xi8>) -> tensor<1x8x32x32xi8> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x8x32x32xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x8x32x32xi32>) -> tensor<1x8x32x32xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, c, y, x, i, j) -> (b, c, y + i, x + j)>, affine_map<(b, c, y, x, i, j) -> (c, i, j)>, affine_map<(b, c, y, x, i, j) -> (b, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %w : tensor<1x8x34x34xi8>, tensor<8x3x3xi8>) outs(%f : tensor<1x8x32x32xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  } -> tensor<1x8x32x32xi32>
  %c = tensor.empty() : tensor<1x8x32x32xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(b, c, y, x) -> (b, c, y, x)>, affine_map<(b, c, y, x) -> (b, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<1x8x32x32xi32>) outs(%c : tensor<1x8x32x32xi8>) {
  ^bb0(%x: i32, %out: i8):
    %y = arith.trunci %x : i32 to i8
    linalg.yield %y : i8
  } -> tensor<1x8x32x32xi8>
  return %q : tensor<1x8x32x32xi8>
}

// -----

#map = affine_map<(b, y, x, c, i, j) -> (b, y * 2 + i, x * 2 + j, c)>
#map1 = affine_map<(b, y, x, c, i, j) -> (i, j, c)>
#map2 = affine_map<(b, y, x, c, i, j) -> (b, y, x, c)>
#kinds = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]

// Channels inside: they are the lanes of both, whatever the stride is. The last
// vector is not full.
// CHECK-LABEL: func.func @nhwc(
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true]} : {{.*}} vector<16xi8>
// CHECK-NOT: vector.broadcast
// CHECK: vector.transfer_read %{{.*}} : tensor<{{.*}}>, vector<8xi8>
func.func @nhwc(%a: tensor<1x9x9x39xi8>, %w: tensor<3x3x39xi8>, %c: tensor<1x4x4x39xi32>) -> tensor<1x4x4x39xi32> {
  %r = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = #kinds}
      ins(%a, %w : tensor<1x9x9x39xi8>, tensor<3x3x39xi8>) outs(%c : tensor<1x4x4x39xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  } -> tensor<1x4x4x39xi32>
  return %r : tensor<1x4x4x39xi32>
}

// -----

// Every other element of a line.
// CHECK-LABEL: func.func @strided_line(
// CHECK: %[[TWICE:.*]] = vector.transfer_read {{.*}} vector<32xi8>
// CHECK: vector.deinterleave %[[TWICE]] : vector<32xi8> -> vector<16xi8>
func.func @strided_line(%a: tensor<65xi8>, %w: tensor<3xi8>, %c: tensor<32xi32>) -> tensor<32xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(x, j) -> (x * 2 + j)>, affine_map<(x, j) -> (j)>, affine_map<(x, j) -> (x)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %w : tensor<65xi8>, tensor<3xi8>) outs(%c : tensor<32xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// -----

// A product with codes of 4 bits in rows [K, N]: the columns of the result are
// lanes, and each adds up in the order of k. Eight elements of a container are
// written out.
// CHECK-LABEL: func.func @codes(
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK: %[[W:.*]] = vector.transfer_read {{.*}} vector<16xi32>
// CHECK: %[[C:.*]] = qdq.extract_field %{{.*}} slots(%{{.*}}) strides [4] : (vector<16xi32>, vector<16xindex>) -> vector<16xi4>
// CHECK: %[[R:.*]] = arith.sitofp %[[C]] : vector<16xi4> to vector<16xf32>
// CHECK: %[[X:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK: %[[T:.*]] = arith.mulf %[[X]], %[[R]] : vector<16xf32>
// CHECK: arith.addf %{{.*}}, %[[T]] : vector<16xf32>
// CHECK-NOT: linalg.generic
func.func @codes(%x: tensor<2x4x8xf32>, %w: tensor<4x16xi32>, %y: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, s) -> (m, k, s)>, affine_map<(m, n, k, s) -> (k, n)>, affine_map<(m, n, k, s) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x4x8xf32>, tensor<4x16xi32>) outs(%y : tensor<2x16xf32>) {
  ^bb0(%a: f32, %b: i32, %sum: f32):
    %s = linalg.index 3 : index
    %c = qdq.extract_field %b slots(%s) strides [4] : (i32, index) -> i4
    %f = arith.sitofp %c : i4 to f32
    %t = arith.mulf %a, %f : f32
    %u = arith.addf %sum, %t : f32
    linalg.yield %u : f32
  } -> tensor<2x16xf32>
  return %r : tensor<2x16xf32>
}

// -----

// The sums of the rows of a matrix have their neighbors elsewhere, and what is
// wider than 32 bits is not added here.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: vector
func.func @others(%a: tensor<32x8xi8>, %c: tensor<32xi32>, %x: tensor<8x32xf64>, %y: tensor<32xf64>) -> (tensor<32xi32>, tensor<32xf64>) {
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<32x8xi8>) outs(%c : tensor<32xi32>) {
  ^bb0(%e: i8, %sum: i32):
    %p = arith.extsi %e : i8 to i32
    %u = arith.addi %sum, %p : i32
    linalg.yield %u : i32
  } -> tensor<32xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x32xf64>) outs(%y : tensor<32xf64>) {
  ^bb0(%e: f64, %sum: f64):
    %u = arith.addf %sum, %e : f64
    linalg.yield %u : f64
  } -> tensor<32xf64>
  return %r, %s : tensor<32xi32>, tensor<32xf64>
}

// -----

// The last term is no number of a lane: all lanes hold it.
// CHECK-LABEL: func.func @no_lane(
// CHECK: %[[X:.*]] = tensor.extract %arg0
// CHECK: %[[S:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK: vector.broadcast %[[S]] : f32 to vector<16xf32>
func.func @no_lane(%a: tensor<4x8xf32>, %b: tensor<8x32xf32>, %y: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x32xf32>) outs(%y : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}

// -----

// Rows of a convolution are its filters, which share the lines that they read.
// CHECK-LABEL: func.func @filters(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-DAG: tensor.extract_slice %arg0[0, 0, %{{.*}}, 0] [1, 3, 3, 18]
// CHECK-DAG: tensor.extract_slice %arg1[%{{.*}}, 0, 0, 0] [8, 3, 3, 3]
// CHECK: arith.mulf %{{.*}}, %{{.*}} : vector<16xf32>
func.func @filters(%a: tensor<1x3x34x18xf32>, %w: tensor<16x3x3x3xf32>, %init: tensor<1x16x32x16xf32>) -> tensor<1x16x32x16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, f, y, x, c, i, j) -> (n, c, y + i, x + j)>, affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>, affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : tensor<1x3x34x18xf32>, tensor<16x3x3x3xf32>) outs(%init : tensor<1x16x32x16xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %sum, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x16x32x16xf32>
  return %r : tensor<1x16x32x16xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// Many rows read a copy of the columns of a tile; few read them where they are.
// CHECK-LABEL: func.func @panels(
// CHECK: scf.for
// CHECK: %[[COLUMNS:.*]] = tensor.extract_slice %arg1
// CHECK: %[[PANEL:.*]] = linalg.copy ins(%[[COLUMNS]] : tensor<64x32xf32>) outs(%{{.*}} : tensor<64x32xf32>)
// CHECK: scf.for
// CHECK: vector.transfer_read %[[PANEL]]
// CHECK: vector.transfer_write
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @panels(%x: tensor<24x64xf32>, %w: tensor<64x96xf32>, %y: tensor<24x96xf32>, %few: tensor<16x64xf32>, %z: tensor<16x96xf32>) -> (tensor<24x96xf32>, tensor<16x96xf32>) {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<24x64xf32>, tensor<64x96xf32>) outs(%y : tensor<24x96xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %sum, %t : f32
    linalg.yield %u : f32
  } -> tensor<24x96xf32>
  %q = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%few, %w : tensor<16x64xf32>, tensor<64x96xf32>) outs(%z : tensor<16x96xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %sum, %t : f32
    linalg.yield %u : f32
  } -> tensor<16x96xf32>
  return %r, %q : tensor<24x96xf32>, tensor<16x96xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// The columns of a tile are side by side in another constant, also for few rows.
// CHECK-LABEL: func.func @constant_panels(
// CHECK: scf.for %[[COLUMN:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[I:.*]] = affine.apply #{{.*}}(%[[COLUMN]])
// CHECK: %[[PANELS:.*]] = arith.constant dense_resource<{{.*}}> : tensor<3x2x32xf32>
// CHECK: %[[PANEL:.*]] = tensor.extract_slice %[[PANELS]][%[[I]], 0, 0] [1, 2, 32] [1, 1, 1] : tensor<3x2x32xf32> to tensor<2x32xf32>
// CHECK: vector.transfer_read %[[PANEL]]
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @constant_panels(%x: tensor<8x2xf32>, %y: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %w = arith.constant dense_resource<weight> : tensor<2x96xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x2xf32>, tensor<2x96xf32>) outs(%y : tensor<8x96xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.addf %sum, %t : f32
    linalg.yield %u : f32
  } -> tensor<8x96xf32>
  return %r : tensor<8x96xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}

// -----

// A maximum is no sum, and its bytes are lanes as well.
// CHECK-LABEL: func.func @bytes(
// CHECK: vector.transfer_read {{.*}} vector<32xi8>
// CHECK: vector.deinterleave
// CHECK: arith.maxui {{.*}} : vector<16xi8>
func.func @bytes(%a: tensor<2x8x34xi8>, %w: tensor<3xi8>, %init: tensor<2x8x16xi8>) -> tensor<2x8x16xi8> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, x, i) -> (n, c, x * 2 + i)>, affine_map<(n, c, x, i) -> (i)>, affine_map<(n, c, x, i) -> (n, c, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<2x8x34xi8>, tensor<3xi8>) outs(%init : tensor<2x8x16xi8>) {
  ^bb0(%x: i8, %y: i8, %most: i8):
    %t = arith.maxui %x, %most : i8
    linalg.yield %t : i8
  } -> tensor<2x8x16xi8>
  return %r : tensor<2x8x16xi8>
}

// -----

// Tiles begin where an index of a remainder does not.
// CHECK-LABEL: func.func @remainders(
// CHECK-NOT: scf.for
// CHECK: linalg.generic
// CHECK: return
func.func @remainders(%a: tensor<3x40xi32>, %k: tensor<5xi32>, %init: tensor<7x40xi32>) -> tensor<7x40xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> ((i + k) mod 3, j)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %k : tensor<3x40xi32>, tensor<5xi32>) outs(%init : tensor<7x40xi32>) {
  ^bb0(%x: i32, %y: i32, %sum: i32):
    %p = arith.muli %x, %y : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<7x40xi32>
  return %r : tensor<7x40xi32>
}

// -----

// Sums of 64 bits, as of codes of 16 and 8 bits.
// CHECK-LABEL: func.func @wide_sums(
// CHECK: vector.transfer_read {{.*}} vector<16xi16>
// CHECK: arith.muli {{.*}} vector<16xi64>
// CHECK: arith.addi {{.*}} vector<16xi64>
// CHECK-NOT: linalg.generic
func.func @wide_sums(%a: tensor<8x34x34xi16>, %w: tensor<8x3x3xi8>) -> tensor<8x32x32xi64> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8x32x32xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<8x32x32xi64>) -> tensor<8x32x32xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(c, y, x, i, j) -> (c, y + i, x + j)>, affine_map<(c, y, x, i, j) -> (c, i, j)>, affine_map<(c, y, x, i, j) -> (c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %w : tensor<8x34x34xi16>, tensor<8x3x3xi8>) outs(%f : tensor<8x32x32xi64>) {
  ^bb0(%x: i16, %y: i8, %sum: i64):
    %p = arith.extui %x : i16 to i64
    %q = arith.extsi %y : i8 to i64
    %t = arith.muli %p, %q : i64
    %u = arith.addi %sum, %t : i64
    linalg.yield %u : i64
  } -> tensor<8x32x32xi64>
  return %r : tensor<8x32x32xi64>
}
