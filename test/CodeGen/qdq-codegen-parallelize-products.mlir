// RUN: quant-opt %s --qdq-codegen-parallelize=min-part=4096 --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// A product and the op that alone uses its sums are one parallel loop over
// columns: each part reads columns of its own, all tiles of it are whole, and no
// sums are stored for the next loop.
// CHECK-LABEL: @columns(
// CHECK: scf.forall (%[[N:.*]]) = (0) to (512) step (64) shared_outs({{.*}}) -> (tensor<16x512xi8>)
// CHECK-DAG: %[[A:.*]] = tensor.extract_slice %arg0[0, 0] [16, 64]
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %arg1[0, %[[N]]] [64, 64]
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<16x64xi32>
// CHECK: %[[SUMS:.*]] = linalg.matmul {{.*}} outs(%[[ZEROS]] : tensor<16x64xi32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]] : tensor<16x64xi32>) outs(%{{.*}} : tensor<16x64xi8>)
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @columns(%a: tensor<16x64xi8>, %b: tensor<64x512xi8>) -> tensor<16x512xi8> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x512xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<16x512xi32>) -> tensor<16x512xi32>
  %r = linalg.matmul ins(%a, %b : tensor<16x64xi8>, tensor<64x512xi8>) outs(%f : tensor<16x512xi32>) -> tensor<16x512xi32>
  %c = tensor.empty() : tensor<16x512xi8>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<16x512xi32>) outs(%c : tensor<16x512xi8>) {
  ^bb0(%x: i32, %out: i8):
    %y = arith.trunci %x : i32 to i8
    linalg.yield %y : i8
  } -> tensor<16x512xi8>
  return %q : tensor<16x512xi8>
}

// -----

// Sums that have two users stay sums.
// CHECK-LABEL: @two_users(
// CHECK: scf.forall {{.*}} -> (tensor<16x512xi32>)
// CHECK: linalg.matmul
// CHECK-NOT: linalg.matmul
func.func @two_users(%a: tensor<16x64xi8>, %b: tensor<64x512xi8>, %c: tensor<16x512xi32>) -> (tensor<16x512xi32>, tensor<16x512xi32>) {
  %r = linalg.matmul ins(%a, %b : tensor<16x64xi8>, tensor<64x512xi8>) outs(%c : tensor<16x512xi32>) -> tensor<16x512xi32>
  %q = linalg.add ins(%r, %r : tensor<16x512xi32>, tensor<16x512xi32>) outs(%c : tensor<16x512xi32>) -> tensor<16x512xi32>
  return %r, %q : tensor<16x512xi32>, tensor<16x512xi32>
}

// -----

// Few columns, and columns that no part divides evenly: rows are divided.
// CHECK-LABEL: @rows(
// CHECK: scf.forall ({{.*}}) = (0) to (512) step (16)
// CHECK: linalg.matmul ins({{.*}} : tensor<16x64xi8>, tensor<64x20xi8>)
func.func @rows(%a: tensor<512x64xi8>, %b: tensor<64x20xi8>, %c: tensor<512x20xi32>) -> tensor<512x20xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<512x64xi8>, tensor<64x20xi8>) outs(%c : tensor<512x20xi32>) -> tensor<512x20xi32>
  return %r : tensor<512x20xi32>
}

// -----

// One row reads the columns of a wide tile together.
// CHECK-LABEL: @one_row(
// CHECK: scf.forall ({{.*}}) = (0) to (1024) step (256)
func.func @one_row(%a: tensor<1x256xi8>, %b: tensor<256x1024xi8>, %c: tensor<1x1024xi32>) -> tensor<1x1024xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x256xi8>, tensor<256x1024xi8>) outs(%c : tensor<1x1024xi32>) -> tensor<1x1024xi32>
  return %r : tensor<1x1024xi32>
}

// -----

// Products that share nothing come first, then, to make 32 parts, rows.
// CHECK-LABEL: @batches(
// CHECK: scf.forall ({{.*}}) = (0, 0) to (8, 64) step (1, 16)
// CHECK: linalg.batch_matmul ins({{.*}} : tensor<1x16x64xi8>, tensor<1x64x64xi8>)
func.func @batches(%a: tensor<8x64x64xi8>, %b: tensor<8x64x64xi8>, %c: tensor<8x64x64xi32>) -> tensor<8x64x64xi32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<8x64x64xi8>, tensor<8x64x64xi8>) outs(%c : tensor<8x64x64xi32>) -> tensor<8x64x64xi32>
  return %r : tensor<8x64x64xi32>
}

// -----

// An unknown number of rows: a multiple of 12 of them in a part; all of them if
// they are few.
// CHECK-LABEL: @dynamic_rows(
// CHECK: %[[SMALL:.*]] = arith.cmpi ult
// CHECK: arith.select %[[SMALL]]
// CHECK: scf.forall ({{.*}}) = (0) to (%{{.*}}) step (%{{.*}})
// CHECK: linalg.matmul ins({{.*}} : tensor<?x64xi8>, tensor<64x128xi8>) outs({{.*}} : tensor<?x128xi32>)
func.func @dynamic_rows(%a: tensor<?x64xi8>, %b: tensor<64x128xi8>, %c: tensor<?x128xi32>) -> tensor<?x128xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x64xi8>, tensor<64x128xi8>) outs(%c : tensor<?x128xi32>) -> tensor<?x128xi32>
  return %r : tensor<?x128xi32>
}

