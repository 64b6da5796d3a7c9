// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=saturating-packs --split-input-file | FileCheck %s
// RUN: quant-opt %s --quant-to-llvm="target-triple=x86_64-linux-gnu target-cpu=icelake-server profile=ort" --split-input-file | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @signed(
// CHECK-SAME: %[[WORDS:.*]]: vector<64xi32>
// CHECK: %[[A:.*]] = vector.extract_strided_slice %[[WORDS]] {offsets = [0], sizes = [16]
// CHECK: %[[B:.*]] = vector.extract_strided_slice %[[WORDS]] {offsets = [16], sizes = [16]
// CHECK: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"(%[[A]], %[[B]])
// CHECK: %[[C:.*]] = vector.extract_strided_slice %[[WORDS]] {offsets = [32], sizes = [16]
// CHECK: %[[D:.*]] = vector.extract_strided_slice %[[WORDS]] {offsets = [48], sizes = [16]
// CHECK: %[[SECOND:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"(%[[C]], %[[D]])
// CHECK: %[[BYTES:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"(%[[FIRST]], %[[SECOND]])
// A lane that is poison leaves the others alone: no bitcast joins them.
// CHECK-NOT: vector.bitcast
// CHECK: %[[RESULT:.*]] = vector.shuffle %[[BYTES]], %{{.*}} [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51, 4, 5, 6, 7,
// CHECK: return %[[RESULT]]
func.func @signed(%words: vector<64xi32>) -> vector<64xi8> {
  %bytes = arith.trunci %words overflow<nsw> : vector<64xi32> to vector<64xi8>
  return %bytes : vector<64xi8>
}

// -----

// Two registers.
// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME: %[[WORDS:.*]]: vector<128xi32>
// CHECK: vector.extract_strided_slice %[[WORDS]] {offsets = [0]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"
// CHECK: vector.extract_strided_slice %[[WORDS]] {offsets = [64]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"
// CHECK: vector.insert_strided_slice %{{.*}} {offsets = [64]
func.func @unsigned(%words: vector<128xi32>) -> vector<128xi8> {
  %bytes = arith.trunci %words overflow<nuw> : vector<128xi32> to vector<128xi8>
  return %bytes : vector<128xi8>
}

// -----

// Packs saturate: a clamp to all bytes goes, a narrower one stays.
// CHECK-LABEL: func.func @clamps(
// CHECK-SAME: %[[WORDS:.*]]: vector<64xi32>
// CHECK: vector.extract_strided_slice %[[WORDS]]
// CHECK: packuswb
// CHECK: %[[CLAMPED:.*]] = arith.minsi
// CHECK: vector.extract_strided_slice %[[CLAMPED]]
// CHECK: packsswb
func.func @clamps(%words: vector<64xi32>) -> (vector<64xi8>, vector<64xi8>) {
  %zero = arith.constant dense<0> : vector<64xi32>
  %most = arith.constant dense<255> : vector<64xi32>
  %low = arith.constant dense<-127> : vector<64xi32>
  %high = arith.constant dense<127> : vector<64xi32>
  %0 = arith.maxsi %words, %zero : vector<64xi32>
  %1 = arith.minsi %0, %most : vector<64xi32>
  %2 = arith.trunci %1 overflow<nuw> : vector<64xi32> to vector<64xi8>
  %3 = arith.maxsi %words, %low : vector<64xi32>
  %4 = arith.minsi %3, %high : vector<64xi32>
  %5 = arith.trunci %4 overflow<nsw> : vector<64xi32> to vector<64xi8>
  return %2, %5 : vector<64xi8>, vector<64xi8>
}

// -----

