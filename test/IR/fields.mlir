// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s | quant-opt | FileCheck %s
// RUN: quant-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: quant-opt %s --convert-qdq-to-arith | FileCheck %s --check-prefix=ARITH

// CHECK-LABEL: func.func @extract(
// CHECK: qdq.extract_field %{{.*}} slots(%{{.*}}) strides [4] : (i8, index) -> i4
// CHECK: qdq.extract_field %{{.*}}, %{{.*}}, %{{.*}} slots(%{{.*}}, %{{.*}}) strides [6, 12] : (i8, i8, i8, index, index) -> i6
// CHECK: qdq.extract_field %{{.*}} strides [] : (vector<4xi8>) -> vector<4xi2>
// ARITH-LABEL: func.func @extract(
// ARITH-SAME: %[[A:.*]]: i8, %{{.*}}: i8, %{{.*}}: i8, %{{.*}}: vector<4xi8>, %[[I:.*]]: index, %{{.*}}: index
// ARITH: %[[C4:.*]] = arith.constant 4 : index
// ARITH: %[[BIT:.*]] = arith.muli %[[I]], %[[C4]] : index
// ARITH: %[[N:.*]] = arith.index_castui %[[BIT]] : index to i8
// ARITH: %[[H:.*]] = arith.shrui %[[A]], %[[N]] : i8
// ARITH: arith.trunci %[[H]] : i8 to i4
// ARITH: arith.ori %{{.*}} : i32
// ARITH: arith.ori %{{.*}} : i32
// ARITH: arith.shrui %{{.*}} : i32
// ARITH: arith.trunci %{{.*}} : i32 to i6
// ARITH: arith.trunci %{{.*}} : vector<4xi8> to vector<4xi2>
func.func @extract(%a: i8, %b: i8, %c: i8, %v: vector<4xi8>, %i: index, %j: index) -> (i4, i6, vector<4xi2>) {
  %0 = qdq.extract_field %a slots(%i) strides [4] : (i8, index) -> i4
  %1 = qdq.extract_field %a, %b, %c slots(%i, %j) strides [6, 12] : (i8, i8, i8, index, index) -> i6
  %2 = qdq.extract_field %v strides [] : (vector<4xi8>) -> vector<4xi2>
  return %0, %1, %2 : i4, i6, vector<4xi2>
}

// CHECK-LABEL: func.func @deposit(
// CHECK: qdq.deposit_field %{{.*}} slots(%{{.*}}) strides [4] : (i4, index) -> i8
// ARITH-LABEL: func.func @deposit(
// ARITH: %[[WIDE:.*]] = arith.extui %{{.*}} : i4 to i8
// ARITH: arith.shli %[[WIDE]], %{{.*}} : i8
func.func @deposit(%code: i4, %i: index) -> i8 {
  %0 = qdq.deposit_field %code slots(%i) strides [4] : (i4, index) -> i8
  return %0 : i8
}

// Bytes 0xA7, 0x5C and 0x12 make 0x125CA7: fields of six bits are 39, 50, 37 and 4.
// FOLD-LABEL: func.func @constants(
// FOLD-DAG: %[[E:.*]] = arith.constant 4 : i6
// FOLD-DAG: %[[D:.*]] = arith.constant -27 : i6
// FOLD-DAG: %[[W:.*]] = arith.constant 80 : i8
// FOLD-DAG: %[[L:.*]] = arith.constant dense<[7, 5, 6, 5]> : vector<4xi8>
// FOLD: return %[[E]], %[[D]], %[[W]], %[[L]]
func.func @constants() -> (i6, i6, i8, vector<4xi8>) {
  %a = arith.constant 0xA7 : i8
  %b = arith.constant 0x5C : i8
  %c = arith.constant 0x12 : i8
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  %0 = qdq.extract_field %a, %b, %c slots(%three) strides [6] : (i8, i8, i8, index) -> i6
  %1 = qdq.extract_field %a, %b, %c slots(%two) strides [6] : (i8, i8, i8, index) -> i6
  %code = arith.constant 5 : i4
  %2 = qdq.deposit_field %code slots(%one) strides [4] : (i4, index) -> i8
  %table = arith.constant dense<[5, 6, 7, 8]> : vector<4xi8>
  %indices = arith.constant dense<[2, 4, 253, 0]> : vector<4xi8>
  %3 = qdq.lookup %table[%indices] : (vector<4xi8>, vector<4xi8>) -> vector<4xi8>
  return %0, %1, %2, %3 : i6, i6, i8, vector<4xi8>
}

// A field beyond its word is no constant.
// FOLD-LABEL: func.func @beyond(
// FOLD: qdq.extract_field
// FOLD: qdq.deposit_field
func.func @beyond() -> (i4, i8) {
  %a = arith.constant 7 : i8
  %two = arith.constant 2 : index
  %0 = qdq.extract_field %a slots(%two) strides [4] : (i8, index) -> i4
  %1 = qdq.deposit_field %0 slots(%two) strides [4] : (i4, index) -> i8
  return %0, %1 : i4, i8
}
