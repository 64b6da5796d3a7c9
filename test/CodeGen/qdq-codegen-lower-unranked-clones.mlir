// RUN: quant-opt %s --qdq-codegen-lower-unranked-clones | FileCheck %s

// The number of elements is the product of the sizes; the copy is flat, and gets the shape again.
// CHECK-LABEL: func.func @unranked(
// CHECK-SAME: %[[X:.*]]: memref<*xf32>) -> memref<*xf32>
// CHECK: %[[RANK:.*]] = memref.rank %[[X]]
// CHECK: %[[SHAPE:.*]] = memref.alloc(%[[RANK]]) : memref<?xindex>
// CHECK: %[[COUNT:.*]] = scf.for %[[D:.*]] = %{{.*}} to %[[RANK]] step %{{.*}} iter_args(%[[PRODUCT:.*]] = %{{.*}}) -> (index) {
// CHECK:   %[[SIZE:.*]] = memref.dim %[[X]], %[[D]]
// CHECK:   memref.store %[[SIZE]], %[[SHAPE]][%[[D]]]
// CHECK:   %[[NEXT:.*]] = arith.muli %[[PRODUCT]], %[[SIZE]]
// CHECK:   scf.yield %[[NEXT]]
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[COUNT]]], strides: [1] : memref<*xf32> to memref<?xf32>
// CHECK: %[[COPY:.*]] = memref.alloc(%[[COUNT]]) : memref<?xf32>
// CHECK: memref.copy %[[FLAT]], %[[COPY]]
// CHECK: %[[Y:.*]] = memref.reshape %[[COPY]](%[[SHAPE]])
// CHECK: memref.dealloc %[[SHAPE]]
// CHECK: return %[[Y]] : memref<*xf32>
func.func @unranked(%x: memref<*xf32>) -> memref<*xf32> {
  %y = bufferization.clone %x : memref<*xf32> to memref<*xf32>
  return %y : memref<*xf32>
}

// A rank that only the result forgets, 0 included, stays until the copy is made.
// CHECK-LABEL: func.func @forgotten(
// CHECK-NEXT: %[[COPY:.*]] = bufferization.clone %arg0 : memref<f32> to memref<f32>
// CHECK-NEXT: memref.cast %[[COPY]] : memref<f32> to memref<*xf32>
func.func @forgotten(%x: memref<f32>) -> memref<*xf32> {
  %y = bufferization.clone %x : memref<f32> to memref<*xf32>
  return %y : memref<*xf32>
}

// Upstream lowers the others.
// CHECK-LABEL: func.func @ranked(
// CHECK-NEXT: bufferization.clone
func.func @ranked(%x: memref<?xf32>) -> memref<?xf32> {
  %y = bufferization.clone %x : memref<?xf32> to memref<?xf32>
  return %y : memref<?xf32>
}
