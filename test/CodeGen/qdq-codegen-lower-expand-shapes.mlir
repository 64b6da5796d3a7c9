// RUN: quant-opt %s --qdq-codegen-lower-expand-shapes | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-lower-expand-shapes --expand-strided-metadata --lower-affine --finalize-memref-to-llvm | FileCheck %s --check-prefix=LLVM --implicit-check-not=memref.

// LLVM-LABEL: func.func @contiguous(

// CHECK-LABEL: func.func @contiguous(
// CHECK-SAME: %[[X:.*]]: memref<3x?xf32>, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK: %[[S1:.*]] = affine.apply #{{.*}}()[%[[B]]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [3, %[[A]], %[[B]], 4], strides: [%[[STRIDES]]#0, %[[S1]], 4, 1]
func.func @contiguous(%x: memref<3x?xf32>, %a: index, %b: index) -> memref<3x?x?x4xf32> {
  %y = memref.expand_shape %x [[0], [1, 2, 3]] output_shape [3, %a, %b, 4] : memref<3x?xf32> into memref<3x?x?x4xf32>
  return %y : memref<3x?x?x4xf32>
}

// CHECK-LABEL: func.func @strided(
// CHECK-SAME: %[[X:.*]]: memref<?xf32, strided<[?], offset: ?>>, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %[[STRIDE:.*]] = memref.extract_strided_metadata %[[X]]
// CHECK: %[[S0:.*]] = affine.apply #{{.*}}()[%[[STRIDE]], %[[B]]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%[[A]], %[[B]]], strides: [%[[S0]], %[[STRIDE]]]
func.func @strided(%x: memref<?xf32, strided<[?], offset: ?>>, %a: index, %b: index) -> memref<?x?xf32, strided<[?, ?], offset: ?>> {
  %y = memref.expand_shape %x [[0, 1]] output_shape [%a, %b] : memref<?xf32, strided<[?], offset: ?>> into memref<?x?xf32, strided<[?, ?], offset: ?>>
  return %y : memref<?x?xf32, strided<[?, ?], offset: ?>>
}

// One dynamic size in each group: upstream lowers it.
// CHECK-LABEL: func.func @single(
// CHECK-NEXT: memref.expand_shape
func.func @single(%x: memref<?x?xf32>, %a: index, %b: index) -> memref<?x4x?x2xf32> {
  %y = memref.expand_shape %x [[0, 1], [2, 3]] output_shape [%a, 4, %b, 2] : memref<?x?xf32> into memref<?x4x?x2xf32>
  return %y : memref<?x4x?x2xf32>
}
