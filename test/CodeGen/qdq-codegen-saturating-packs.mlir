// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-saturating-packs --split-input-file | FileCheck %s
// RUN: quant-opt %s --quant-to-llvm="target-triple=x86_64-linux-gnu target-cpu=icelake-server profile=ort" --split-input-file | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @signed_clamp(
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
// CHECK: vector.shuffle %[[BYTES]], %[[BYTES]] [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51, 4, 5, 6, 7,
// CHECK-NOT: trunci
func.func @signed_clamp(%words: vector<64xi32>) -> vector<64xi8> {
  %low = arith.constant dense<-128> : vector<64xi32>
  %high = arith.constant dense<127> : vector<64xi32>
  %0 = arith.maxsi %words, %low : vector<64xi32>
  %1 = arith.minsi %0, %high : vector<64xi32>
  %bytes = arith.trunci %1 : vector<64xi32> to vector<64xi8>
  return %bytes : vector<64xi8>
}

// -----

// Spelled as choices, upper end first; two registers.
// CHECK-LABEL: func.func @unsigned_clamp(
// CHECK-SAME: %[[WORDS:.*]]: vector<128xi32>
// CHECK: vector.extract_strided_slice %[[WORDS]] {offsets = [0]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"
// CHECK: vector.extract_strided_slice %[[WORDS]] {offsets = [64]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"
// CHECK: vector.insert_strided_slice %{{.*}} {offsets = [64]
func.func @unsigned_clamp(%words: vector<128xi32>) -> vector<128xi8> {
  %low = arith.constant dense<0> : vector<128xi32>
  %high = arith.constant dense<255> : vector<128xi32>
  %isLess = arith.cmpi slt, %words, %high : vector<128xi32>
  %0 = arith.select %isLess, %words, %high : vector<128xi1>, vector<128xi32>
  %isLow = arith.cmpi sle, %0, %low : vector<128xi32>
  %1 = arith.select %isLow, %low, %0 : vector<128xi1>, vector<128xi32>
  %bytes = arith.trunci %1 : vector<128xi32> to vector<128xi8>
  return %bytes : vector<128xi8>
}

// -----

// A narrower clamp stays. It says that the words fit.
// CHECK-LABEL: func.func @narrow_clamp(
// CHECK: %[[CLAMPED:.*]] = arith.minsi
// CHECK: vector.extract_strided_slice %[[CLAMPED]]
// CHECK: packsswb
func.func @narrow_clamp(%words: vector<64xi32>) -> vector<64xi8> {
  %low = arith.constant dense<-127> : vector<64xi32>
  %high = arith.constant dense<127> : vector<64xi32>
  %0 = arith.maxsi %words, %low : vector<64xi32>
  %1 = arith.minsi %0, %high : vector<64xi32>
  %bytes = arith.trunci %1 : vector<64xi32> to vector<64xi8>
  return %bytes : vector<64xi8>
}

// -----

// Words from -256 to 256, and a byte: the sum has 16 bits.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %{{.*}}: vector<64xf32>, %[[ZERO:.*]]: vector<64xi8>
// CHECK: %[[ZEROS:.*]] = arith.extsi %[[ZERO]]
// CHECK: %[[WORDS:.*]] = arith.fptosi
// CHECK: vector.extract_strided_slice %[[WORDS]]
// CHECK: %[[X:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// CHECK: vector.extract_strided_slice %[[ZEROS]]
// CHECK: %[[Z:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// CHECK: arith.addi %[[X]], %[[Z]] : vector<32xi16>
// CHECK: arith.addi %{{.*}} : vector<32xi16>
// CHECK: packsswb
func.func @sum(%x: vector<64xf32>, %zero: vector<64xi8>) -> vector<64xi8> {
  %least = arith.constant dense<-2.56e+02> : vector<64xf32>
  %most = arith.constant dense<2.56e+02> : vector<64xf32>
  %low = arith.constant dense<-128> : vector<64xi32>
  %high = arith.constant dense<127> : vector<64xi32>
  %z = arith.extsi %zero : vector<64xi8> to vector<64xi32>
  %isMore = arith.cmpf ogt, %x, %least : vector<64xf32>
  %0 = arith.select %isMore, %x, %least : vector<64xi1>, vector<64xf32>
  %isLess = arith.cmpf olt, %0, %most : vector<64xf32>
  %1 = arith.select %isLess, %0, %most : vector<64xi1>, vector<64xf32>
  %2 = math.roundeven %1 : vector<64xf32>
  %3 = arith.fptosi %2 : vector<64xf32> to vector<64xi32>
  %4 = arith.addi %3, %z : vector<64xi32>
  %5 = arith.maxsi %4, %low : vector<64xi32>
  %6 = arith.minsi %5, %high : vector<64xi32>
  %bytes = arith.trunci %6 : vector<64xi32> to vector<64xi8>
  return %bytes : vector<64xi8>
}

// -----

