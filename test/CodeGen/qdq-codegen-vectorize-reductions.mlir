// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize=vector-bits=256 --split-input-file | FileCheck %s --check-prefix=NARROW
// RUN: quant-opt %s --qdq-codegen-vectorize="vector-bits=256 registers=16" --split-input-file | FileCheck %s --check-prefix=FEW

// Four rows side by side: 16 bytes are loaded, the codes of each slot looked up among the 16 products with the scale, and their products with x added
// to 16 lanes of a row; lanes become one at the end. x is split into slots.
// CHECK-LABEL: func.func @matvec_i4_block_32(
// CHECK: scf.for
// CHECK: %[[SUMS:.*]]:4 = scf.for {{.*}} iter_args(%[[A0:.*]] = %{{.*}}, %[[A1:.*]] = %{{.*}}, %{{.*}}, %{{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: %[[BYTES:.*]] = vector.transfer_read {{.*}} vector<16xi8>
// CHECK: arith.extui %[[BYTES]] : vector<16xi8> to vector<16xi32>
// CHECK: %[[LOW:.*]] = qdq.lookup {{.*}} -> vector<16xf32>
// CHECK: %[[HIGH:.*]] = qdq.lookup {{.*}} -> vector<16xf32>
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6,
// CHECK: vector.shuffle {{.*}} [1, 3, 5, 7,
// CHECK: %[[P:.*]] = arith.mulf %[[LOW]], %{{.*}} fastmath<reassoc,contract>
// CHECK: %[[Q:.*]] = arith.mulf %[[HIGH]], %{{.*}} fastmath<reassoc,contract>
// CHECK: %[[S:.*]] = arith.addf %[[A0]], %[[P]] fastmath<reassoc,contract>
// CHECK: arith.addf %[[S]], %[[Q]] fastmath<reassoc,contract>
// CHECK: scf.yield
// CHECK: vector.reduction <add>, %[[SUMS]]#0, %{{.*}} fastmath<reassoc,contract>
// CHECK: vector.reduction <add>, %[[SUMS]]#3, %{{.*}} fastmath<reassoc,contract>

// Where a vector holds no table, codes are converted; bytes come in two parts.
// NARROW-LABEL: func.func @matvec_i4_block_32(
// NARROW-NOT: qdq.lookup
// NARROW: arith.sitofp {{.*}} : vector<8xi32> to vector<8xf32>
// NARROW: vector.reduction <add>
#bytes = affine_map<(n, g, b, s) -> (n, g, b)>
#blocks = affine_map<(n, g, b, s) -> (n, g)>
#x = affine_map<(n, g, b, s) -> (g, b, s)>
#y = affine_map<(n, g, b, s) -> (n)>
func.func @matvec_i4_block_32(%w: tensor<8x2x16xi8>, %scales: tensor<8x2xf32>, %x: tensor<2x16x2xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#bytes, #blocks, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %scales, %x : tensor<8x2x16xi8>, tensor<8x2xf32>, tensor<2x16x2xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%byte: i8, %scale: f32, %v: f32, %sum: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %byte slots(%slot) strides [4] : (i8, index) -> i4
    %wide = arith.extsi %code : i4 to i32
    %real = arith.sitofp %wide : i32 to f32
    %weight = arith.mulf %real, %scale : f32
    %p = arith.mulf %weight, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Sums have half of the registers: 16 of them a vector each, or eight in 16 registers. What is left over by the tiles of rows is added up row
// by row, in two vectors for each sum.
// CHECK-LABEL: func.func @matmul_i8(
// CHECK: scf.for
// CHECK: -> (vector<16xf32>{{(, vector<16xf32>){15}[)]}}
// CHECK-COUNT-16: vector.reduction
// CHECK: vector<32xf32>
// CHECK: vector.reduction
// FEW-LABEL: func.func @matmul_i8(
// FEW: -> (vector<8xf32>{{(, vector<8xf32>){7}[)]}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @matmul_i8(%x: tensor<?x64xf32>, %w: tensor<?x64xi8>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x64xf32>, tensor<?x64xi8>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%v: f32, %code: i8, %sum: f32):
    %weight = arith.sitofp %code : i8 to f32
    %p = arith.mulf %v, %weight fastmath<reassoc,contract> : f32
    %s = arith.addf %sum, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A sum in its order stays.
// CHECK-LABEL: func.func @in_order(
// CHECK-NOT: vector
// CHECK: linalg.generic
func.func @in_order(%x: tensor<64xf32>, %y: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<64xf32>) outs(%y : tensor<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.addf %sum, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Memory holds i24 in four bytes, a vector in three.
// CHECK-LABEL: func @whole_bytes
// CHECK-NOT: vector<{{.*}}i24>
// CHECK: linalg.generic
func.func @whole_bytes(%q: tensor<4x64xi24>, %x: tensor<64xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%q, %x : tensor<4x64xi24>, tensor<64xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%code: i24, %in: f32, %out: f32):
    %w = arith.sitofp %code : i24 to f32
    %p = arith.mulf %w, %in fastmath<reassoc,contract> : f32
    %s = arith.addf %out, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
