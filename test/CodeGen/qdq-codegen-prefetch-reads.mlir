// RUN: quant-opt %s --qdq-codegen-prefetch-reads --split-input-file | FileCheck %s

// Two rows side by side, through a view: those of the next two are prefetched, in the last iteration the same again. What all rows share is not.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[W:[a-z0-9_]+]]: memref<?x256xf32>, %[[X:[a-z0-9_]+]]: memref<256xf32>
// CHECK: scf.for %[[I:[a-z0-9_]+]] = %{{.*}} to %[[N:[a-z0-9_]+]] step %[[C2:[a-z0-9_]+]] {
// CHECK: %[[REST:[a-z0-9_]+]] = arith.subi %[[N]], %[[I]]
// CHECK: %[[MORE:[a-z0-9_]+]] = arith.cmpi slt, %[[C2]], %[[REST]]
// CHECK: %[[SUM:[a-z0-9_]+]] = arith.addi %[[I]], %[[C2]]
// CHECK: %[[NEXT:[a-z0-9_]+]] = arith.select %[[MORE]], %[[SUM]], %[[I]]
// CHECK: %[[VIEW:[a-z0-9_]+]] = memref.subview %[[W]][%[[I]], 0] [2, 256] [1, 1]
// CHECK: %[[AHEAD:[a-z0-9_]+]] = memref.subview %[[W]][%[[NEXT]], 0] [2, 256] [1, 1]
// CHECK: scf.for %[[J:[a-z0-9_]+]] =
// CHECK-NOT: memref.prefetch %[[X]]
// CHECK: vector.transfer_read %[[X]][%[[J]]]
// CHECK: %[[LAST:[a-z0-9_]+]] = arith.addi %[[J]], %[[C15:[a-z0-9_]+]]
// CHECK: memref.prefetch %[[AHEAD]][%[[C0:[a-z0-9_]+]], %[[LAST]]], read, locality<3>, data
// CHECK: vector.transfer_read %[[VIEW]][%[[C0]], %[[J]]]
// CHECK: %[[LAST1:[a-z0-9_]+]] = arith.addi %[[J]],
// CHECK: memref.prefetch %[[AHEAD]][%[[C1:[a-z0-9_]+]], %[[LAST1]]], read, locality<3>, data
// CHECK: vector.transfer_read %[[VIEW]][%[[C1]], %[[J]]]
func.func @rows(%w: memref<?x256xf32>, %x: memref<256xf32>, %y: memref<?xf32>, %none: vector<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c2 {
    %rows = memref.subview %w[%i, 0] [2, 256] [1, 1] : memref<?x256xf32> to memref<2x256xf32, strided<[256, 1], offset: ?>>
    %sums:2 = scf.for %j = %c0 to %c256 step %c16 iter_args(%s0 = %none, %s1 = %none) -> (vector<16xf32>, vector<16xf32>) {
      %v = vector.transfer_read %x[%j], %zero {in_bounds = [true]} : memref<256xf32>, vector<16xf32>
      %r0 = vector.transfer_read %rows[%c0, %j], %zero {in_bounds = [true]} : memref<2x256xf32, strided<[256, 1], offset: ?>>, vector<16xf32>
      %r1 = vector.transfer_read %rows[%c1, %j], %zero {in_bounds = [true]} : memref<2x256xf32, strided<[256, 1], offset: ?>>, vector<16xf32>
      %p0 = arith.mulf %r0, %v : vector<16xf32>
      %p1 = arith.mulf %r1, %v : vector<16xf32>
      %t0 = arith.addf %s0, %p0 : vector<16xf32>
      %t1 = arith.addf %s1, %p1 : vector<16xf32>
      scf.yield %t0, %t1 : vector<16xf32>, vector<16xf32>
    }
    %a = vector.reduction <add>, %sums#0 : vector<16xf32> into f32
    memref.store %a, %y[%i] : memref<?xf32>
  }
  return
}

// -----

// An address that is read from memory, or carried by a loop, is not known ahead. Nor is anything prefetched where vectors are not carried.
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @unknown(%w: memref<8x256xf32>, %order: memref<8xindex>, %y: memref<8x256xf32>, %none: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %row = memref.load %order[%i] : memref<8xindex>
    %sums, %last = scf.for %j = %c0 to %c256 step %c16 iter_args(%s = %none, %at = %i) -> (vector<16xf32>, index) {
      %r = vector.transfer_read %w[%row, %j], %zero {in_bounds = [true]} : memref<8x256xf32>, vector<16xf32>
      %q = vector.transfer_read %w[%at, %j], %zero {in_bounds = [true]} : memref<8x256xf32>, vector<16xf32>
      %p = arith.mulf %r, %q : vector<16xf32>
      %t = arith.addf %s, %p : vector<16xf32>
      scf.yield %t, %row : vector<16xf32>, index
    }
    vector.transfer_write %sums, %y[%i, %c0] {in_bounds = [true]} : vector<16xf32>, memref<8x256xf32>
    scf.for %j = %c0 to %c256 step %c16 {
      %r = vector.transfer_read %w[%i, %j], %zero {in_bounds = [true]} : memref<8x256xf32>, vector<16xf32>
      vector.transfer_write %r, %y[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<8x256xf32>
    }
  }
  return
}

// -----

// The next iteration may divide by 0 where its own loop, which would divide, is not entered.
// CHECK-LABEL: func.func @division(
// CHECK-COUNT-1: arith.remui
// CHECK-NOT: arith.remui
// CHECK-NOT: memref.prefetch
func.func @division(%w: memref<8x256xf32>, %y: memref<8x256xf32>, %none: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %rest = arith.subi %c7, %i : index
    %n = arith.minui %rest, %c1 : index
    %end = arith.muli %n, %c256 : index
    %s = scf.for %j = %c0 to %end step %c16 iter_args(%a = %none) -> vector<16xf32> {
      %k = arith.remui %c8, %rest : index
      %v = vector.transfer_read %w[%k, %j], %zero {in_bounds = [true]} : memref<8x256xf32>, vector<16xf32>
      %b = arith.addf %a, %v : vector<16xf32>
      scf.yield %b : vector<16xf32>
    }
    vector.transfer_write %s, %y[%i, %c0] {in_bounds = [true]} : vector<16xf32>, memref<8x256xf32>
  }
  return
}

// -----

// Integer sums, which are those of products of bytes, prefetch nothing.
// CHECK-LABEL: func.func @integers(
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @integers(%w: memref<8x256xi32>, %y: memref<8x256xi32>, %none: vector<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c8 step %c1 {
    %sums = scf.for %j = %c0 to %c256 step %c16 iter_args(%s = %none) -> (vector<16xi32>) {
      %r = vector.transfer_read %w[%i, %j], %zero {in_bounds = [true]} : memref<8x256xi32>, vector<16xi32>
      %t = arith.addi %s, %r : vector<16xi32>
      scf.yield %t : vector<16xi32>
    }
    vector.transfer_write %sums, %y[%i, %c0] {in_bounds = [true]} : vector<16xi32>, memref<8x256xi32>
  }
  return
}
