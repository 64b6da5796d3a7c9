// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-multishifts --canonicalize --split-input-file | FileCheck %s
// RUN: quant-opt %s --quant-to-llvm="target-triple=x86_64-linux-gnu target-cpu=icelake-server" --split-input-file | FileCheck %s --check-prefix=LLVM

// Codes of three bits, eight to a word of 32 bits: shifted bit by bit, and the
// amounts counted from constants, as the vectorizer leaves them to LLVM.
// CHECK-LABEL: func.func @three(
// CHECK-SAME: %[[BYTES:.*]]: vector<6xi8>
// CHECK-DAG: %[[MASK:.*]] = arith.constant dense<7> : vector<16xi8>
// CHECK-DAG: %[[SHIFTS:.*]] = arith.constant dense<[0, 3, 6, 9, 12, 15, 18, 21, 0, 3, 6, 9, 12, 15, 18, 21]> : vector<16xi8>
// CHECK: %[[WORDS:.*]] = vector.shuffle %[[BYTES]], %[[BYTES]] [0, 1, 2, 3, 4, 5, 5, 5, 3, 4, 5, 5, 5, 5, 5, 5]
// CHECK-NEXT: %[[CUT:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmultishift.qb.128"(%[[SHIFTS]], %[[WORDS]])
// CHECK-NEXT: %[[R:.*]] = arith.andi %[[CUT]], %[[MASK]]
// CHECK-NEXT: return %[[R]]
func.func @three(%bytes: vector<6xi8>) -> vector<16xi8> {
  %none = arith.constant dense<0> : vector<6xi8>
  %seven = arith.constant dense<7> : vector<2xi64>
  %parts = vector.shuffle %bytes, %none [0, 1, 2, 6, 3, 4, 5, 6] : vector<6xi8>, vector<6xi8>
  %narrow = vector.bitcast %parts : vector<8xi8> to vector<2xi32>
  %zeros = arith.constant dense<0> : vector<2xi32>
  %both = vector.shuffle %narrow, %zeros [0, 2, 1, 3] : vector<2xi32>, vector<2xi32>
  %words = vector.bitcast %both : vector<4xi32> to vector<2xi64>
  %r0 = arith.andi %words, %seven : vector<2xi64>
  %s1 = arith.constant dense<3> : vector<2xi64>
  %one = arith.constant dense<[0, 1, 0, 0, 0, 0, 0, 0]> : vector<8xi8>
  %bit = vector.bitcast %one : vector<8xi8> to vector<1xi64>
  %lane = vector.extract %bit[0] : i64 from vector<1xi64>
  %eight = math.cttz %lane : i64
  %l1 = vector.broadcast %eight : i64 to vector<2xi64>
  %t1 = arith.shrui %words, %s1 : vector<2xi64>
  %m1 = arith.andi %t1, %seven : vector<2xi64>
  %u1 = arith.shli %m1, %l1 : vector<2xi64>
  %r1 = arith.ori %r0, %u1 : vector<2xi64>
  %s2 = arith.constant dense<6> : vector<2xi64>
  %l2 = arith.constant dense<16> : vector<2xi64>
  %t2 = arith.shrui %words, %s2 : vector<2xi64>
  %m2 = arith.andi %t2, %seven : vector<2xi64>
  %u2 = arith.shli %m2, %l2 : vector<2xi64>
  %r2 = arith.ori %r1, %u2 : vector<2xi64>
  %s3 = arith.constant dense<9> : vector<2xi64>
  %l3 = arith.constant dense<24> : vector<2xi64>
  %t3 = arith.shrui %words, %s3 : vector<2xi64>
  %m3 = arith.andi %t3, %seven : vector<2xi64>
  %u3 = arith.shli %m3, %l3 : vector<2xi64>
  %r3 = arith.ori %r2, %u3 : vector<2xi64>
  %s4 = arith.constant dense<12> : vector<2xi64>
  %l4 = arith.constant dense<32> : vector<2xi64>
  %t4 = arith.shrui %words, %s4 : vector<2xi64>
  %m4 = arith.andi %t4, %seven : vector<2xi64>
  %u4 = arith.shli %m4, %l4 : vector<2xi64>
  %r4 = arith.ori %r3, %u4 : vector<2xi64>
  %s5 = arith.constant dense<15> : vector<2xi64>
  %l5 = arith.constant dense<40> : vector<2xi64>
  %t5 = arith.shrui %words, %s5 : vector<2xi64>
  %m5 = arith.andi %t5, %seven : vector<2xi64>
  %u5 = arith.shli %m5, %l5 : vector<2xi64>
  %r5 = arith.ori %r4, %u5 : vector<2xi64>
  %s6 = arith.constant dense<18> : vector<2xi64>
  %l6 = arith.constant dense<48> : vector<2xi64>
  %t6 = arith.shrui %words, %s6 : vector<2xi64>
  %m6 = arith.andi %t6, %seven : vector<2xi64>
  %u6 = arith.shli %m6, %l6 : vector<2xi64>
  %r6 = arith.ori %r5, %u6 : vector<2xi64>
  %s7 = arith.constant dense<21> : vector<2xi64>
  %l7 = arith.constant dense<56> : vector<2xi64>
  %t7 = arith.shrui %words, %s7 : vector<2xi64>
  %u7 = arith.shli %t7, %l7 : vector<2xi64>
  %r7 = arith.ori %r6, %u7 : vector<2xi64>
  %all = vector.bitcast %r7 : vector<2xi64> to vector<16xi8>
  %mask = arith.constant dense<7> : vector<16xi8>
  %r = arith.andi %all, %mask : vector<16xi8>
  return %r : vector<16xi8>
}

