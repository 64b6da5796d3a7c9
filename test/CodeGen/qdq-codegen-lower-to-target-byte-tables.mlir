// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=byte-tables --canonicalize | FileCheck %s

// Negative bytes give 0: half of the codes are moved, and each 16 entries correct those before them.
// CHECK-LABEL: func.func @all_bytes(
// CHECK-SAME: %[[TABLE:.*]]: vector<256xi8>, %[[CODES:.*]]: vector<32xi8>
// CHECK-DAG: %[[C16:.*]] = arith.constant dense<16> : vector<32xi8>
// CHECK-DAG: %[[C128:.*]] = arith.constant dense<-128> : vector<32xi8>
// CHECK-DAG: %[[FIRST:.*]] = vector.shuffle %[[TABLE]], %{{.*}} [0, 1, 2, {{.*}}, 14, 15, 0, 1, 2, {{.*}}, 15] :
// CHECK-DAG: %[[NEXT:.*]] = vector.shuffle %[[TABLE]], %{{.*}} [16, 17, 18, {{.*}}, 30, 31, 16, 17, 18, {{.*}}, 31] :
// CHECK: %[[LOW:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%[[FIRST]], %[[CODES]])
// CHECK: %[[LESS:.*]] = llvm.intr.ssub.sat(%[[CODES]], %[[C16]])
// CHECK: %[[CHANGE:.*]] = arith.xori %[[FIRST]], %[[NEXT]]
// CHECK: %[[CORRECTION:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%[[CHANGE]], %[[LESS]])
// CHECK: arith.xori %[[LOW]], %[[CORRECTION]]
// CHECK: %[[MOVED:.*]] = arith.xori %[[CODES]], %[[C128]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%{{.*}}, %[[MOVED]])
// CHECK: arith.ori
func.func @all_bytes(%table: vector<256xi8>, %codes: vector<32xi8>) -> vector<32xi8> {
  %r = qdq.lookup %table[%codes] : (vector<256xi8>, vector<32xi8>) -> vector<32xi8>
  return %r : vector<32xi8>
}
