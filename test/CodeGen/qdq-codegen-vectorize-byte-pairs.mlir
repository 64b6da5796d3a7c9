// RUN: quant-opt %s --qdq-codegen-vectorize="byte-dots=x86-pairs byte-dot-bits=256 registers=16" --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize="byte-dots=x86-vnni byte-dot-bits=256 registers=16" --split-input-file | FileCheck %s --check-prefix=FOURS
// RUN: quant-opt %s --quant-to-llvm="target=vector target-triple=x86_64-linux-gnu target-cpu=x86-64-v3" --split-input-file | FileCheck %s --check-prefix=AVX2
// RUN: quant-opt %s --quant-to-llvm="target=vector target-triple=x86_64-linux-gnu target-cpu=alderlake" --split-input-file | FileCheck %s --check-prefix=VNNI

// Two products of 255 with 127 and 100 do not fit in i16: 99 is left over, and
// -128 of twice -128. Both belong to the second four.
// FOURS-NOT: qdq.fits_i16
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// VNNI: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// CHECK-LABEL: func.func @rests(
// CHECK: %[[RESTS:.*]] = arith.constant dense<{{\[\[\[}}0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0, -128, 0, 0, 0, 0, 0, 0, 0, 0]]]> : tensor<1x1x32xi8>
// CHECK: %[[SUMS:.*]]:3 = scf.for
// CHECK: vector.contract {{.*}}qdq.fits_i16
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c1{{.*}} iter_args({{.*}} = %[[SUMS]]#0
// CHECK: %[[AT:.*]] = arith.constant 4 : index
// CHECK: vector.transfer_read %[[RESTS]][%[[I]], %c0{{.*}}, %c0{{.*}}]
// CHECK: vector.transfer_read %arg0[%c0{{.*}}, %[[AT]]]
// CHECK: vector.contract {{.*}}qdq.fits_i16
func.func @rests(%a: tensor<3x20xi8>, %c: tensor<3x8xi32>) -> tensor<3x8xi32> {
  %b = arith.constant dense<[[-6, -1, 4, -4, 1, 6, -2, 3],
    [-3, 2, -6, -1, 4, -4, 1, 6],
    [0, 5, -3, 2, -6, -1, 4, -4],
    [3, -5, 0, 5, -3, 2, -6, -1],
    [6, -2, 3, 127, 0, 5, -3, 2],
    [-4, 1, 6, 100, 3, -5, 0, 5],
    [-1, 4, -4, 1, 6, -128, 3, -5],
    [2, -6, -1, 4, -4, -128, 6, -2],
    [5, -3, 2, -6, -1, 4, -4, 1],
    [-5, 0, 5, -3, 2, -6, -1, 4],
    [-2, 3, -5, 0, 5, -3, 2, -6],
    [1, 6, -2, 3, -5, 0, 5, -3],
    [4, -4, 1, 6, -2, 3, -5, 0],
    [-6, -1, 4, -4, 1, 6, -2, 3],
    [-3, 2, -6, -1, 4, -4, 1, 6],
    [0, 5, -3, 2, -6, -1, 4, -4],
    [3, -5, 0, 5, -3, 2, -6, -1],
    [6, -2, 3, -5, 0, 5, -3, 2],
    [-4, 1, 6, -2, 3, -5, 0, 5],
    [-1, 4, -4, 1, 6, -2, 3, -5]]> : tensor<20x8xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x20xi8>, tensor<20x8xi8>) outs(%c : tensor<3x8xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  } -> tensor<3x8xi32>
  return %r : tensor<3x8xi32>
}

// -----

// Too much would be left over.
// CHECK-LABEL: func.func @many(
// CHECK-NOT: qdq.fits_i16
func.func @many(%a: tensor<3x20xi8>, %c: tensor<3x8xi32>) -> tensor<3x8xi32> {
  %b = arith.constant dense<120> : tensor<20x8xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x20xi8>, tensor<20x8xi8>) outs(%c : tensor<3x8xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  } -> tensor<3x8xi32>
  return %r : tensor<3x8xi32>
}

