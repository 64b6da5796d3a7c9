// RUN: quant-opt %s --qdq-codegen-prefetch-reads --split-input-file | FileCheck %s

// Two rows of 1 KiB side by side, through a view: those 4 KiB ahead are prefetched, in the last iterations the same again. What all rows share is not.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[W:[a-z0-9_]+]]: memref<?x256xf32>, %[[X:[a-z0-9_]+]]: memref<256xf32>
// CHECK: scf.for %[[I:[a-z0-9_]+]] = %{{.*}} to %[[N:[a-z0-9_]+]] step %{{.*}} {
// CHECK: %[[REST:[a-z0-9_]+]] = arith.subi %[[N]], %[[I]]
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[MORE:[a-z0-9_]+]] = arith.cmpi slt, %[[C4]], %[[REST]]
// CHECK: %[[SUM:[a-z0-9_]+]] = arith.addi %[[I]], %[[C4]]
// CHECK: %[[NEXT:[a-z0-9_]+]] = arith.select %[[MORE]], %[[SUM]], %[[I]]
// CHECK: %[[VIEW:[a-z0-9_]+]] = memref.subview %[[W]][%[[I]], 0] [2, 256] [1, 1]
// CHECK: %[[AHEAD:[a-z0-9_]+]] = memref.subview %[[W]][%[[NEXT]], 0] [2, 256] [1, 1]
// CHECK: scf.for %[[J:[a-z0-9_]+]] =
// CHECK-NOT: memref.prefetch %[[X]]
// CHECK: vector.transfer_read %[[X]][%[[J]]]
// CHECK: %[[LAST:[a-z0-9_]+]] = arith.addi %[[J]], %[[C15:[a-z0-9_]+]]
// CHECK: memref.prefetch %[[AHEAD]][%[[C0:[a-z0-9_]+]], %[[LAST]]], read, locality<2>, data
// CHECK: vector.transfer_read %[[VIEW]][%[[C0]], %[[J]]]
// CHECK: %[[LAST1:[a-z0-9_]+]] = arith.addi %[[J]],
// CHECK: memref.prefetch %[[AHEAD]][%[[C1:[a-z0-9_]+]], %[[LAST1]]], read, locality<2>, data
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

// -----

// Rows of blocks: what is read in any loop of a row is prefetched for a later row. Two bytes are not: a longer field of the record is near.
// CHECK-LABEL: func.func @blocks(
// CHECK-SAME: %[[W:[a-z0-9_]+]]: memref<64x8x34xi8>
// CHECK: scf.for %[[I:[a-z0-9_]+]] =
// CHECK: %[[LATER:.*]] = arith.select %{{.*}}, %{{.*}}, %[[I]]
// CHECK: scf.for %[[B:[a-z0-9_]+]] =
// CHECK: memref.prefetch %[[W]][%[[LATER]], %[[B]], %{{.*}}], read
// CHECK: vector.transfer_read {{.*}} vector<32xi8>
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @blocks(%w: memref<64x8x34xi8>, %x: memref<8x2x16xf32>, %y: memref<64xf32>, %none: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %z = arith.constant 0 : i8
  scf.for %i = %c0 to %c64 step %c1 {
    %sums = scf.for %b = %c0 to %c8 step %c1 iter_args(%s = %none) -> (vector<16xf32>) {
      %codes = vector.transfer_read %w[%i, %b, %c2], %z {in_bounds = [true]} : memref<64x8x34xi8>, vector<32xi8>
      %t = scf.for %f = %c0 to %c2 step %c1 iter_args(%u = %s) -> (vector<16xf32>) {
        %v = vector.transfer_read %x[%b, %f, %c0], %zero {in_bounds = [true]} : memref<8x2x16xf32>, vector<16xf32>
        %pair = vector.transfer_read %w[%i, %b, %f], %z {in_bounds = [true]} : memref<64x8x34xi8>, vector<2xi8>
        %first = vector.extract %pair[0] : i8 from vector<2xi8>
        %real = arith.sitofp %first : i8 to f32
        %splat = vector.broadcast %real : f32 to vector<16xf32>
        %a = arith.addf %u, %v : vector<16xf32>
        %a1 = arith.addf %a, %splat : vector<16xf32>
        scf.yield %a1 : vector<16xf32>
      }
      %low = vector.extract_strided_slice %codes {offsets = [0], sizes = [16], strides = [1]} : vector<32xi8> to vector<16xi8>
      %reals = arith.sitofp %low : vector<16xi8> to vector<16xf32>
      %next = arith.addf %t, %reals : vector<16xf32>
      scf.yield %next : vector<16xf32>
    }
    %total = vector.reduction <add>, %sums : vector<16xf32> into f32
    memref.store %total, %y[%i] : memref<64xf32>
  }
  return
}

// -----