// If a sum with bytes does not overflow, it is added with 16 bits that saturate, and so do bytes then.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[WORDS:.*]]: vector<64xi32>, %[[ZERO:.*]]: vector<64xi8>
// CHECK: %[[ZEROS:.*]] = arith.extui %[[ZERO]]
// CHECK: vector.extract_strided_slice %[[WORDS]]
// CHECK: %[[X:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// CHECK: vector.extract_strided_slice %[[ZEROS]]
// CHECK: %[[Z:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// CHECK: llvm.intr.sadd.sat(%[[X]], %[[Z]]) : (vector<32xi16>, vector<32xi16>) -> vector<32xi16>
// CHECK: llvm.intr.sadd.sat
// CHECK: packuswb
// CHECK: llvm.intr.sadd.sat
// CHECK: packsswb
func.func @sums(%words: vector<64xi32>, %zero: vector<64xi8>) -> (vector<64xi8>, vector<64xi8>) {
  %low = arith.constant dense<0> : vector<64xi32>
  %high = arith.constant dense<255> : vector<64xi32>
  %five = arith.constant dense<5> : vector<64xi32>
  %z = arith.extui %zero : vector<64xi8> to vector<64xi32>
  %0 = arith.addi %words, %z overflow<nsw> : vector<64xi32>
  %1 = arith.maxsi %0, %low : vector<64xi32>
  %2 = arith.minsi %1, %high : vector<64xi32>
  %3 = arith.trunci %2 overflow<nuw> : vector<64xi32> to vector<64xi8>
  %4 = arith.addi %words, %five overflow<nsw> : vector<64xi32>
  %5 = arith.trunci %4 overflow<nsw> : vector<64xi32> to vector<64xi8>
  return %3, %5 : vector<64xi8>, vector<64xi8>
}

// -----

// The sum may overflow, or has two large terms: as words.
// CHECK-LABEL: func.func @sums_of_words(
// CHECK-NOT: sadd.sat
// CHECK: return
func.func @sums_of_words(%words: vector<64xi32>, %others: vector<64xi32>, %zero: vector<64xi8>) -> (vector<64xi8>, vector<64xi8>, vector<64xi8>) {
  %many = arith.constant dense<16384> : vector<64xi32>
  %z = arith.extsi %zero : vector<64xi8> to vector<64xi32>
  %0 = arith.addi %words, %z : vector<64xi32>
  %1 = arith.trunci %0 overflow<nsw> : vector<64xi32> to vector<64xi8>
  %2 = arith.addi %words, %others overflow<nsw> : vector<64xi32>
  %3 = arith.trunci %2 overflow<nsw> : vector<64xi32> to vector<64xi8>
  %4 = arith.addi %words, %many overflow<nsw> : vector<64xi32>
  %5 = arith.trunci %4 overflow<nsw> : vector<64xi32> to vector<64xi8>
  return %1, %3, %5 : vector<64xi8>, vector<64xi8>, vector<64xi8>
}

// -----

// Words that may be no bytes, that fill no register, or that are longer.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: llvm.call_intrinsic
// CHECK-COUNT-3: arith.trunci
func.func @others(%words: vector<64xi32>, %short: vector<32xi32>, %long: vector<64xi64>) -> (vector<64xi8>, vector<32xi8>, vector<64xi8>) {
  %0 = arith.trunci %words : vector<64xi32> to vector<64xi8>
  %1 = arith.trunci %short overflow<nsw> : vector<32xi32> to vector<32xi8>
  %2 = arith.trunci %long overflow<nsw> : vector<64xi64> to vector<64xi8>
  return %0, %1, %2 : vector<64xi8>, vector<32xi8>, vector<64xi8>
}

// -----

// Of floats, too: a magnitude and a sign, from 0 to 255.
// LLVM-LABEL: llvm.func @floats(
// LLVM: packuswb
// LLVM-NOT: llvm.trunc {{.*}} to vector<64xi8>
// LLVM: llvm.return
func.func @floats(%x: tensor<4x64xf32>, %s: f32) -> tensor<4x64xf8E4M3FN> {
  %q = qdq.quantize %x scale %s : (tensor<4x64xf32>, f32) -> tensor<4x64xf8E4M3FN>
  return %q : tensor<4x64xf8E4M3FN>
}

// -----

// LLVM-LABEL: llvm.func @integers(
// LLVM: llvm.cond_br
// LLVM-COUNT-2: packssdw
// LLVM: packsswb
func.func @integers(%x: tensor<4x64xf32>, %s: f32) -> tensor<4x64xi8> {
  %q = qdq.quantize %x scale %s : (tensor<4x64xf32>, f32) -> tensor<4x64xi8>
  return %q : tensor<4x64xi8>
}

// -----

// LLVM-LABEL: llvm.func @zero_point(
// LLVM-NOT: llvm.intr.smax
// LLVM: llvm.intr.sadd.sat
// LLVM: packuswb
func.func @zero_point(%x: tensor<4x64xf32>, %s: f32, %z: ui8) -> tensor<4x64xui8> {
  %q = qdq.quantize %x scale %s zero_point %z : (tensor<4x64xf32>, f32, ui8) -> tensor<4x64xui8>
  return %q : tensor<4x64xui8>
}
