// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=lookup-tables --canonicalize --split-input-file | FileCheck %s
// RUN: quant-opt %s --quant-to-llvm="target-triple=x86_64-linux-gnu target-cpu=icelake-server profile=ort" --split-input-file | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @words(
// CHECK-SAME: %[[TABLE:.*]]: vector<{{.*}}>, %[[INDICES:.*]]: vector
// CHECK-NEXT: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"(%[[TABLE]], %[[INDICES]])
// CHECK-NEXT: return %[[R]]

func.func @words(%table: vector<16xi32>, %indices: vector<16xi32>) -> vector<16xi32> {
  %i0 = vector.extract %indices[0] : i32 from vector<16xi32>
  %c0 = arith.index_castui %i0 : i32 to index
  %e0 = vector.extract %table[%c0] : i32 from vector<16xi32>
  %i1 = vector.extract %indices[1] : i32 from vector<16xi32>
  %c1 = arith.index_castui %i1 : i32 to index
  %e1 = vector.extract %table[%c1] : i32 from vector<16xi32>
  %i2 = vector.extract %indices[2] : i32 from vector<16xi32>
  %c2 = arith.index_castui %i2 : i32 to index
  %e2 = vector.extract %table[%c2] : i32 from vector<16xi32>
  %i3 = vector.extract %indices[3] : i32 from vector<16xi32>
  %c3 = arith.index_castui %i3 : i32 to index
  %e3 = vector.extract %table[%c3] : i32 from vector<16xi32>
  %i4 = vector.extract %indices[4] : i32 from vector<16xi32>
  %c4 = arith.index_castui %i4 : i32 to index
  %e4 = vector.extract %table[%c4] : i32 from vector<16xi32>
  %i5 = vector.extract %indices[5] : i32 from vector<16xi32>
  %c5 = arith.index_castui %i5 : i32 to index
  %e5 = vector.extract %table[%c5] : i32 from vector<16xi32>
  %i6 = vector.extract %indices[6] : i32 from vector<16xi32>
  %c6 = arith.index_castui %i6 : i32 to index
  %e6 = vector.extract %table[%c6] : i32 from vector<16xi32>
  %i7 = vector.extract %indices[7] : i32 from vector<16xi32>
  %c7 = arith.index_castui %i7 : i32 to index
  %e7 = vector.extract %table[%c7] : i32 from vector<16xi32>
  %i8 = vector.extract %indices[8] : i32 from vector<16xi32>
  %c8 = arith.index_castui %i8 : i32 to index
  %e8 = vector.extract %table[%c8] : i32 from vector<16xi32>
  %i9 = vector.extract %indices[9] : i32 from vector<16xi32>
  %c9 = arith.index_castui %i9 : i32 to index
  %e9 = vector.extract %table[%c9] : i32 from vector<16xi32>
  %i10 = vector.extract %indices[10] : i32 from vector<16xi32>
  %c10 = arith.index_castui %i10 : i32 to index
  %e10 = vector.extract %table[%c10] : i32 from vector<16xi32>
  %i11 = vector.extract %indices[11] : i32 from vector<16xi32>
  %c11 = arith.index_castui %i11 : i32 to index
  %e11 = vector.extract %table[%c11] : i32 from vector<16xi32>
  %i12 = vector.extract %indices[12] : i32 from vector<16xi32>
  %c12 = arith.index_castui %i12 : i32 to index
  %e12 = vector.extract %table[%c12] : i32 from vector<16xi32>
  %i13 = vector.extract %indices[13] : i32 from vector<16xi32>
  %c13 = arith.index_castui %i13 : i32 to index
  %e13 = vector.extract %table[%c13] : i32 from vector<16xi32>
  %i14 = vector.extract %indices[14] : i32 from vector<16xi32>
  %c14 = arith.index_castui %i14 : i32 to index
  %e14 = vector.extract %table[%c14] : i32 from vector<16xi32>
  %i15 = vector.extract %indices[15] : i32 from vector<16xi32>
  %c15 = arith.index_castui %i15 : i32 to index
  %e15 = vector.extract %table[%c15] : i32 from vector<16xi32>
  %r = vector.from_elements %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13, %e14, %e15 : vector<16xi32>
  return %r : vector<16xi32>
}

