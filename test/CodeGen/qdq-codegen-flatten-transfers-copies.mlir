// RUN: quant-opt %s --qdq-codegen-flatten-transfers | FileCheck %s
// RUN: quant-opt %S/Inputs/padded.mlir --quant-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @into_gaps(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<3x4xi8>) outs(%{{.*}} : memref<3x4xi8, strided<[6, 1], offset: 7>>)
// CHECK-NOT: memref.copy
func.func @into_gaps(%from: memref<3x4xi8>, %to: memref<5x6xi8>) {
  %part = memref.subview %to[1, 1] [3, 4] [1, 1] : memref<5x6xi8> to memref<3x4xi8, strided<[6, 1], offset: 7>>
  memref.copy %from, %part : memref<3x4xi8> to memref<3x4xi8, strided<[6, 1], offset: 7>>
  return
}

// CHECK-LABEL: func.func @whole(
// CHECK: memref.copy
// CHECK: memref.copy
func.func @whole(%from: memref<?x4xi8>, %to: memref<?x4xi8>, %any: memref<*xi8>) {
  memref.copy %from, %to : memref<?x4xi8> to memref<?x4xi8>
  memref.copy %any, %any : memref<*xi8> to memref<*xi8>
  return
}

// No runtime library is called for the copy into what is padded.
// LLVM-LABEL: llvm.func @padded(
// LLVM-NOT: memrefCopy
