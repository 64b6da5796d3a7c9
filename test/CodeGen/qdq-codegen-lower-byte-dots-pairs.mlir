// RUN: quant-opt %s --qdq-codegen-lower-byte-dots=dots=x86-pairs | FileCheck %s

#both = affine_map<(d0, d1) -> (d0, d1)>
#lane = affine_map<(d0, d1) -> (d0)>

// Even bytes, then odd ones, as i16: zero-extended and sign-extended.
// CHECK-LABEL: func.func @pairs_of_words(
// CHECK-SAME: %[[SUMS:.*]]: vector<8xi32>, %[[U:.*]]: vector<8x4xi8>, %[[S:.*]]: vector<8x4xi8>)
// CHECK-DAG: %[[A:.*]] = vector.shape_cast %[[U]] : vector<8x4xi8> to vector<32xi8>
// CHECK-DAG: %[[B:.*]] = vector.shape_cast %[[S]] : vector<8x4xi8> to vector<32xi8>
// CHECK: %[[EVEN_A:.*]] = arith.andi %{{.*}}, %{{.*}} : vector<16xi16>
// CHECK: %[[UP:.*]] = arith.shli %{{.*}}, %{{.*}} : vector<16xi16>
// CHECK: %[[EVEN_B:.*]] = arith.shrsi %[[UP]], %{{.*}} : vector<16xi16>
// CHECK: %[[EVEN:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[EVEN_A]], %[[EVEN_B]])
// CHECK: %[[SUM:.*]] = arith.addi %[[SUMS]], %[[EVEN]] : vector<8xi32>
// CHECK: %[[ODD_A:.*]] = arith.shrui %{{.*}}, %{{.*}} : vector<16xi16>
// CHECK: %[[ODD_B:.*]] = arith.shrsi %{{.*}}, %{{.*}} : vector<16xi16>
// CHECK: %[[ODD:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[ODD_A]], %[[ODD_B]])
// CHECK: arith.addi %[[SUM]], %[[ODD]] : vector<8xi32>
// CHECK-NOT: vector.contract
func.func @pairs_of_words(%sums: vector<8xi32>, %u: vector<8x4xi8>, %s: vector<8x4xi8>) -> vector<8xi32> {
  %0 = arith.extui %u : vector<8x4xi8> to vector<8x4xi32>
  %1 = arith.extsi %s : vector<8x4xi8> to vector<8x4xi32>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<8x4xi32>, vector<8x4xi32> into vector<8xi32>
  return %2 : vector<8xi32>
}

// Pairs that fit in i16: the unsigned bytes are the first operand.
// CHECK-LABEL: func.func @pairs_of_bytes(
// CHECK-SAME: %[[SUMS:.*]]: vector<16xi32>, %[[S:.*]]: vector<16x4xi8>, %[[U:.*]]: vector<16x4xi8>)
// CHECK-DAG: %[[A:.*]] = vector.shape_cast %[[U]]
// CHECK-DAG: %[[B:.*]] = vector.shape_cast %[[S]]
// CHECK: %[[HALVES:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"(%[[A]], %[[B]])
// CHECK: %[[ONE:.*]] = arith.constant dense<1> : vector<32xi16>
// CHECK: %[[WORDS:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"(%[[HALVES]], %[[ONE]])
// CHECK: arith.addi %[[SUMS]], %[[WORDS]] : vector<16xi32>
// CHECK-NOT: vector.contract
func.func @pairs_of_bytes(%sums: vector<16xi32>, %s: vector<16x4xi8>, %u: vector<16x4xi8>) -> vector<16xi32> {
  %0 = arith.extsi %s : vector<16x4xi8> to vector<16x4xi32>
  %1 = arith.extui %u : vector<16x4xi8> to vector<16x4xi32>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums {qdq.fits_i16} : vector<16x4xi32>, vector<16x4xi32> into vector<16xi32>
  return %2 : vector<16xi32>
}

// Sums of pairs in i16, modulo 2^16.
// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[SUMS:.*]]: vector<16xi16>, %[[U:.*]]: vector<16x2xi8>, %[[S:.*]]: vector<16x2xi8>)
// CHECK-DAG: %[[A:.*]] = vector.shape_cast %[[U]] : vector<16x2xi8> to vector<32xi8>
// CHECK-DAG: %[[B:.*]] = vector.shape_cast %[[S]] : vector<16x2xi8> to vector<32xi8>
// CHECK: %[[HALVES:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"(%[[A]], %[[B]])
// CHECK: arith.addi %[[SUMS]], %[[HALVES]] : vector<16xi16>
// CHECK-NOT: vector.contract
func.func @halves(%sums: vector<16xi16>, %u: vector<16x2xi8>, %s: vector<16x2xi8>) -> vector<16xi16> {
  %0 = arith.extui %u : vector<16x2xi8> to vector<16x2xi16>
  %1 = arith.extsi %s : vector<16x2xi8> to vector<16x2xi16>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums {qdq.fits_i16} : vector<16x2xi16>, vector<16x2xi16> into vector<16xi16>
  return %2 : vector<16xi16>
}