// -----

// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[TABLE:.*]]: vector<{{.*}}>, %[[INDICES:.*]]: vector
// CHECK-NEXT: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.permvar.hi.512"(%[[TABLE]], %[[INDICES]])
// CHECK-NEXT: return %[[R]]

func.func @halves(%table: vector<32xi16>, %indices: vector<32xi16>) -> vector<32xi16> {
  %i0 = vector.extract %indices[0] : i16 from vector<32xi16>
  %c0 = arith.index_castui %i0 : i16 to index
  %e0 = vector.extract %table[%c0] : i16 from vector<32xi16>
  %i1 = vector.extract %indices[1] : i16 from vector<32xi16>
  %c1 = arith.index_castui %i1 : i16 to index
  %e1 = vector.extract %table[%c1] : i16 from vector<32xi16>
  %i2 = vector.extract %indices[2] : i16 from vector<32xi16>
  %c2 = arith.index_castui %i2 : i16 to index
  %e2 = vector.extract %table[%c2] : i16 from vector<32xi16>
  %i3 = vector.extract %indices[3] : i16 from vector<32xi16>
  %c3 = arith.index_castui %i3 : i16 to index
  %e3 = vector.extract %table[%c3] : i16 from vector<32xi16>
  %i4 = vector.extract %indices[4] : i16 from vector<32xi16>
  %c4 = arith.index_castui %i4 : i16 to index
  %e4 = vector.extract %table[%c4] : i16 from vector<32xi16>
  %i5 = vector.extract %indices[5] : i16 from vector<32xi16>
  %c5 = arith.index_castui %i5 : i16 to index
  %e5 = vector.extract %table[%c5] : i16 from vector<32xi16>
  %i6 = vector.extract %indices[6] : i16 from vector<32xi16>
  %c6 = arith.index_castui %i6 : i16 to index
  %e6 = vector.extract %table[%c6] : i16 from vector<32xi16>
  %i7 = vector.extract %indices[7] : i16 from vector<32xi16>
  %c7 = arith.index_castui %i7 : i16 to index
  %e7 = vector.extract %table[%c7] : i16 from vector<32xi16>
  %i8 = vector.extract %indices[8] : i16 from vector<32xi16>
  %c8 = arith.index_castui %i8 : i16 to index
  %e8 = vector.extract %table[%c8] : i16 from vector<32xi16>
  %i9 = vector.extract %indices[9] : i16 from vector<32xi16>
  %c9 = arith.index_castui %i9 : i16 to index
  %e9 = vector.extract %table[%c9] : i16 from vector<32xi16>
  %i10 = vector.extract %indices[10] : i16 from vector<32xi16>
  %c10 = arith.index_castui %i10 : i16 to index
  %e10 = vector.extract %table[%c10] : i16 from vector<32xi16>
  %i11 = vector.extract %indices[11] : i16 from vector<32xi16>
  %c11 = arith.index_castui %i11 : i16 to index
  %e11 = vector.extract %table[%c11] : i16 from vector<32xi16>
  %i12 = vector.extract %indices[12] : i16 from vector<32xi16>
  %c12 = arith.index_castui %i12 : i16 to index
  %e12 = vector.extract %table[%c12] : i16 from vector<32xi16>
  %i13 = vector.extract %indices[13] : i16 from vector<32xi16>
  %c13 = arith.index_castui %i13 : i16 to index
  %e13 = vector.extract %table[%c13] : i16 from vector<32xi16>
  %i14 = vector.extract %indices[14] : i16 from vector<32xi16>
  %c14 = arith.index_castui %i14 : i16 to index
  %e14 = vector.extract %table[%c14] : i16 from vector<32xi16>
  %i15 = vector.extract %indices[15] : i16 from vector<32xi16>
  %c15 = arith.index_castui %i15 : i16 to index
  %e15 = vector.extract %table[%c15] : i16 from vector<32xi16>
  %i16 = vector.extract %indices[16] : i16 from vector<32xi16>
  %c16 = arith.index_castui %i16 : i16 to index
  %e16 = vector.extract %table[%c16] : i16 from vector<32xi16>
  %i17 = vector.extract %indices[17] : i16 from vector<32xi16>
  %c17 = arith.index_castui %i17 : i16 to index
  %e17 = vector.extract %table[%c17] : i16 from vector<32xi16>
  %i18 = vector.extract %indices[18] : i16 from vector<32xi16>
  %c18 = arith.index_castui %i18 : i16 to index
  %e18 = vector.extract %table[%c18] : i16 from vector<32xi16>
  %i19 = vector.extract %indices[19] : i16 from vector<32xi16>
  %c19 = arith.index_castui %i19 : i16 to index
  %e19 = vector.extract %table[%c19] : i16 from vector<32xi16>
  %i20 = vector.extract %indices[20] : i16 from vector<32xi16>
  %c20 = arith.index_castui %i20 : i16 to index
  %e20 = vector.extract %table[%c20] : i16 from vector<32xi16>
  %i21 = vector.extract %indices[21] : i16 from vector<32xi16>
  %c21 = arith.index_castui %i21 : i16 to index
  %e21 = vector.extract %table[%c21] : i16 from vector<32xi16>
  %i22 = vector.extract %indices[22] : i16 from vector<32xi16>
  %c22 = arith.index_castui %i22 : i16 to index
  %e22 = vector.extract %table[%c22] : i16 from vector<32xi16>
  %i23 = vector.extract %indices[23] : i16 from vector<32xi16>
  %c23 = arith.index_castui %i23 : i16 to index
  %e23 = vector.extract %table[%c23] : i16 from vector<32xi16>
  %i24 = vector.extract %indices[24] : i16 from vector<32xi16>
  %c24 = arith.index_castui %i24 : i16 to index
  %e24 = vector.extract %table[%c24] : i16 from vector<32xi16>
  %i25 = vector.extract %indices[25] : i16 from vector<32xi16>
  %c25 = arith.index_castui %i25 : i16 to index
  %e25 = vector.extract %table[%c25] : i16 from vector<32xi16>
  %i26 = vector.extract %indices[26] : i16 from vector<32xi16>
  %c26 = arith.index_castui %i26 : i16 to index
  %e26 = vector.extract %table[%c26] : i16 from vector<32xi16>
  %i27 = vector.extract %indices[27] : i16 from vector<32xi16>
  %c27 = arith.index_castui %i27 : i16 to index
  %e27 = vector.extract %table[%c27] : i16 from vector<32xi16>
  %i28 = vector.extract %indices[28] : i16 from vector<32xi16>
  %c28 = arith.index_castui %i28 : i16 to index
  %e28 = vector.extract %table[%c28] : i16 from vector<32xi16>
  %i29 = vector.extract %indices[29] : i16 from vector<32xi16>
  %c29 = arith.index_castui %i29 : i16 to index
  %e29 = vector.extract %table[%c29] : i16 from vector<32xi16>
  %i30 = vector.extract %indices[30] : i16 from vector<32xi16>
  %c30 = arith.index_castui %i30 : i16 to index
  %e30 = vector.extract %table[%c30] : i16 from vector<32xi16>
  %i31 = vector.extract %indices[31] : i16 from vector<32xi16>
  %c31 = arith.index_castui %i31 : i16 to index
  %e31 = vector.extract %table[%c31] : i16 from vector<32xi16>
  %r = vector.from_elements %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13, %e14, %e15, %e16, %e17, %e18, %e19, %e20, %e21, %e22, %e23, %e24, %e25, %e26, %e27, %e28, %e29, %e30, %e31 : vector<32xi16>
  return %r : vector<32xi16>
}

