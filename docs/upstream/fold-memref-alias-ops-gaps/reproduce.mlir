// RUN: mlir-opt %s --fold-memref-alias-ops | FileCheck %s

// Of six rows of two the third begins at element 5; in the read it begins at 15.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[M:.*]]: memref<2x3x5xi8>)
// CHECK: vector.transfer_read %[[M]][{{.*}} : memref<2x3x5xi8>, vector<3x2x2xi8>
func.func @rows(%m: memref<2x3x5xi8>) -> vector<3x2x2xi8> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %s = memref.subview %m[0, 0, 0] [2, 3, 4] [1, 1, 1] : memref<2x3x5xi8> to memref<2x3x4xi8, strided<[15, 5, 1]>>
  %e = memref.expand_shape %s [[0], [1], [2, 3]] output_shape [2, 3, 2, 2]
    : memref<2x3x4xi8, strided<[15, 5, 1]>> into memref<2x3x2x2xi8, strided<[15, 5, 2, 1]>>
  %r = vector.transfer_read %e[%c0, %c0, %c0, %c0], %zero {in_bounds = [true, true, true]}
    : memref<2x3x2x2xi8, strided<[15, 5, 2, 1]>>, vector<3x2x2xi8>
  return %r : vector<3x2x2xi8>
}
