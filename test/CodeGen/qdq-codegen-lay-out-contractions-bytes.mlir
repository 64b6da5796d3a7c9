// RUN: quant-opt %s --qdq-codegen-lay-out-contractions=byte-dots=x86-vnni --split-input-file | FileCheck %s

// Rows are read four factors at a time: they are transposed.
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xi8>, %[[B:.*]]: tensor<64x48xi8>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[A]] {{.*}} permutation = [1, 0]
// CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #[[COLUMNS]], {{.*}} ins(%[[T]], %[[B]]
func.func @rows(%a: tensor<64x32xi8>, %b: tensor<64x48xi8>, %c: tensor<32x48xi32>) -> tensor<32x48xi32> {
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<64x32xi8>, tensor<64x48xi8>) outs(%c : tensor<32x48xi32>) -> tensor<32x48xi32>
  return %r : tensor<32x48xi32>
}

// -----

// What fits is made generic, no more.
// CHECK-LABEL: func.func @fits(
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic
func.func @fits(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// -----

// Channels go inside; of the result, after the op that makes bytes of the sums.
// CHECK-LABEL: func.func @channels(
// CHECK-SAME: %[[A:.*]]: tensor<1x8x6x6xi8>
// CHECK-DAG: linalg.transpose ins(%{{.*}} : tensor<1x8x36xi8>) {{.*}} permutation = [0, 2, 1]
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x4x4x16xi32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]] : tensor<1x4x4x16xi32>) outs(%{{.*}} : tensor<1x4x4x16xi8>)
// CHECK: linalg.transpose {{.*}} outs(%{{.*}} : tensor<1x16x16xi8>) permutation = [0, 2, 1]
func.func @channels(%a: tensor<1x8x6x6xi8>, %w: tensor<16x8x3x3xi8>) -> tensor<1x16x4x4xi8> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x16x4x4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x6x6xi8>, tensor<16x8x3x3xi8>) outs(%f : tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  %b = tensor.empty() : tensor<1x16x4x4xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<1x16x4x4xi32>) outs(%b : tensor<1x16x4x4xi8>) {
  ^bb0(%x: i32, %out: i8):
    %y = arith.trunci %x : i32 to i8
    linalg.yield %y : i8
  } -> tensor<1x16x4x4xi8>
  return %q : tensor<1x16x4x4xi8>
}

// -----

// What the op adds is transposed too: it may come from such sums itself.
// CHECK-LABEL: func.func @residual(
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x4x4x16xi32>)
// CHECK: %[[LINES:.*]] = tensor.collapse_shape %arg2
// CHECK: linalg.transpose ins(%[[LINES]] : tensor<1x16x16xi8>) {{.*}} permutation = [0, 2, 1]
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]], %{{.*}} : tensor<1x4x4x16xi32>, tensor<1x4x4x16xi8>) outs(%{{.*}} : tensor<1x4x4x16xi8>)
func.func @residual(%a: tensor<1x8x6x6xi8>, %w: tensor<16x8x3x3xi8>, %other: tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x16x4x4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x6x6xi8>, tensor<16x8x3x3xi8>) outs(%f : tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  %b = tensor.empty() : tensor<1x16x4x4xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r, %other : tensor<1x16x4x4xi32>, tensor<1x16x4x4xi8>) outs(%b : tensor<1x16x4x4xi8>) {
  ^bb0(%x: i32, %y: i8, %out: i8):
    %t = arith.trunci %x : i32 to i8
    %u = arith.addi %t, %y : i8
    linalg.yield %u : i8
  } -> tensor<1x16x4x4xi8>
  return %q : tensor<1x16x4x4xi8>
}

// -----

// A depthwise convolution multiplies no rows by columns, and floats are no bytes.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: linalg.transpose
// CHECK: arith.mulf
func.func @others(%a: tensor<1x8x6x6xi8>, %w: tensor<8x3x3xi8>, %c: tensor<1x8x4x4xi32>, %x: tensor<4x4xf32>)
    -> (tensor<1x8x4x4xi32>, tensor<4x4xf32>) {
  %r = linalg.depthwise_conv_2d_nchw_chw ins(%a, %w : tensor<1x8x6x6xi8>, tensor<8x3x3xi8>) outs(%c : tensor<1x8x4x4xi32>) -> tensor<1x8x4x4xi32>
  %s = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %s : tensor<1x8x4x4xi32>, tensor<4x4xf32>
}