// -----

// Indices in another order.
// CHECK-LABEL: func.func @reversed(
// CHECK-NOT: call_intrinsic
// CHECK: return

func.func @reversed(%table: vector<16xi32>, %indices: vector<16xi32>) -> vector<16xi32> {
  %i0 = vector.extract %indices[15] : i32 from vector<16xi32>
  %c0 = arith.index_castui %i0 : i32 to index
  %e0 = vector.extract %table[%c0] : i32 from vector<16xi32>
  %i1 = vector.extract %indices[14] : i32 from vector<16xi32>
  %c1 = arith.index_castui %i1 : i32 to index
  %e1 = vector.extract %table[%c1] : i32 from vector<16xi32>
  %i2 = vector.extract %indices[13] : i32 from vector<16xi32>
  %c2 = arith.index_castui %i2 : i32 to index
  %e2 = vector.extract %table[%c2] : i32 from vector<16xi32>
  %i3 = vector.extract %indices[12] : i32 from vector<16xi32>
  %c3 = arith.index_castui %i3 : i32 to index
  %e3 = vector.extract %table[%c3] : i32 from vector<16xi32>
  %i4 = vector.extract %indices[11] : i32 from vector<16xi32>
  %c4 = arith.index_castui %i4 : i32 to index
  %e4 = vector.extract %table[%c4] : i32 from vector<16xi32>
  %i5 = vector.extract %indices[10] : i32 from vector<16xi32>
  %c5 = arith.index_castui %i5 : i32 to index
  %e5 = vector.extract %table[%c5] : i32 from vector<16xi32>
  %i6 = vector.extract %indices[9] : i32 from vector<16xi32>
  %c6 = arith.index_castui %i6 : i32 to index
  %e6 = vector.extract %table[%c6] : i32 from vector<16xi32>
  %i7 = vector.extract %indices[8] : i32 from vector<16xi32>
  %c7 = arith.index_castui %i7 : i32 to index
  %e7 = vector.extract %table[%c7] : i32 from vector<16xi32>
  %i8 = vector.extract %indices[7] : i32 from vector<16xi32>
  %c8 = arith.index_castui %i8 : i32 to index
  %e8 = vector.extract %table[%c8] : i32 from vector<16xi32>
  %i9 = vector.extract %indices[6] : i32 from vector<16xi32>
  %c9 = arith.index_castui %i9 : i32 to index
  %e9 = vector.extract %table[%c9] : i32 from vector<16xi32>
  %i10 = vector.extract %indices[5] : i32 from vector<16xi32>
  %c10 = arith.index_castui %i10 : i32 to index
  %e10 = vector.extract %table[%c10] : i32 from vector<16xi32>
  %i11 = vector.extract %indices[4] : i32 from vector<16xi32>
  %c11 = arith.index_castui %i11 : i32 to index
  %e11 = vector.extract %table[%c11] : i32 from vector<16xi32>
  %i12 = vector.extract %indices[3] : i32 from vector<16xi32>
  %c12 = arith.index_castui %i12 : i32 to index
  %e12 = vector.extract %table[%c12] : i32 from vector<16xi32>
  %i13 = vector.extract %indices[2] : i32 from vector<16xi32>
  %c13 = arith.index_castui %i13 : i32 to index
  %e13 = vector.extract %table[%c13] : i32 from vector<16xi32>
  %i14 = vector.extract %indices[1] : i32 from vector<16xi32>
  %c14 = arith.index_castui %i14 : i32 to index
  %e14 = vector.extract %table[%c14] : i32 from vector<16xi32>
  %i15 = vector.extract %indices[0] : i32 from vector<16xi32>
  %c15 = arith.index_castui %i15 : i32 to index
  %e15 = vector.extract %table[%c15] : i32 from vector<16xi32>
  %r = vector.from_elements %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13, %e14, %e15 : vector<16xi32>
  return %r : vector<16xi32>
}