// Vectors of indices, and more bytes in a row than 64 bits count.
// CHECK-LABEL: func.func @indices(
// CHECK: memref.prefetch
// CHECK: vector.transfer_read {{.*}} vector<16xindex>
func.func @indices(%w: memref<?x?xindex>, %y: memref<?xf32>, %none: vector<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 4611686018427387904 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 4611686018427387904 : index
  scf.for %i = %c0 to %n step %step {
    %sums = scf.for %j = %c0 to %end step %c1 iter_args(%s = %none) -> (vector<16xf32>) {
      %t = scf.for %k = %c0 to %end step %c1 iter_args(%u = %s) -> (vector<16xf32>) {
        %r = vector.transfer_read %w[%i, %k], %c0 {in_bounds = [true]} : memref<?x?xindex>, vector<16xindex>
        %f = arith.index_cast %r : vector<16xindex> to vector<16xi32>
        %v = arith.sitofp %f : vector<16xi32> to vector<16xf32>
        %a = arith.addf %u, %v : vector<16xf32>
        scf.yield %a : vector<16xf32>
      }
      scf.yield %t : vector<16xf32>
    }
    %total = vector.reduction <add>, %sums : vector<16xf32> into f32
    memref.store %total, %y[%i] : memref<?xf32>
  }
  return
}

// -----

// A step that has no multiple of 64 bits.
// CHECK-LABEL: func.func @large_step(
// CHECK: arith.cmpi slt, %[[STEP:.*]], %{{.*}} : index
// CHECK: memref.prefetch
func.func @large_step(%w: memref<?x16xf32>, %y: memref<?xf32>, %none: vector<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 4611686018427387904 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %step {
    %sums = scf.for %j = %c0 to %c1 step %c1 iter_args(%s = %none) -> (vector<16xf32>) {
      %r = vector.transfer_read %w[%i, %c0], %zero {in_bounds = [true]} : memref<?x16xf32>, vector<16xf32>
      %a = arith.addf %s, %r : vector<16xf32>
      scf.yield %a : vector<16xf32>
    }
    %total = vector.reduction <add>, %sums : vector<16xf32> into f32
    memref.store %total, %y[%i] : memref<?xf32>
  }
  return
}

// -----

// Two blocks of a record of 34 bytes lie in two lines; two that are side by side, in one. Codes that are looked up go to the first cache.
// CHECK-LABEL: func.func @records(
// CHECK-COUNT-2: memref.prefetch %{{.*}}, read, locality<2>, data : memref<8x36x32xi8, strided<[1224, 34, 1], offset: 2>>
// CHECK: vector.transfer_read %{{.*}} vector<2x32xi8>
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data : memref<8x36x32xi8>
// CHECK-NEXT: vector.transfer_read %{{.*}} vector<2x32xi8>
// CHECK: memref.prefetch %{{.*}}, read, locality<3>, data : memref<8x64xi8>
// CHECK: qdq.lookup
func.func @records(%w: memref<8x36x32xi8, strided<[1224, 34, 1], offset: 2>>, %v: memref<8x36x32xi8>, %u: memref<8x64xi8>, %table: vector<16xf32>, %y: memref<8xf32>, %none: vector<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c36 = arith.constant 36 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i8
  scf.for %i = %c0 to %c8 step %c1 {
    %sums = scf.for %j = %c0 to %c36 step %c2 iter_args(%s = %none) -> (vector<64xf32>) {
      %a = vector.transfer_read %w[%i, %j, %c0], %zero {in_bounds = [true, true]} : memref<8x36x32xi8, strided<[1224, 34, 1], offset: 2>>, vector<2x32xi8>
      %b = vector.transfer_read %v[%i, %j, %c0], %zero {in_bounds = [true, true]} : memref<8x36x32xi8>, vector<2x32xi8>
      %c = arith.addi %a, %b : vector<2x32xi8>
      %d = vector.shape_cast %c : vector<2x32xi8> to vector<64xi8>
      %e = arith.sitofp %d : vector<64xi8> to vector<64xf32>
      %t = arith.addf %s, %e : vector<64xf32>
      scf.yield %t : vector<64xf32>
    }
    %a = vector.reduction <add>, %sums : vector<64xf32> into f32
    %looked = scf.for %j = %c0 to %c64 step %c64 iter_args(%s = %none) -> (vector<64xf32>) {
      %c = vector.transfer_read %u[%i, %j], %zero {in_bounds = [true]} : memref<8x64xi8>, vector<64xi8>
      %e = qdq.lookup %table[%c] : (vector<16xf32>, vector<64xi8>) -> vector<64xf32>
      %t = arith.addf %s, %e : vector<64xf32>
      scf.yield %t : vector<64xf32>
    }
    %b = vector.reduction <add>, %looked : vector<64xf32> into f32
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%i] : memref<8xf32>
  }
  return
}