// -----

// The channels of a depthwise convolution become lanes, 16 of them, where its
// lines are no whole vectors. It is padded after it is transposed.
// CHECK-LABEL: func.func @depthwise(
// CHECK-SAME: %[[A:.*]]: tensor<1x32x7x7xi8>
// CHECK: tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: : tensor<1x7x7x32xi8> to tensor<1x9x9x32xi8>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x7x7x32xi32>)
func.func @depthwise(%a: tensor<1x32x7x7xi8>, %w: tensor<32x3x3xi8>, %c: tensor<1x32x7x7xi32>, %z: i8) -> tensor<1x32x7x7xi32> {
  %p = tensor.pad %a low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : i8
  } : tensor<1x32x7x7xi8> to tensor<1x32x9x9xi8>
  %r = linalg.depthwise_conv_2d_nchw_chw ins(%p, %w : tensor<1x32x9x9xi8>, tensor<32x3x3xi8>) outs(%c : tensor<1x32x7x7xi32>) -> tensor<1x32x7x7xi32>
  return %r : tensor<1x32x7x7xi32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (n, m)>
#id = affine_map<(n, m) -> (n, m)>

// Attributes of others stay at the ops that are made anew.
// CHECK-LABEL: func.func @attributes(
// CHECK: linalg.generic {{.*}} attrs = {my.product}
// CHECK: linalg.generic {{.*}} attrs = {my.epilogue}
func.func @attributes(%a: tensor<48x64xi8>, %b: tensor<64x16xi8>, %c: tensor<16x48xi32>, %e: tensor<16x48xi8>) -> tensor<16x48xi8> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"], my.product}
      ins(%a, %b : tensor<48x64xi8>, tensor<64x16xi8>) outs(%c : tensor<16x48xi32>) {
  ^bb0(%u: i8, %v: i8, %sum: i32):
    %p = arith.extsi %u : i8 to i32
    %q = arith.extsi %v : i8 to i32
    %t = arith.muli %p, %q : i32
    %s = arith.addi %sum, %t : i32
    linalg.yield %s : i32
  } -> tensor<16x48xi32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"], my.epilogue}
      ins(%r : tensor<16x48xi32>) outs(%e : tensor<16x48xi8>) {
  ^bb0(%u: i32, %out: i8):
    %t = arith.trunci %u : i32 to i8
    linalg.yield %t : i8
  } -> tensor<16x48xi8>
  return %d : tensor<16x48xi8>
}

// -----

// Weights are transposed once, where importers make a resource of them, too.
// CHECK-LABEL: func.func @resource(
// CHECK: %[[W:.*]] = arith.constant dense_resource<transposed> : tensor<1x3x2x2xi8>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[W]] :
// CHECK: transposed: "0x08000000010704000208050A0309060C"
func.func @resource(%a: tensor<1x2x4x6xi8>) -> tensor<1x2x4x4xi32> {
  %zero = arith.constant 0 : i32
  %w = arith.constant dense_resource<weights> : tensor<2x2x1x3xi8>
  %e = tensor.empty() : tensor<1x2x4x4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x2x4x4xi32>) -> tensor<1x2x4x4xi32>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x2x4x6xi8>, tensor<2x2x1x3xi8>) outs(%f : tensor<1x2x4x4xi32>) -> tensor<1x2x4x4xi32>
  return %r : tensor<1x2x4x4xi32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x01000000010203040506070809000A0C"
    }
  }
#-}

// -----

// Lines of 7 are no whole vectors, and the channels are.
// CHECK-LABEL: func.func @depthwise_lines(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x7x32xi32>)
func.func @depthwise_lines(%a: tensor<1x32x9xi8>, %w: tensor<32x3xi8>, %c: tensor<1x32x7xi32>) -> tensor<1x32x7xi32> {
  %r = linalg.depthwise_conv_1d_ncw_cw ins(%a, %w : tensor<1x32x9xi8>, tensor<32x3xi8>) outs(%c : tensor<1x32x7xi32>) -> tensor<1x32x7xi32>
  return %r : tensor<1x32x7xi32>
}