// -----

// No whole register.
// CHECK-LABEL: func.func @short(
// CHECK-NOT: call_intrinsic
// CHECK: return

func.func @short(%table: vector<8xi32>, %indices: vector<8xi32>) -> vector<8xi32> {
  %i0 = vector.extract %indices[0] : i32 from vector<8xi32>
  %c0 = arith.index_castui %i0 : i32 to index
  %e0 = vector.extract %table[%c0] : i32 from vector<8xi32>
  %i1 = vector.extract %indices[1] : i32 from vector<8xi32>
  %c1 = arith.index_castui %i1 : i32 to index
  %e1 = vector.extract %table[%c1] : i32 from vector<8xi32>
  %i2 = vector.extract %indices[2] : i32 from vector<8xi32>
  %c2 = arith.index_castui %i2 : i32 to index
  %e2 = vector.extract %table[%c2] : i32 from vector<8xi32>
  %i3 = vector.extract %indices[3] : i32 from vector<8xi32>
  %c3 = arith.index_castui %i3 : i32 to index
  %e3 = vector.extract %table[%c3] : i32 from vector<8xi32>
  %i4 = vector.extract %indices[4] : i32 from vector<8xi32>
  %c4 = arith.index_castui %i4 : i32 to index
  %e4 = vector.extract %table[%c4] : i32 from vector<8xi32>
  %i5 = vector.extract %indices[5] : i32 from vector<8xi32>
  %c5 = arith.index_castui %i5 : i32 to index
  %e5 = vector.extract %table[%c5] : i32 from vector<8xi32>
  %i6 = vector.extract %indices[6] : i32 from vector<8xi32>
  %c6 = arith.index_castui %i6 : i32 to index
  %e6 = vector.extract %table[%c6] : i32 from vector<8xi32>
  %i7 = vector.extract %indices[7] : i32 from vector<8xi32>
  %c7 = arith.index_castui %i7 : i32 to index
  %e7 = vector.extract %table[%c7] : i32 from vector<8xi32>
  %r = vector.from_elements %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7 : vector<8xi32>
  return %r : vector<8xi32>
}