// -----

// Nothing is left over of small codes, and no loop adds it.
// CHECK-LABEL: func.func @none(
// CHECK: scf.for
// CHECK: vector.contract {{.*}}qdq.fits_i16
// CHECK-NOT: scf.for
// CHECK: return
func.func @none(%a: tensor<3x20xi8>, %c: tensor<3x8xi32>) -> tensor<3x8xi32> {
  %b = arith.constant dense<-64> : tensor<20x8xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x20xi8>, tensor<20x8xi8>) outs(%c : tensor<3x8xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  } -> tensor<3x8xi32>
  return %r : tensor<3x8xi32>
}

// -----

// Unsigned columns meet signed rows.
// CHECK-LABEL: func.func @unsigned_columns(
// CHECK: vector.contract
// CHECK-NOT: qdq.fits_i16
func.func @unsigned_columns(%a: tensor<3x20xi8>, %c: tensor<3x8xi32>) -> tensor<3x8xi32> {
  %b = arith.constant dense<1> : tensor<20x8xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x20xi8>, tensor<20x8xi8>) outs(%c : tensor<3x8xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extui %y : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  } -> tensor<3x8xi32>
  return %r : tensor<3x8xi32>
}

// -----

// The sums of four fours, of 8 times 16, fit in i16 together: a loop adds them,
// and then they are widened.
// CHECK-LABEL: func.func @groups(
// CHECK: %[[SUMS:.*]]:3 = scf.for %[[I:.*]] = %c0{{.*}} to %c32{{.*}} step %c16{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<8xi32>, vector<8xi32>, vector<8xi32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<16xi16>
// CHECK: %[[HALVES:.*]]:3 = scf.for %{{.*}} = %[[I]] to %{{.*}} iter_args(%[[HALF:.*]] = %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]])
// CHECK: vector.contract {{.*}} %{{.*}}, %{{.*}}, %[[HALF]] {qdq.fits_i16} : vector<16x2xi16>, vector<16x2xi16> into vector<16xi16>
// CHECK: %[[PAIRS:.*]] = vector.shape_cast %[[HALVES]]#0 : vector<16xi16> to vector<8x2xi16>
// CHECK: arith.extsi %[[PAIRS]]
// CHECK: vector.contract {{.*}} %{{.*}}, %{{.*}}, %[[SUM]] : vector<8x2xi32>, vector<8x2xi32> into vector<8xi32>
// CHECK-NOT: scf.for
// CHECK: return
func.func @groups(%a: tensor<3x32xi8>, %c: tensor<3x8xi32>) -> tensor<3x8xi32> {
  %b = arith.constant dense<16> : tensor<32x8xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x32xi8>, tensor<32x8xi8>) outs(%c : tensor<3x8xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  } -> tensor<3x8xi32>
  return %r : tensor<3x8xi32>
}

// -----

// Two fours: no loop, and one widening.
// CHECK-LABEL: func.func @twos(
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c32{{.*}} step %c8{{.*}}
// CHECK: %[[FIRST:.*]] = vector.contract {{.*}} {qdq.fits_i16} : vector<16x2xi16>, vector<16x2xi16> into vector<16xi16>
// CHECK: vector.contract {{.*}}, %[[FIRST]] {qdq.fits_i16} : vector<16x2xi16>, vector<16x2xi16> into vector<16xi16>
// CHECK: vector.contract {{.*}} : vector<8x2xi32>, vector<8x2xi32> into vector<8xi32>
func.func @twos(%a: tensor<3x32xi8>, %c: tensor<3x8xi32>) -> tensor<3x8xi32> {
  %b = arith.constant dense<32> : tensor<32x8xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x32xi8>, tensor<32x8xi8>) outs(%c : tensor<3x8xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  } -> tensor<3x8xi32>
  return %r : tensor<3x8xi32>
}