// -----

// Codes of less than 8 bits become bytes, with their sign or without.
// CHECK-LABEL: func.func @codes(
// CHECK-SAME: %[[A:.*]]: tensor<32x64xi8>, %[[B:.*]]: tensor<64x48xi4>
// CHECK: %[[BYTES:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<64x48xi4>) outs(%{{.*}} : tensor<64x48xi8>)
// CHECK-NEXT: ^bb0(%[[CODE:.*]]: i4, %{{.*}}: i8):
// CHECK-NEXT: arith.extsi %[[CODE]] : i4 to i8
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[BYTES]] : tensor<32x64xi8>, tensor<64x48xi8>)
// CHECK-NEXT: ^bb0(%{{.*}}: i8, %[[BYTE:.*]]: i8, %{{.*}}: i32):
// CHECK: arith.extsi %[[BYTE]] : i8 to i32
func.func @codes(%a: tensor<32x64xi8>, %b: tensor<64x48xi4>, %c: tensor<32x48xi32>) -> tensor<32x48xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<32x64xi8>, tensor<64x48xi4>) outs(%c : tensor<32x48xi32>) -> tensor<32x48xi32>
  return %r : tensor<32x48xi32>
}

// -----

// Of open sizes.
// CHECK-LABEL: func.func @unsigned_codes(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x?xi2>) outs(%{{.*}} : tensor<?x?xi8>)
// CHECK: arith.extui %{{.*}} : i2 to i8
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x?xi8>, tensor<?x?xi8>)
func.func @unsigned_codes(%a: tensor<?x?xi2>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<?x?xi2>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// -----

// A sum in bytes extends its codes by itself.
// CHECK-LABEL: func.func @sum_of_bytes(
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4x8xi4>, tensor<4x8xi4>)
// CHECK: arith.extsi %{{.*}} : i4 to i8
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @sum_of_bytes(%x: tensor<4x8xi4>, %w: tensor<4x8xi4>, %y: tensor<4x4xi8>) -> tensor<4x4xi8> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x8xi4>, tensor<4x8xi4>) outs(%y : tensor<4x4xi8>) {
  ^bb0(%a: i4, %b: i4, %c: i8):
    %d = arith.extsi %a : i4 to i8
    %e = arith.extsi %b : i4 to i8
    %p = arith.muli %d, %e : i8
    %s = arith.addi %c, %p : i8
    linalg.yield %s : i8
  } -> tensor<4x4xi8>
  return %r : tensor<4x4xi8>
}

// -----

#x = affine_map<(m, n, g, k) -> (m, g, k)>
#w = affine_map<(m, n, g, k) -> (n, g, k)>
#z = affine_map<(m, n, g, k) -> (n, g)>
#y = affine_map<(m, n, g, k) -> (m, n)>

// A zero point of a sum of floats: a byte, whose truncation tells the range.
// CHECK-LABEL: func.func @zero_point(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<8x2xi4>) outs(%{{.*}} : tensor<8x2xi8>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x2x32xf32>, tensor<8x2x32xi8>, tensor<8x2xi8>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i8, %[[BYTE:.*]]: i8, %{{.*}}: f32):
// CHECK: %[[CODE:.*]] = arith.trunci %[[BYTE]] overflow<nuw> : i8 to i4
// CHECK: arith.extui %[[CODE]] : i4 to i32
func.func @zero_point(%x: tensor<4x2x32xf32>, %w: tensor<8x2x32xi8>, %z: tensor<8x2xi4>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #z, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w, %z : tensor<4x2x32xf32>, tensor<8x2x32xi8>, tensor<8x2xi4>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%v: f32, %code: i8, %zero: i4, %sum: f32):
    %wide = arith.extui %code : i8 to i32
    %from = arith.extui %zero : i4 to i32
    %moved = arith.subi %wide, %from : i32
    %real = arith.sitofp %moved : i32 to f32
    %p = arith.mulf %real, %v : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