// -----

// The magnitude of f6E3M2FN: a table of its 32 values.
// CHECK-LABEL: func.func @decode(
// CHECK-SAME: %[[CODES:.*]]: vector<16xi32>
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<[0, 1031798784, 1040187392, 1044381696, 1048576000, 1050673152, 1052770304, 1054867456, 1056964608, 1059061760, 1061158912, 1063256064, 1065353216, 1067450368, 1069547520, 1071644672]> : vector<16xi32>
// CHECK-DAG: %[[HIGH:.*]] = arith.constant dense<[1073741824, 1075838976, 1077936128, 1080033280, 1082130432, 1084227584, 1086324736, 1088421888, 1090519040, 1092616192, 1094713344, 1096810496, 1098907648, 1101004800, 1103101952, 1105199104]> : vector<16xi32>
// CHECK-NOT: arith.andi
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"(%[[LOW]], %[[CODES]], %[[HIGH]])
// CHECK: return %[[R]]
func.func @decode(%codes: vector<16xi32>) -> vector<16xi32> {
  %c31 = arith.constant dense<31> : vector<16xi32>
  %c21 = arith.constant dense<21> : vector<16xi32>
  %rebias = arith.constant dense<1040187392> : vector<16xi32>
  %next = arith.constant dense<1048576000> : vector<16xi32>
  %one = arith.constant dense<2.500000e-01> : vector<16xf32>
  %0 = arith.andi %codes, %c31 : vector<16xi32>
  %1 = arith.shli %0, %c21 : vector<16xi32>
  %2 = arith.addi %1, %rebias : vector<16xi32>
  %3 = arith.addi %1, %next : vector<16xi32>
  %4 = arith.bitcast %3 : vector<16xi32> to vector<16xf32>
  %5 = arith.subf %4, %one : vector<16xf32>
  %6 = arith.bitcast %5 : vector<16xf32> to vector<16xi32>
  %7 = arith.minui %6, %2 : vector<16xi32>
  return %7 : vector<16xi32>
}

// -----