// -----

// The pipeline, on rows that begin inside a byte: a word of 48 bits is eight codes.
// CHECK-LABEL: func.func @rows(
// LLVM-LABEL: llvm.func @rows(
// LLVM: llvm.call_intrinsic "llvm.x86.avx512.pmultishift.qb.256"
func.func @rows(%x: tensor<64x101xf6E3M2FN>, %s: tensor<64x4xf32>) -> tensor<64x101xf32> {
  %r = qdq.dequantize %x scale %s block_shape [1, 32] : (tensor<64x101xf6E3M2FN>, tensor<64x4xf32>) -> tensor<64x101xf32>
  return %r : tensor<64x101xf32>
}

// -----

// Left alone: bits of two vectors, fields too far apart for a word, an amount
// that the run says, few ops, and no register.
// CHECK-LABEL: func.func @left(
// CHECK-NOT: llvm.call_intrinsic
func.func @left(%a: vector<16xi8>, %b: vector<16xi8>, %far: vector<64xi8>, %by: vector<4xi32>, %few: vector<12xi8>)
    -> (vector<16xi8>, vector<16xi8>, vector<16xi8>, vector<16xi8>, vector<12xi8>) {
  %mask = arith.constant dense<15> : vector<16xi8>
  %four = arith.constant dense<4> : vector<4xi32>
  %eight = arith.constant dense<8> : vector<4xi32>
  %twelve = arith.constant dense<12> : vector<4xi32>
  %lows = arith.constant dense<0x0f0f0f0f> : vector<4xi32>
  %mixed = vector.shuffle %a, %b [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23] : vector<16xi8>, vector<16xi8>
  %w = vector.bitcast %mixed : vector<16xi8> to vector<4xi32>
  %w1 = arith.shrui %w, %four : vector<4xi32>
  %w2 = arith.shli %w1, %eight : vector<4xi32>
  %w3 = arith.shrui %w2, %eight : vector<4xi32>
  %w4 = arith.shli %w3, %four : vector<4xi32>
  %w5 = arith.shrui %w4, %four : vector<4xi32>
  %w6 = arith.andi %w5, %lows : vector<4xi32>
  %w7 = vector.bitcast %w6 : vector<4xi32> to vector<16xi8>
  %r0 = arith.andi %w7, %mask : vector<16xi8>

  %spread = vector.shuffle %far, %far [0, 60, 1, 61, 2, 62, 3, 63, 4, 56, 5, 57, 6, 58, 7, 59] : vector<64xi8>, vector<64xi8>
  %v = vector.bitcast %spread : vector<16xi8> to vector<4xi32>
  %v1 = arith.andi %v, %lows : vector<4xi32>
  %v2 = arith.shli %v1, %four : vector<4xi32>
  %v3 = arith.shrui %v2, %four : vector<4xi32>
  %v4 = arith.shli %v3, %four : vector<4xi32>
  %v5 = arith.shrui %v4, %four : vector<4xi32>
  %v6 = arith.ori %v5, %v1 : vector<4xi32>
  %v7 = vector.bitcast %v6 : vector<4xi32> to vector<16xi8>
  %r1 = arith.andi %v7, %mask : vector<16xi8>

  %u = vector.bitcast %a : vector<16xi8> to vector<4xi32>
  %u1 = arith.shrui %u, %by : vector<4xi32>
  %u2 = arith.shrui %u, %twelve : vector<4xi32>
  %u3 = arith.shli %u2, %twelve : vector<4xi32>
  %u4 = arith.ori %u3, %u1 : vector<4xi32>
  %u5 = arith.shrui %u4, %four : vector<4xi32>
  %u6 = arith.andi %u5, %lows : vector<4xi32>
  %u7 = vector.bitcast %u6 : vector<4xi32> to vector<16xi8>
  %r2 = arith.andi %u7, %mask : vector<16xi8>

  %bytes = arith.constant dense<4> : vector<16xi8>
  %t = arith.shrui %a, %bytes : vector<16xi8>
  %r3 = arith.andi %t, %mask : vector<16xi8>

  %short = arith.constant dense<15> : vector<12xi8>
  %r4 = arith.andi %few, %short : vector<12xi8>
  return %r0, %r1, %r2, %r3, %r4 : vector<16xi8>, vector<16xi8>, vector<16xi8>, vector<16xi8>, vector<12xi8>
}

// -----