// -----

// CHECK-LABEL: @too_little(
// CHECK-NOT: scf.forall
func.func @too_little(%a: tensor<4x64xi8>, %b: tensor<64x64xi8>, %c: tensor<4x64xi32>) -> tensor<4x64xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x64xi8>, tensor<64x64xi8>) outs(%c : tensor<4x64xi32>) -> tensor<4x64xi32>
  return %r : tensor<4x64xi32>
}

// -----

// Codes that share containers stay together: parts are of containers, whose parameters are operands, and each reads whole cache lines of a row.
// CHECK-LABEL: @slots(
// CHECK: scf.forall (%[[C:.*]]) = (0) to (1024) step (128)
// CHECK-DAG: tensor.extract_slice %arg0[0, 0] [2, 64] [1, 1]
// CHECK-DAG: tensor.extract_slice %arg1[0, %[[C]]] [64, 128] [1, 1]
// CHECK-DAG: tensor.extract_slice %arg2[%[[C]], 0] [128, 2] [1, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x128x2xf32>)
func.func @slots(%x: tensor<2x64xf32>, %w: tensor<64x1024xi8>, %s: tensor<1024x2xf32>, %init: tensor<2x1024x2xf32>) -> tensor<2x1024x2xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, c, i, k) -> (m, k)>, affine_map<(m, c, i, k) -> (k, c)>,
                       affine_map<(m, c, i, k) -> (c, i)>, affine_map<(m, c, i, k) -> (m, c, i)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w, %s : tensor<2x64xf32>, tensor<64x1024xi8>, tensor<1024x2xf32>) outs(%init : tensor<2x1024x2xf32>) {
  ^bb0(%a: f32, %b: i8, %scale: f32, %out: f32):
    %slot = linalg.index 2 : index
    %code = qdq.extract_field %b slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %y = arith.mulf %real, %scale : f32
    %product = arith.mulf %a, %y : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<2x1024x2xf32>
  return %r : tensor<2x1024x2xf32>
}

// -----

// Codes of 8 bits with parameters, in open rows: columns, which a single row is worth.
// CHECK-LABEL: @codes(
// CHECK: scf.forall (%[[C:.*]]) = (0) to (1024) step (32)
// CHECK-DAG: tensor.extract_slice %arg0[0, 0, 0] [%{{.*}}, 8, 32] [1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg2[%[[C]], 0, 0] [32, 8, 32] [1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg3[%[[C]], 0] [32, 8] [1, 1]
func.func @codes(%x: tensor<?x8x32xi8>, %d: tensor<?x8xf32>, %w: tensor<1024x8x32xi8>, %s: tensor<1024x8xf32>, %init: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, b, k) -> (m, b, k)>, affine_map<(m, n, b, k) -> (m, b)>,
                       affine_map<(m, n, b, k) -> (n, b, k)>, affine_map<(m, n, b, k) -> (n, b)>,
                       affine_map<(m, n, b, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %d, %w, %s : tensor<?x8x32xi8>, tensor<?x8xf32>, tensor<1024x8x32xi8>, tensor<1024x8xf32>) outs(%init : tensor<?x1024xf32>) {
  ^bb0(%a: i8, %by: f32, %b: i8, %scale: f32, %out: f32):
    %x8 = arith.sitofp %a : i8 to f32
    %xr = arith.mulf %x8, %by : f32
    %w8 = arith.sitofp %b : i8 to f32
    %wr = arith.mulf %w8, %scale : f32
    %product = arith.mulf %xr, %wr fastmath<reassoc,contract> : f32
    %sum = arith.addf %out, %product fastmath<reassoc,contract> : f32
    linalg.yield %sum : f32
  } -> tensor<?x1024xf32>
  return %r : tensor<?x1024xf32>
}

// -----

// Batch and length are both rows: parts of either, whichever there are many of.
// CHECK-LABEL: @two_open_rows(
// CHECK: scf.forall (%[[B:.*]], %[[S:.*]]) = (0, 0) to (%{{.*}}, %{{.*}}) step (%{{.*}}, %{{.*}})
// CHECK-DAG: tensor.extract_slice %arg0[%[[B]], %[[S]], 0] [%{{.*}}, %{{.*}}, 64] [1, 1, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x?x128xi32>)
func.func @two_open_rows(%x: tensor<?x?x64xi8>, %w: tensor<128x64xi8>, %init: tensor<?x?x128xi32>) -> tensor<?x?x128xi32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(b, s, n, k) -> (b, s, k)>, affine_map<(b, s, n, k) -> (n, k)>, affine_map<(b, s, n, k) -> (b, s, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?x64xi8>, tensor<128x64xi8>) outs(%init : tensor<?x?x128xi32>) {
  ^bb0(%a: i8, %b: i8, %out: i32):
    %l = arith.extsi %a : i8 to i32
    %m = arith.extsi %b : i8 to i32
    %p = arith.muli %l, %m : i32
    %sum = arith.addi %out, %p : i32
    linalg.yield %sum : i32
  } -> tensor<?x?x128xi32>
  return %r : tensor<?x?x128xi32>
}