// Seven bits; two codes; what is no constant; a minimum alone.
// CHECK-LABEL: func.func @no_decode(
// CHECK-NOT: call_intrinsic
// CHECK: return
func.func @no_decode(%a: vector<16xi32>, %b: vector<16xi32>) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<16xi32>) {
  %c31 = arith.constant dense<31> : vector<16xi32>
  %c127 = arith.constant dense<127> : vector<16xi32>
  %c7 = arith.constant dense<7> : vector<16xi32>
  %0 = arith.andi %a, %c127 : vector<16xi32>
  %1 = arith.shli %0, %c7 : vector<16xi32>
  %2 = arith.addi %0, %c7 : vector<16xi32>
  %3 = arith.minui %1, %2 : vector<16xi32>
  %4 = arith.andi %a, %c31 : vector<16xi32>
  %5 = arith.andi %b, %c31 : vector<16xi32>
  %6 = arith.shli %4, %c7 : vector<16xi32>
  %7 = arith.addi %5, %c7 : vector<16xi32>
  %8 = arith.minui %6, %7 : vector<16xi32>
  %9 = arith.addi %4, %b : vector<16xi32>
  %10 = arith.minui %6, %9 : vector<16xi32>
  %11 = arith.minui %4, %c7 : vector<16xi32>
  return %3, %8, %10, %11 : vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<16xi32>
}

// -----

