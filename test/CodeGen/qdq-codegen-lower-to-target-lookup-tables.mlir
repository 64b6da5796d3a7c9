// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=lookup-tables --canonicalize --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=byte-tables --canonicalize --split-input-file | FileCheck %s --check-prefix=BYTES
// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=lookups --canonicalize --split-input-file | FileCheck %s --check-prefix=LANES
// RUN: quant-opt %s --quant-to-llvm="target-triple=x86_64-linux-gnu target-cpu=icelake-server profile=ort" --split-input-file | FileCheck %s --check-prefix=LLVM

// The permutation reads the bits of an index that number its lanes.
// CHECK-LABEL: func.func @words(
// CHECK-SAME: %[[TABLE:.*]]: vector<{{.*}}>, %[[INDICES:.*]]: vector
// CHECK-NEXT: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"(%[[TABLE]], %[[INDICES]])
// CHECK-NEXT: return %[[R]]
// BYTES-LABEL: func.func @words(
// BYTES-NEXT: qdq.lookup
// LANES-LABEL: func.func @words(
// LANES-SAME: %[[TABLE:.*]]: vector<{{.*}}>, %[[INDICES:.*]]: vector
// LANES: %[[C15:.*]] = arith.constant dense<15> : vector<16xi32>
// LANES: %[[BELOW:.*]] = arith.andi %[[INDICES]], %[[C15]]
// LANES: %[[I:.*]] = vector.extract %[[BELOW]][0] : i32
// LANES: %[[N:.*]] = arith.index_castui %[[I]] : i32 to index
// LANES: %[[E:.*]] = vector.extract %[[TABLE]][%[[N]]] : i32
// LANES: vector.from_elements %[[E]],
func.func @words(%table: vector<16xi32>, %indices: vector<16xi32>) -> vector<16xi32> {
  %r = qdq.lookup %table[%indices] : (vector<16xi32>, vector<16xi32>) -> vector<16xi32>
  return %r : vector<16xi32>
}

// -----

// A short table is repeated, as indices count modulo its length.
// CHECK-LABEL: func.func @floats(
// CHECK-SAME: %[[TABLE:.*]]: vector<{{.*}}>, %[[INDICES:.*]]: vector
// CHECK-DAG: %[[BITS:.*]] = arith.bitcast %[[TABLE]] : vector<4xf32> to vector<4xi32>
// CHECK-DAG: %[[ALL:.*]] = vector.shuffle %[[BITS]], %{{.*}} [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]
// CHECK-DAG: %[[WIDE:.*]] = arith.extui %[[INDICES]] : vector<32xi8> to vector<32xi32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"(%[[ALL]], %{{.*}})
// CHECK: %[[PART:.*]] = vector.extract_strided_slice %[[WIDE]] {offsets = [16], sizes = [16], strides = [1]}
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"(%[[ALL]], %[[PART]])
// CHECK: arith.bitcast %{{.*}} : vector<32xi32> to vector<32xf32>
func.func @floats(%table: vector<4xf32>, %indices: vector<32xi8>) -> vector<32xf32> {
  %r = qdq.lookup %table[%indices] : (vector<4xf32>, vector<32xi8>) -> vector<32xf32>
  return %r : vector<32xf32>
}

// -----

// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[TABLE:.*]]: vector<{{.*}}>, %[[INDICES:.*]]: vector
// CHECK-NEXT: %[[NARROW:.*]] = arith.trunci %[[INDICES]] : vector<32xi32> to vector<32xi16>
// CHECK-NEXT: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.permvar.hi.512"(%[[TABLE]], %[[NARROW]])
// CHECK-NEXT: return %[[R]]
func.func @halves(%table: vector<32xi16>, %indices: vector<32xi32>) -> vector<32xi16> {
  %r = qdq.lookup %table[%indices] : (vector<32xi16>, vector<32xi32>) -> vector<32xi16>
  return %r : vector<32xi16>
}

// -----

// The instruction reads bit 7 of an index too.
// CHECK-LABEL: func.func @bytes(
// CHECK: %[[C15:.*]] = arith.constant dense<15> : vector<64xi8>
// CHECK: arith.andi %{{.*}}, %[[C15]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"
// BYTES-LABEL: func.func @bytes(
// BYTES-COUNT-2: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
func.func @bytes(%table: vector<16xi8>, %indices: vector<64xi8>) -> vector<64xi8> {
  %r = qdq.lookup %table[%indices] : (vector<16xi8>, vector<64xi8>) -> vector<64xi8>
  return %r : vector<64xi8>
}

// -----

// Two registers.
// CHECK-LABEL: func.func @long(
// CHECK-SAME: %[[TABLE:.*]]: vector<{{.*}}>, %[[INDICES:.*]]: vector
// CHECK: %[[LOW:.*]] = vector.{{.*}} %[[TABLE]]{{.*}} : vector<32xi32>
// CHECK: %[[HIGH:.*]] = vector.{{.*}} %[[TABLE]]{{.*}} : vector<32xi32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"(%[[LOW]], %[[INDICES]], %[[HIGH]])
func.func @long(%table: vector<32xi32>, %indices: vector<16xi32>) -> vector<16xi32> {
  %r = qdq.lookup %table[%indices] : (vector<32xi32>, vector<16xi32>) -> vector<16xi32>
  return %r : vector<16xi32>
}

// -----

// No whole register; tables that are too long.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: qdq.lookup
func.func @others(%a: vector<8xi32>, %b: vector<64xi32>, %c: vector<32xi8>, %i: vector<8xi32>, %j: vector<16xi32>, %k: vector<64xi8>)
    -> (vector<8xi32>, vector<16xi32>, vector<64xi8>) {
  %0 = qdq.lookup %a[%i] : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %1 = qdq.lookup %b[%j] : (vector<64xi32>, vector<16xi32>) -> vector<16xi32>
  %2 = qdq.lookup %c[%k] : (vector<32xi8>, vector<64xi8>) -> vector<64xi8>
  return %0, %1, %2 : vector<8xi32>, vector<16xi32>, vector<64xi8>
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

#w = affine_map<(d0, d1) -> (d0)>
#o = affine_map<(d0, d1) -> (d0, d1)>

// Codes of four bits beside each other: q * q + q of each.
// LLVM-LABEL: llvm.func @look_ups_of_bytes(
// LLVM: dense<[0, 2, 6, 12, 20, 30, 42, 56, 56, 42, 30, 20, 12, 6, 2, 0, 0, 2,
// LLVM-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"
// LLVM-NOT: llvm.extractelement
func.func @look_ups_of_bytes(%w: tensor<64xi8>) -> tensor<64x2xi8> {
  %e = tensor.empty() : tensor<64x2xi8>
  %r = linalg.generic {indexing_maps = [#w, #o], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64xi8>) outs(%e : tensor<64x2xi8>) {
  ^bb0(%x: i8, %out: i8):
    %i = linalg.index 1 : index
    %q = qdq.extract_field %x slots(%i) strides [4] : (i8, index) -> i4
    %y = arith.extsi %q : i4 to i8
    %z = arith.muli %y, %y : i8
    %t = arith.addi %z, %y : i8
    linalg.yield %t : i8
  } -> tensor<64x2xi8>
  return %r : tensor<64x2xi8>
}
