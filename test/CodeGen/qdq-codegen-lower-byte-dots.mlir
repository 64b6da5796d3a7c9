// RUN: quant-opt %s --qdq-codegen-lower-byte-dots=dots=x86-vnni | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-lower-byte-dots | FileCheck %s --check-prefix=NONE
// RUN: quant-opt %s --qdq-codegen-lower-byte-dots=dots=neon-i8mm | FileCheck %s --check-prefixes=NEON,I8MM
// RUN: quant-opt %s --qdq-codegen-lower-byte-dots=dots=neon-dotprod | FileCheck %s --check-prefixes=NEON,DOTPROD

// NONE-NOT: llvm.call_intrinsic

#both = affine_map<(d0, d1) -> (d0, d1)>
#lane = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @unsigned_signed(
// CHECK-SAME: %[[SUMS:.*]]: vector<16xi32>, %[[U:.*]]: vector<16x4xi8>, %[[S:.*]]: vector<16x4xi8>)
// CHECK-DAG: %[[A:.*]] = vector.shape_cast %[[U]] : vector<16x4xi8> to vector<64xi8>
// CHECK-DAG: %[[B:.*]] = vector.shape_cast %[[S]] : vector<16x4xi8> to vector<64xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[SUMS]], %[[A]], %[[B]])
// CHECK-NOT: vector.contract
func.func @unsigned_signed(%sums: vector<16xi32>, %u: vector<16x4xi8>, %s: vector<16x4xi8>) -> vector<16xi32> {
  %0 = arith.extui %u : vector<16x4xi8> to vector<16x4xi32>
  %1 = arith.extsi %s : vector<16x4xi8> to vector<16x4xi32>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<16x4xi32>, vector<16x4xi32> into vector<16xi32>
  return %2 : vector<16xi32>
}

// The other way round, in 256 bits.
// CHECK-LABEL: func.func @signed_unsigned(
// CHECK-SAME: %[[SUMS:.*]]: vector<8xi32>, %[[S:.*]]: vector<8x4xi8>, %[[U:.*]]: vector<8x4xi8>)
// CHECK-DAG: %[[A:.*]] = vector.shape_cast %[[U]]
// CHECK-DAG: %[[B:.*]] = vector.shape_cast %[[S]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%[[SUMS]], %[[A]], %[[B]])
func.func @signed_unsigned(%sums: vector<8xi32>, %s: vector<8x4xi8>, %u: vector<8x4xi8>) -> vector<8xi32> {
  %0 = arith.extsi %s : vector<8x4xi8> to vector<8x4xi32>
  %1 = arith.extui %u : vector<8x4xi8> to vector<8x4xi32>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<8x4xi32>, vector<8x4xi32> into vector<8xi32>
  return %2 : vector<8xi32>
}

// A constant has whichever sign the other operand leaves it.
// CHECK-LABEL: func.func @constants(
// CHECK: %[[SIGNED:.*]] = arith.constant dense<-128> : vector<16xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"(%{{.*}}, %{{.*}}, %[[SIGNED]])
// CHECK: %[[UNSIGNED:.*]] = arith.constant dense<-1> : vector<16xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"(%{{.*}}, %[[UNSIGNED]], %{{.*}})
func.func @constants(%sums: vector<4xi32>, %x: vector<4x4xi8>) -> (vector<4xi32>, vector<4xi32>) {
  %least = arith.constant dense<-128> : vector<4x4xi32>
  %most = arith.constant dense<255> : vector<4x4xi32>
  %0 = arith.extui %x : vector<4x4xi8> to vector<4x4xi32>
  %1 = arith.extsi %x : vector<4x4xi8> to vector<4x4xi32>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %least, %sums : vector<4x4xi32>, vector<4x4xi32> into vector<4xi32>
  %3 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %1, %most, %sums : vector<4x4xi32>, vector<4x4xi32> into vector<4xi32>
  return %2, %3 : vector<4xi32>, vector<4xi32>
}