// LLVM-LABEL: llvm.func @look_ups_of_blocks(
// LLVM-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"
// LLVM-NOT: llvm.extractelement
func.func @look_ups_of_blocks(%x: tensor<64xi4>, %s: tensor<2xf32>) -> tensor<64xf32> {
  %r = qdq.dequantize %x scale %s block_shape [32] : (tensor<64xi4>, tensor<2xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// LLVM-LABEL: llvm.func @look_ups_of_halves(
// LLVM: llvm.call_intrinsic "llvm.x86.avx512.permvar.hi.512"
func.func @look_ups_of_halves(%x: tensor<64xi4>, %s: tensor<2xf16>) -> tensor<64xf16> {
  %r = qdq.dequantize %x scale %s block_shape [32] : (tensor<64xi4>, tensor<2xf16>) -> tensor<64xf16>
  return %r : tensor<64xf16>
}

// -----

// LLVM-LABEL: llvm.func @floats_of_six_bits(
// LLVM-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"
func.func @floats_of_six_bits(%x: tensor<64xf6E3M2FN>, %s: tensor<2xf32>) -> tensor<64xf32> {
  %r = qdq.dequantize %x scale %s block_shape [32] : (tensor<64xf6E3M2FN>, tensor<2xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// A part of a longer vector of indices, without its mask, of which the permutation reads four bits.
// CHECK-LABEL: func.func @part_of_indices(
// CHECK-SAME: %[[TABLE:.*]]: vector<{{.*}}>, %[[CODES:.*]]: vector
// CHECK-NEXT: %[[PART:.*]] = vector.extract_strided_slice %[[CODES]] {offsets = [16], sizes = [16], strides = [1]}
// CHECK-NEXT: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"(%[[TABLE]], %[[PART]])
// CHECK-NEXT: return %[[R]]
func.func @part_of_indices(%table: vector<16xi32>, %codes: vector<32xi32>) -> vector<16xi32> {
  %fields = arith.constant dense<15> : vector<32xi32>
  %indices = arith.andi %codes, %fields : vector<32xi32>
  %i0 = vector.extract %indices[16] : i32 from vector<32xi32>
  %c0 = arith.index_castui %i0 : i32 to index
  %e0 = vector.extract %table[%c0] : i32 from vector<16xi32>
  %i1 = vector.extract %indices[17] : i32 from vector<32xi32>
  %c1 = arith.index_castui %i1 : i32 to index
  %e1 = vector.extract %table[%c1] : i32 from vector<16xi32>
  %i2 = vector.extract %indices[18] : i32 from vector<32xi32>
  %c2 = arith.index_castui %i2 : i32 to index
  %e2 = vector.extract %table[%c2] : i32 from vector<16xi32>
  %i3 = vector.extract %indices[19] : i32 from vector<32xi32>
  %c3 = arith.index_castui %i3 : i32 to index
  %e3 = vector.extract %table[%c3] : i32 from vector<16xi32>
  %i4 = vector.extract %indices[20] : i32 from vector<32xi32>
  %c4 = arith.index_castui %i4 : i32 to index
  %e4 = vector.extract %table[%c4] : i32 from vector<16xi32>
  %i5 = vector.extract %indices[21] : i32 from vector<32xi32>
  %c5 = arith.index_castui %i5 : i32 to index
  %e5 = vector.extract %table[%c5] : i32 from vector<16xi32>
  %i6 = vector.extract %indices[22] : i32 from vector<32xi32>
  %c6 = arith.index_castui %i6 : i32 to index
  %e6 = vector.extract %table[%c6] : i32 from vector<16xi32>
  %i7 = vector.extract %indices[23] : i32 from vector<32xi32>
  %c7 = arith.index_castui %i7 : i32 to index
  %e7 = vector.extract %table[%c7] : i32 from vector<16xi32>
  %i8 = vector.extract %indices[24] : i32 from vector<32xi32>
  %c8 = arith.index_castui %i8 : i32 to index
  %e8 = vector.extract %table[%c8] : i32 from vector<16xi32>
  %i9 = vector.extract %indices[25] : i32 from vector<32xi32>
  %c9 = arith.index_castui %i9 : i32 to index
  %e9 = vector.extract %table[%c9] : i32 from vector<16xi32>
  %i10 = vector.extract %indices[26] : i32 from vector<32xi32>
  %c10 = arith.index_castui %i10 : i32 to index
  %e10 = vector.extract %table[%c10] : i32 from vector<16xi32>
  %i11 = vector.extract %indices[27] : i32 from vector<32xi32>
  %c11 = arith.index_castui %i11 : i32 to index
  %e11 = vector.extract %table[%c11] : i32 from vector<16xi32>
  %i12 = vector.extract %indices[28] : i32 from vector<32xi32>
  %c12 = arith.index_castui %i12 : i32 to index
  %e12 = vector.extract %table[%c12] : i32 from vector<16xi32>
  %i13 = vector.extract %indices[29] : i32 from vector<32xi32>
  %c13 = arith.index_castui %i13 : i32 to index
  %e13 = vector.extract %table[%c13] : i32 from vector<16xi32>
  %i14 = vector.extract %indices[30] : i32 from vector<32xi32>
  %c14 = arith.index_castui %i14 : i32 to index
  %e14 = vector.extract %table[%c14] : i32 from vector<16xi32>
  %i15 = vector.extract %indices[31] : i32 from vector<32xi32>
  %c15 = arith.index_castui %i15 : i32 to index
  %e15 = vector.extract %table[%c15] : i32 from vector<16xi32>
  %r = vector.from_elements %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13, %e14, %e15 : vector<16xi32>
  return %r : vector<16xi32>
}

// -----

#w = affine_map<(d0, d1) -> (d0)>
#o = affine_map<(d0, d1) -> (d0, d1)>

// Codes of four bits beside each other: q * q + q of each.
// LLVM-LABEL: llvm.func @look_ups_of_bytes(
// LLVM: dense<[0, 2, 6, 12, 20, 30, 42, 56, 56, 42, 30, 20, 12, 6, 2, 0, 0, 2,
// LLVM-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"
// LLVM-NOT: llvm.extractelement
func.func @look_ups_of_bytes(%w: tensor<64xi8>) -> tensor<64x2xi8> {
  %e = tensor.empty() : tensor<64x2xi8>
  %c4 = arith.constant 4 : i8
  %r = linalg.generic {indexing_maps = [#w, #o], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64xi8>) outs(%e : tensor<64x2xi8>) {
  ^bb0(%x: i8, %out: i8):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i8
    %s = arith.muli %n, %c4 : i8
    %h = arith.shrui %x, %s : i8
    %q = arith.trunci %h : i8 to i4
    %y = arith.extsi %q : i4 to i8
    %z = arith.muli %y, %y : i8
    %t = arith.addi %z, %y : i8
    linalg.yield %t : i8
  } -> tensor<64x2xi8>
  return %r : tensor<64x2xi8>
}
