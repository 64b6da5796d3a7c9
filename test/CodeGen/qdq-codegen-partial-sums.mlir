// RUN: quant-opt %s --qdq-codegen-partial-sums --canonicalize --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize --canonicalize --split-input-file | FileCheck %s --check-prefix=VECTOR
// RUN: quant-opt %s --qdq-codegen-vectorize=vector-bits=256 --canonicalize --split-input-file | FileCheck %s --check-prefix=NARROW

// Four partial sums, which start from -0.0: the loop over 12 terms becomes three steps of four lanes. Pairs with a distance of two are joined first.
// CHECK-LABEL: @dot
// CHECK-SAME: %[[X:.*]]: tensor<12xf32>, %[[Y:.*]]: tensor<12xf32>, %[[Z:.*]]: tensor<f32>
// CHECK-DAG: %[[NONE:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[F:.*]] = linalg.fill ins(%[[NONE]] : f32) outs(%[[E]] : tensor<4xf32>)
// CHECK-DAG: %[[XS:.*]] = tensor.expand_shape %[[X]] {{.*}} into tensor<3x4xf32>
// CHECK-DAG: %[[YS:.*]] = tensor.expand_shape %[[Y]] {{.*}} into tensor<3x4xf32>
// CHECK: %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[XS]], %[[YS]] {{.*}} outs(%[[F]]
// CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NOT: qdq.partial_sums
// CHECK: %[[V:.*]] = vector.transfer_read %[[S]]
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [2]
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[V]] {offsets = [2], sizes = [2]
// CHECK: arith.addf %[[LOW]], %[[HIGH]] : vector<2xf32>
// CHECK: %[[T:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: %[[INIT:.*]] = tensor.extract %[[Z]][] : tensor<f32>
// CHECK: %[[R:.*]] = arith.addf %[[INIT]], %[[T]] : f32
// VECTOR-LABEL: @dot
// VECTOR: math.fma %{{.*}} : vector<4xf32>
// VECTOR-NOT: qdq.partial_sums
#row = affine_map<(k) -> (k)>
#sum = affine_map<(k) -> ()>
func.func @dot(%x: tensor<12xf32>, %y: tensor<12xf32>, %z: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [#row, #row, #sum], iterator_types = ["reduction"]} ins(%x, %y : tensor<12xf32>, tensor<12xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = math.fma %a, %b, %out {qdq.partial_sums = 4 : i64} : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// A weight [K, N]: lanes are results, partial sum after partial sum. Two terms of ten are left over.
// Registers start from -0.0, and memory is not filled.
// VECTOR-LABEL: @columns
// VECTOR-DAG: %[[NONE:.*]] = arith.constant dense<-0.000000e+00> : vector<16xf32>
// VECTOR-NOT: linalg.fill
// VECTOR: scf.for {{.*}} -> (tensor<4x1x16xf32>)
// VECTOR: math.fma %{{.*}}, %{{.*}}, %[[NONE]] : vector<16xf32>
// VECTOR: scf.for {{.*}} -> (tensor<2x1x16xf32>)
// VECTOR: math.fma %{{.*}} : vector<16xf32>
// VECTOR-NOT: qdq.partial_sums
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @columns(%x: tensor<1x10xf32>, %w: tensor<10x16xf32>, %y: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x10xf32>, tensor<10x16xf32>) outs(%y : tensor<1x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = math.fma %a, %b, %out {qdq.partial_sums = 4 : i64} : f32
    linalg.yield %0 : f32
  } -> tensor<1x16xf32>
  return %r : tensor<1x16xf32>
}

// -----

// Rows of three terms: a term's partial sum is the number of the term modulo four.
// CHECK-LABEL: @rows_of_three
// CHECK: scf.for %[[I:[a-z0-9_]*]] = {{.*}} -> (tensor<4xf32>)
// CHECK: scf.for %[[J:[a-z0-9_]*]] = {{.*}} -> (tensor<4xf32>)
// CHECK: %[[LANE:.*]] = affine.apply #{{[a-z0-9]*}}(%[[I]], %[[J]])
// CHECK: tensor.extract_slice %{{.*}}[%[[LANE]]] [1] [1]
#row = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> ()>
func.func @rows_of_three(%x: tensor<5x3xf32>, %y: tensor<5x3xf32>, %z: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [#row, #row, #sum], iterator_types = ["reduction", "reduction"]} ins(%x, %y : tensor<5x3xf32>, tensor<5x3xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = math.fma %a, %b, %out {qdq.partial_sums = 4 : i64} : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Lanes are two codes of each of 16 bytes, all in registers, over four blocks.
// VECTOR-LABEL: @fields
// VECTOR: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>
// VECTOR: vector.transfer_read {{.*}} : tensor<8x4x16xi8>, vector<16xi8>
// VECTOR: vector.transfer_read {{.*}} : tensor<4x2x16xf32>, vector<16xf32>
// NARROW-LABEL: @fields
// NARROW: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>
// NARROW: vector.transfer_read {{.*}} : tensor<8x4x16xi8>, vector<16xi8>
// NARROW-NOT: vector<8xi8>
#w = affine_map<(n, k, byte, slot) -> (n, k, byte)>
#x = affine_map<(n, k, byte, slot) -> (k, byte, slot)>
#y = affine_map<(n, k, byte, slot) -> (n)>
func.func @fields(%w: tensor<64x4x16xi8>, %x: tensor<4x16x2xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#w, #x, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%w, %x : tensor<64x4x16xi8>, tensor<4x16x2xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%bytes: i8, %in: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %term = arith.mulf %in, %real : f32
    %sum = arith.addf %out, %term {qdq.partial_sums = 32 : i64} : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