// Any words and a byte: if the sum does not overflow, it is added with 16 bits that saturate, and so do bytes then.
// CHECK-LABEL: func.func @saturating_sum(
// CHECK-SAME: %[[WORDS:.*]]: vector<64xi32>, %[[ZERO:.*]]: vector<64xi8>
// CHECK: %[[ZEROS:.*]] = arith.extui %[[ZERO]]
// CHECK: vector.extract_strided_slice %[[WORDS]]
// CHECK: %[[X:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// CHECK: vector.extract_strided_slice %[[ZEROS]]
// CHECK: %[[Z:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// CHECK: llvm.intr.sadd.sat(%[[X]], %[[Z]]) : (vector<32xi16>, vector<32xi16>) -> vector<32xi16>
// CHECK: llvm.intr.sadd.sat
// CHECK: packuswb
func.func @saturating_sum(%words: vector<64xi32>, %zero: vector<64xi8>) -> vector<64xi8> {
  %low = arith.constant dense<0> : vector<64xi32>
  %high = arith.constant dense<255> : vector<64xi32>
  %z = arith.extui %zero : vector<64xi8> to vector<64xi32>
  %0 = arith.addi %words, %z overflow<nsw> : vector<64xi32>
  %1 = arith.maxsi %0, %low : vector<64xi32>
  %2 = arith.minsi %1, %high : vector<64xi32>
  %bytes = arith.trunci %2 : vector<64xi32> to vector<64xi8>
  return %bytes : vector<64xi8>
}

// -----

// The sum may overflow, or has two large terms: as words.
// CHECK-LABEL: func.func @sum_of_words(
// CHECK-NOT: sadd.sat
// CHECK: return
func.func @sum_of_words(%words: vector<64xi32>, %others: vector<64xi32>, %zero: vector<64xi8>) -> (vector<64xi8>, vector<64xi8>) {
  %low = arith.constant dense<-128> : vector<64xi32>
  %high = arith.constant dense<127> : vector<64xi32>
  %z = arith.extsi %zero : vector<64xi8> to vector<64xi32>
  %0 = arith.addi %words, %z : vector<64xi32>
  %1 = arith.maxsi %0, %low : vector<64xi32>
  %2 = arith.minsi %1, %high : vector<64xi32>
  %bytes = arith.trunci %2 : vector<64xi32> to vector<64xi8>
  %3 = arith.addi %words, %others overflow<nsw> : vector<64xi32>
  %4 = arith.maxsi %3, %low : vector<64xi32>
  %5 = arith.minsi %4, %high : vector<64xi32>
  %more = arith.trunci %5 : vector<64xi32> to vector<64xi8>
  return %bytes, %more : vector<64xi8>, vector<64xi8>
}

// -----

// Any words, a clamp that lets -129 through, floats whose upper end is the first of two clamps: another wraps.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: llvm.call_intrinsic
// CHECK-COUNT-5: arith.trunci
func.func @others(%words: vector<64xi32>, %short: vector<32xi32>, %wide: vector<64xi64>, %x: vector<64xf32>)
    -> (vector<64xi8>, vector<64xi8>, vector<32xi8>, vector<64xi8>, vector<64xi8>) {
  %below = arith.constant dense<-129> : vector<64xi32>
  %high = arith.constant dense<127> : vector<64xi32>
  %limit = arith.constant dense<1> : vector<32xi32>
  %one = arith.constant dense<1> : vector<64xi64>
  %most = arith.constant dense<1.0e+02> : vector<64xf32>
  %0 = arith.trunci %words : vector<64xi32> to vector<64xi8>
  %1 = arith.maxsi %words, %below : vector<64xi32>
  %2 = arith.minsi %1, %high : vector<64xi32>
  %3 = arith.trunci %2 : vector<64xi32> to vector<64xi8>
  %4 = arith.andi %short, %limit : vector<32xi32>
  %5 = arith.trunci %4 : vector<32xi32> to vector<32xi8>
  %6 = arith.andi %wide, %one : vector<64xi64>
  %7 = arith.trunci %6 : vector<64xi64> to vector<64xi8>
  %isLess = arith.cmpf olt, %x, %most : vector<64xf32>
  %8 = arith.select %isLess, %x, %most : vector<64xi1>, vector<64xf32>
  %9 = arith.fptosi %8 : vector<64xf32> to vector<64xi32>
  %10 = arith.trunci %9 : vector<64xi32> to vector<64xi8>
  return %0, %3, %5, %7, %10 : vector<64xi8>, vector<64xi8>, vector<32xi8>, vector<64xi8>, vector<64xi8>
}

// -----

// With floats of 8 bits, too: a magnitude, which is cut at 127, and a sign.
// LLVM-LABEL: llvm.func @quantize(
// LLVM: packuswb
// LLVM-NOT: llvm.trunc {{.*}} to vector<64xi8>
// LLVM: llvm.return
func.func @quantize(%x: tensor<4x64xf32>, %s: f32) -> tensor<4x64xf8E4M3FN> {
  %q = qdq.quantize %x scale %s : (tensor<4x64xf32>, f32) -> tensor<4x64xf8E4M3FN>
  return %q : tensor<4x64xf8E4M3FN>
}

// -----

// The clamp before the division bounds x; the bytes saturate all the same.
// LLVM-LABEL: llvm.func @quantize_to_bytes(
// LLVM: llvm.cond_br
// LLVM-COUNT-2: packssdw
// LLVM: packsswb
func.func @quantize_to_bytes(%x: tensor<4x64xf32>, %s: f32) -> tensor<4x64xi8> {
  %q = qdq.quantize %x scale %s : (tensor<4x64xf32>, f32) -> tensor<4x64xi8>
  return %q : tensor<4x64xi8>
}