// What the instruction does not do stays: bytes of one signedness, a constant
// out of range, a maximum, lanes without a register.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: llvm.call_intrinsic
func.func @others(%sums: vector<16xi32>, %x: vector<16x4xi8>, %two: vector<2xi32>, %y: vector<2x4xi8>)
    -> (vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<2xi32>) {
  %big = arith.constant dense<128> : vector<16x4xi32>
  %0 = arith.extsi %x : vector<16x4xi8> to vector<16x4xi32>
  %u = arith.extui %x : vector<16x4xi8> to vector<16x4xi32>
  %1 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %0, %sums : vector<16x4xi32>, vector<16x4xi32> into vector<16xi32>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %u, %big, %sums : vector<16x4xi32>, vector<16x4xi32> into vector<16xi32>
  %3 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<maxsi>}
    %u, %0, %sums : vector<16x4xi32>, vector<16x4xi32> into vector<16xi32>
  %4 = arith.extsi %y : vector<2x4xi8> to vector<2x4xi32>
  %5 = arith.extui %y : vector<2x4xi8> to vector<2x4xi32>
  %6 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %4, %5, %two : vector<2x4xi32>, vector<2x4xi32> into vector<2xi32>
  return %1, %2, %3, %6 : vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<2xi32>
}

// A mask is one of the contraction.
// CHECK-LABEL: func.func @masked(
// CHECK: vector.mask {{.*}} { vector.contract
func.func @masked(%x: vector<16x4xi8>, %y: vector<16x4xi8>, %acc: vector<16xi32>, %m: vector<16x4xi1>) -> vector<16xi32> {
  %u = arith.extui %x : vector<16x4xi8> to vector<16x4xi32>
  %s = arith.extsi %y : vector<16x4xi8> to vector<16x4xi32>
  %r = vector.mask %m { vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %u, %s, %acc : vector<16x4xi32>, vector<16x4xi32> into vector<16xi32> } : vector<16x4xi1> -> vector<16xi32>
  return %r : vector<16xi32>
}

#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#middle = affine_map<(d0, d1, d2) -> (d1)>