// vpmaddubsw would saturate.
// CHECK-LABEL: func.func @halves_that_need_not_fit(
// CHECK: vector.contract
func.func @halves_that_need_not_fit(%sums: vector<16xi16>, %u: vector<16x2xi8>, %s: vector<16x2xi8>) -> vector<16xi16> {
  %0 = arith.extui %u : vector<16x2xi8> to vector<16x2xi16>
  %1 = arith.extsi %s : vector<16x2xi8> to vector<16x2xi16>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<16x2xi16>, vector<16x2xi16> into vector<16xi16>
  return %2 : vector<16xi16>
}

// Halves, widened.
// CHECK-LABEL: func.func @words(
// CHECK-SAME: %[[SUMS:.*]]: vector<8xi32>, %[[HALVES:.*]]: vector<8x2xi16>)
// CHECK-DAG: %[[FLAT:.*]] = vector.shape_cast %[[HALVES]] : vector<8x2xi16> to vector<16xi16>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1> : vector<16xi16>
// CHECK: %[[PAIRS:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[FLAT]], %[[ONE]])
// CHECK: arith.addi %[[SUMS]], %[[PAIRS]] : vector<8xi32>
func.func @words(%sums: vector<8xi32>, %halves: vector<8x2xi16>) -> vector<8xi32> {
  %one = arith.constant dense<1> : vector<8x2xi32>
  %0 = arith.extsi %halves : vector<8x2xi16> to vector<8x2xi32>
  %1 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %one, %sums : vector<8x2xi32>, vector<8x2xi32> into vector<8xi32>
  return %1 : vector<8xi32>
}

#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#middle = affine_map<(d0, d1, d2) -> (d1)>

// Several vectors, whose sums fit in i16.
// CHECK-LABEL: func.func @vectors_of_bytes(
// CHECK: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// CHECK: %[[SECOND:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// CHECK: %[[BOTH:.*]] = arith.addi %[[FIRST]], %[[SECOND]] : vector<16xi16>
// CHECK: %[[WORDS:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[BOTH]], %{{.*}})
// CHECK: arith.addi %{{.*}}, %[[WORDS]] : vector<8xi32>
// CHECK-NOT: vector.contract
func.func @vectors_of_bytes(%sums: vector<8xi32>, %u: vector<2x8x4xi8>, %s: vector<2x8x4xi8>) -> vector<8xi32> {
  %0 = arith.extui %u : vector<2x8x4xi8> to vector<2x8x4xi32>
  %1 = arith.extsi %s : vector<2x8x4xi8> to vector<2x8x4xi32>
  %2 = vector.contract {indexing_maps = [#all, #all, #middle], iterator_types = ["reduction", "parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums {qdq.fits_i16} : vector<2x8x4xi32>, vector<2x8x4xi32> into vector<8xi32>
  return %2 : vector<8xi32>
}

// The same without the promise.
// CHECK-LABEL: func.func @vectors_of_words(
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// CHECK-NOT: vector.contract
func.func @vectors_of_words(%sums: vector<8xi32>, %u: vector<2x8x4xi8>, %s: vector<2x8x4xi8>) -> vector<8xi32> {
  %0 = arith.extui %u : vector<2x8x4xi8> to vector<2x8x4xi32>
  %1 = arith.extsi %s : vector<2x8x4xi8> to vector<2x8x4xi32>
  %2 = vector.contract {indexing_maps = [#all, #all, #middle], iterator_types = ["reduction", "parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<2x8x4xi32>, vector<2x8x4xi32> into vector<8xi32>
  return %2 : vector<8xi32>
}

// Two vectors of codes of 6 bits fit in i16 together, in pairs: one sum in
// i32. Three need not.
// CHECK-LABEL: func.func @codes(
// CHECK-COUNT-2: llvm.x86.avx2.pmadd.ub.sw
// CHECK: llvm.x86.avx2.pmadd.wd
// CHECK-NOT: llvm.x86.avx2.pmadd
// CHECK-LABEL: func.func @codes_that_need_not_fit(
// CHECK-COUNT-6: llvm.x86.avx2.pmadd.wd
func.func @codes(%sums: vector<8xi32>, %u: vector<2x8x4xi8>, %s: vector<2x8x4xi8>) -> vector<8xi32> {
  %six = arith.trunci %u overflow<nuw> : vector<2x8x4xi8> to vector<2x8x4xi6>
  %0 = arith.extui %six : vector<2x8x4xi6> to vector<2x8x4xi32>
  %1 = arith.extsi %s : vector<2x8x4xi8> to vector<2x8x4xi32>
  %2 = vector.contract {indexing_maps = [#all, #all, #middle], iterator_types = ["reduction", "parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<2x8x4xi32>, vector<2x8x4xi32> into vector<8xi32>
  return %2 : vector<8xi32>
}
func.func @codes_that_need_not_fit(%sums: vector<8xi32>, %u: vector<3x8x4xi8>, %s: vector<3x8x4xi8>) -> vector<8xi32> {
  %six = arith.trunci %u overflow<nuw> : vector<3x8x4xi8> to vector<3x8x4xi6>
  %0 = arith.extui %six : vector<3x8x4xi6> to vector<3x8x4xi32>
  %1 = arith.extsi %s : vector<3x8x4xi8> to vector<3x8x4xi32>
  %2 = vector.contract {indexing_maps = [#all, #all, #middle], iterator_types = ["reduction", "parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<3x8x4xi32>, vector<3x8x4xi32> into vector<8xi32>
  return %2 : vector<8xi32>
}
