// RUN: not --crash mlir-opt %s --expand-strided-metadata 2>&1 | FileCheck %s

// CHECK: PLEASE submit a bug report
func.func @split(%x: memref<?xf32>, %a: index, %b: index) -> memref<?x?xf32> {
  %y = memref.expand_shape %x [[0, 1]] output_shape [%a, %b] : memref<?xf32> into memref<?x?xf32>
  return %y : memref<?x?xf32>
}