// The mask is that of the fields, not the wider one of the bytes: the bit above
// a field is of the next one.
// CHECK-LABEL: func.func @wide_mask(
// CHECK-DAG: %[[MASK:.*]] = arith.constant dense<63> : vector<16xi8>
// CHECK: %[[CUT:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmultishift.qb.128"
// CHECK-NEXT: arith.andi %[[CUT]], %[[MASK]]
func.func @wide_mask(%bytes: vector<12xi8>) -> vector<16xi8> {
  %zeros = arith.constant dense<0> : vector<12xi8>
  %by2 = arith.constant dense<2> : vector<4xi32>
  %by4 = arith.constant dense<4> : vector<4xi32>
  %by6 = arith.constant dense<6> : vector<4xi32>
  %second = arith.constant dense<0x3f00> : vector<4xi32>
  %third = arith.constant dense<0x3f0000> : vector<4xi32>
  %fourth = arith.constant dense<0x3f000000> : vector<4xi32>
  %first = arith.constant dense<0x3f> : vector<4xi32>
  %mask = arith.constant dense<127> : vector<16xi8>
  %parts = vector.shuffle %bytes, %zeros [0, 1, 2, 12, 3, 4, 5, 12, 6, 7, 8, 12, 9, 10, 11, 12] : vector<12xi8>, vector<12xi8>
  %words = vector.bitcast %parts : vector<16xi8> to vector<4xi32>
  %0 = arith.andi %words, %first : vector<4xi32>
  %1 = arith.shli %words, %by2 : vector<4xi32>
  %2 = arith.andi %1, %second : vector<4xi32>
  %3 = arith.shli %words, %by4 : vector<4xi32>
  %4 = arith.andi %3, %third : vector<4xi32>
  %5 = arith.shli %words, %by6 : vector<4xi32>
  %6 = arith.andi %5, %fourth : vector<4xi32>
  %7 = arith.ori %0, %2 : vector<4xi32>
  %8 = arith.ori %7, %4 : vector<4xi32>
  %9 = arith.ori %8, %6 : vector<4xi32>
  %codes = vector.bitcast %9 : vector<4xi32> to vector<16xi8>
  %r = arith.andi %codes, %mask : vector<16xi8>
  return %r : vector<16xi8>
}

// -----

// A value that leads back to itself, one that is poison, one of more bits than
// are followed, and a constant whose attribute is wider than its type.
// CHECK-LABEL: module @itself
// CHECK-NOT: llvm.call_intrinsic
module @itself {
  %m = arith.constant dense<7> : vector<16xi8>
  %a = arith.constant dense<1> : vector<16xi8>
  %b = arith.constant dense<2> : vector<16xi8>
  %c = arith.constant dense<4> : vector<16xi8>
  %e0 = arith.ori %r, %a : vector<16xi8>
  %e1 = arith.ori %e0, %b : vector<16xi8>
  %e2 = arith.ori %e1, %c : vector<16xi8>
  %e3 = arith.ori %e2, %r : vector<16xi8>
  %e4 = arith.ori %e3, %e3 : vector<16xi8>
  %e5 = arith.ori %e4, %e3 : vector<16xi8>
  %r = arith.andi %e5, %m : vector<16xi8>
  func.func @poison(%b0: vector<1xi64>) -> vector<16xi8> {
    %mask = arith.constant dense<7> : vector<16xi8>
    %c0 = vector.bitcast %b0 : vector<1xi64> to vector<8xi8>
    %d0 = vector.bitcast %c0 : vector<8xi8> to vector<1xi64>
    %e = vector.extract %d0[-1] : i64 from vector<1xi64>
    %f = vector.broadcast %e : i64 to vector<2xi64>
    %g = vector.bitcast %f : vector<2xi64> to vector<16xi8>
    %h = arith.andi %g, %mask : vector<16xi8>
    return %h : vector<16xi8>
  }
  func.func @large(%b0: vector<4096xi8>) -> vector<16xi8> {
    %mask = arith.constant dense<7> : vector<16xi8>
    %0 = arith.ori %b0, %b0 : vector<4096xi8>
    %1 = vector.shuffle %0, %0 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<4096xi8>, vector<4096xi8>
    %2 = arith.andi %1, %mask : vector<16xi8>
    return %2 : vector<16xi8>
  }  func.func @wide_constant(%b0: vector<16xi8>) -> vector<16xi8> {
    %mask = arith.constant dense<7> : vector<16xi8>
    %zeros = arith.constant dense<0> : vector<4xi32>
    %words = vector.bitcast %b0 : vector<16xi8> to vector<4xi32>
    %three = llvm.mlir.constant(3 : i64) : i32
    %by = vector.broadcast %three : i32 to vector<4xi32>
    %0 = arith.shrui %words, %by : vector<4xi32>
    %1 = arith.ori %0, %zeros : vector<4xi32>
    %2 = arith.ori %1, %0 : vector<4xi32>
    %3 = arith.ori %2, %0 : vector<4xi32>
    %4 = arith.ori %3, %0 : vector<4xi32>
    %5 = vector.bitcast %4 : vector<4xi32> to vector<16xi8>
    %6 = arith.andi %5, %mask : vector<16xi8>
    return %6 : vector<16xi8>
  }
}