// Several vectors: an instruction each.
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME: %[[SUMS:.*]]: vector<16xi32>
// CHECK: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[SUMS]],
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[FIRST]],
// CHECK-NOT: vector.contract
func.func @vectors(%sums: vector<16xi32>, %u: vector<2x16x4xi8>, %s: vector<2x16x4xi8>) -> vector<16xi32> {
  %0 = arith.extui %u : vector<2x16x4xi8> to vector<2x16x4xi32>
  %1 = arith.extsi %s : vector<2x16x4xi8> to vector<2x16x4xi32>
  %2 = vector.contract {indexing_maps = [#all, #all, #middle], iterator_types = ["reduction", "parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums {qdq.fits_i16} : vector<2x16x4xi32>, vector<2x16x4xi32> into vector<16xi32>
  return %2 : vector<16xi32>
}

// Bytes of 7 bits have any sign: vpdpbusd and usdot ask for one.
// CHECK-LABEL: func.func @short_codes(
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"
// NEON-LABEL: func.func @short_codes(
// NEON-SAME: %[[SUMS:.*]]: vector<4xi32>, %[[S:.*]]: vector<4x4xi8>, %[[U:.*]]: vector<4x4xi8>)
// NEON-DAG: %[[A:.*]] = vector.shape_cast %[[S]]
// NEON-DAG: %[[B:.*]] = vector.shape_cast %[[U]]
// NEON: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%[[SUMS]], %[[A]], %[[B]])
// NEON-NOT: llvm.call_intrinsic
func.func @short_codes(%sums: vector<4xi32>, %s: vector<4x4xi8>, %u: vector<4x4xi8>) -> vector<4xi32> {
  %seven = arith.trunci %u overflow<nuw> : vector<4x4xi8> to vector<4x4xi7>
  %0 = arith.extsi %s : vector<4x4xi8> to vector<4x4xi32>
  %1 = arith.extui %seven : vector<4x4xi7> to vector<4x4xi32>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<4x4xi32>, vector<4x4xi32> into vector<4xi32>
  return %2 : vector<4xi32>
}

// What was cut off counts, if nothing says that it is 0.
// CHECK-LABEL: func.func @truncated(
// CHECK: vector.contract
// NEON-LABEL: func.func @truncated(
// NEON: vector.contract
func.func @truncated(%sums: vector<4xi32>, %s: vector<4x4xi8>, %u: vector<4x4xi8>) -> vector<4xi32> {
  %seven = arith.trunci %u : vector<4x4xi8> to vector<4x4xi7>
  %0 = arith.extsi %s : vector<4x4xi8> to vector<4x4xi32>
  %1 = arith.extui %seven : vector<4x4xi7> to vector<4x4xi32>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<4x4xi32>, vector<4x4xi32> into vector<4xi32>
  return %2 : vector<4xi32>
}

// AArch64 has vectors of 128 bits. Without usdot, the bytes less 128 are
// signed, and -128 times the others is taken off.
// CHECK-LABEL: func.func @mixed(
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"
// NEON-LABEL: func.func @mixed(
// NEON-SAME: %[[SUMS:.*]]: vector<4xi32>, %[[S:.*]]: vector<4x4xi8>, %[[U:.*]]: vector<4x4xi8>)
// I8MM-DAG: %[[A:.*]] = vector.shape_cast %[[U]]
// I8MM-DAG: %[[B:.*]] = vector.shape_cast %[[S]]
// I8MM: llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"(%[[SUMS]], %[[A]], %[[B]])
// DOTPROD-DAG: %[[LEAST:.*]] = arith.constant dense<-128> : vector<4x4xi8>
// DOTPROD-DAG: %[[MOVED:.*]] = arith.xori %[[U]], %[[LEAST]]
// DOTPROD-DAG: %[[FLAT:.*]] = arith.constant dense<-128> : vector<16xi8>
// DOTPROD-DAG: %[[ZERO:.*]] = arith.constant dense<0> : vector<4xi32>
// DOTPROD: %[[LESS:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%[[ZERO]], %[[FLAT]], %{{.*}})
// DOTPROD: %[[M:.*]] = vector.shape_cast %[[MOVED]]
// DOTPROD: %[[ALL:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%[[SUMS]], %[[M]], %{{.*}})
// DOTPROD: arith.subi %[[ALL]], %[[LESS]]
func.func @mixed(%sums: vector<4xi32>, %s: vector<4x4xi8>, %u: vector<4x4xi8>) -> vector<4xi32> {
  %0 = arith.extsi %s : vector<4x4xi8> to vector<4x4xi32>
  %1 = arith.extui %u : vector<4x4xi8> to vector<4x4xi32>
  %2 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<4x4xi32>, vector<4x4xi32> into vector<4xi32>
  return %2 : vector<4xi32>
}

// Bytes of one signedness, several vectors of them.
// CHECK-LABEL: func.func @alike(
// CHECK-NOT: llvm.call_intrinsic
// NEON-LABEL: func.func @alike(
// NEON-SAME: %[[SUMS:.*]]: vector<4xi32>
// NEON: %[[ONE:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%[[SUMS]],
// NEON: %[[TWO:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%[[ONE]],
// NEON: llvm.call_intrinsic "llvm.aarch64.neon.udot.v4i32.v16i8"(%[[TWO]],
// NEON-NOT: vector.contract
func.func @alike(%sums: vector<4xi32>, %x: vector<2x4x4xi8>, %y: vector<2x4x4xi8>, %u: vector<4x4xi8>) -> vector<4xi32> {
  %0 = arith.extsi %x : vector<2x4x4xi8> to vector<2x4x4xi32>
  %1 = arith.extsi %y : vector<2x4x4xi8> to vector<2x4x4xi32>
  %2 = vector.contract {indexing_maps = [#all, #all, #middle], iterator_types = ["reduction", "parallel", "reduction"], kind = #vector.kind<add>}
    %0, %1, %sums : vector<2x4x4xi32>, vector<2x4x4xi32> into vector<4xi32>
  %3 = arith.extui %u : vector<4x4xi8> to vector<4x4xi32>
  %4 = vector.contract {indexing_maps = [#both, #both, #lane], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
    %3, %3, %2 : vector<4x4xi32>, vector<4x4xi32> into vector<4xi32>
  return %4 : vector<4xi32>
}
