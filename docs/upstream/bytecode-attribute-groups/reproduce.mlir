// One byte of the file changes: the number of entries in the first group of
// attributes, 6 of 6 in the file, becomes 30.
// RUN: mlir-opt %s --emit-bytecode | perl -0777 -pe 's/(\x0d\x3d\x01)\x0d/$1\x3d/' > %t
// RUN: not --crash mlir-opt %t 2>&1 | FileCheck %s

// CHECK: PLEASE submit a bug report
func.func private @f(i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17, i18, i19, i20, i21, i22, i23, i24, i25, i26, i27, i28, i29)
