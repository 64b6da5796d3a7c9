// RUN: quant-opt --qdq-codegen-limit-loops --split-input-file %s | FileCheck %s

// The rest of a row, behind vectors of 16: at most one iteration of the outer
// loop, fewer than 16 of the inner one.

// CHECK-DAG: #[[INTERLEAVE:.*]] = #llvm.loop_interleave<count = 1 : i32>
// CHECK-DAG: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK: #[[LANES_ONLY:.*]] = #llvm.loop_annotation<interleave = #[[INTERLEAVE]], unroll = #[[UNROLL]]>
// CHECK-LABEL: @rest
// CHECK-SAME: (%[[X:.*]]: memref<?xf32>, %[[V:.*]]: f32)
func.func @rest(%x: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // CHECK: %[[SIZE:.*]] = memref.dim
  %size = memref.dim %x, %c0 : memref<?xf32>
  // CHECK: %[[WHOLE:.*]] = affine.apply
  %whole = affine.apply affine_map<()[s0] -> (s0 floordiv 16 * 16)>()[%size]
  // CHECK: %[[SOME:.*]] = arith.cmpi slt, %[[WHOLE]], %[[SIZE]]
  // CHECK: scf.if %[[SOME]] {
  scf.for %i = %whole to %size step %c16 {
    // CHECK: affine.apply #{{.*}}(%[[WHOLE]])[%[[SIZE]]]
    %rest = affine.apply affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%size]
    // CHECK: scf.for
    scf.for %j = %c0 to %rest step %c1 {
      %k = arith.addi %i, %j : index
      memref.store %v, %x[%k] : memref<?xf32>
    }
    // CHECK: } {loop_annotation = #[[LANES_ONLY]]}
  }
  // CHECK: return
  return
}

// -----

// 31 iterations are few, 32 are not; nothing is known of the last loop, and
// LLVM sees by itself how often the one before it runs.

// CHECK-LABEL: @few
func.func @few(%x: memref<?xf32>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %begin = affine.apply affine_map<()[s0] -> (s0 floordiv 32 * 32)>()[%n]
  // CHECK: memref.store
  // CHECK-NEXT: } {loop_annotation = #loop_annotation}
  scf.for %i = %begin to %n step %c1 {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  %end = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%n]
  // CHECK-NOT: loop_annotation
  scf.for %i = %begin to %end step %c1 {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %c3 step %c1 {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  // CHECK: return
  return
}

// -----

// A loop that has a result stays a loop, and so does one around others.

// CHECK-LABEL: @kept
func.func @kept(%x: memref<?xf32>, %v: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %begin = affine.apply affine_map<()[s0] -> (s0 floordiv 16 * 16)>()[%n]
  // CHECK: scf.for {{.*}} iter_args
  // CHECK: } {loop_annotation = #loop_annotation}
  %sum = scf.for %i = %begin to %n step %c16 iter_args(%s = %v) -> f32 {
    %t = arith.addf %s, %s : f32
    scf.yield %t : f32
  }
  // CHECK-NOT: loop_annotation
  // CHECK: return
  scf.for %i = %begin to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %v, %x[%j] : memref<?xf32>
    }
  }
  return %sum : f32
}

// -----

// A loop that compares without signs, and one of which something is said.

// CHECK-LABEL: @as_they_are
func.func @as_they_are(%x: memref<?xf32>, %v: f32, %n: index) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %begin = affine.apply affine_map<()[s0] -> (s0 floordiv 16 * 16)>()[%n]
  // CHECK: scf.for unsigned
  // CHECK-NOT: loop_annotation
  scf.for unsigned %i = %begin to %n step %c16 {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  // CHECK: } {loop_annotation = #[[GIVEN:.*]]}
  scf.for %i = %begin to %n step %c1 {
    memref.store %v, %x[%i] : memref<?xf32>
  } {loop_annotation = #llvm.loop_annotation<mustProgress = true>}
  return
}

// -----

// A copy of a line into a wider one, and a fill. Few neighbors, columns and arithmetic are left to LLVM.

// CHECK-LABEL: @copies
func.func @copies(%x: memref<56x56xf32>, %y: memref<58x58xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  scf.for %i = %c0 to %c56 step %c1 {
    // CHECK: memref.store
    // CHECK-NEXT: } {loop_annotation = #loop_annotation}
    scf.for %j = %c0 to %c56 step %c1 {
      %e = memref.load %x[%i, %j] : memref<56x56xf32>
      %k = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%j]
      memref.store %e, %y[%i, %k] : memref<58x58xf32>
    }
    // CHECK: memref.store
    // CHECK-NEXT: } {loop_annotation = #loop_annotation}
    scf.for %j = %c0 to %c56 step %c1 {
      memref.store %v, %y[%i, %j] : memref<58x58xf32>
    }
    // CHECK-NOT: loop_annotation
    scf.for %j = %c0 to %c4 step %c1 {
      memref.store %v, %y[%i, %j] : memref<58x58xf32>
    }
    scf.for %j = %c0 to %c56 step %c1 {
      memref.store %v, %y[%j, %i] : memref<58x58xf32>
    }
    scf.for %j = %c0 to %c56 step %c1 {
      %e = memref.load %x[%i, %j] : memref<56x56xf32>
      %d = arith.addf %e, %e : f32
      memref.store %d, %y[%i, %j] : memref<58x58xf32>
    }
  }
  // CHECK: return
  return
}

// -----

// Sums of integers in one place.

// CHECK-LABEL: @sums
func.func @sums(%x: memref<4x64xi8>, %y: memref<4xi32>, %z: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %c4 step %c1 {
    // CHECK: scf.for
    scf.for %j = %c0 to %c64 step %c1 {
      %code = memref.load %x[%i, %j] : memref<4x64xi8>
      %sum = memref.load %y[%i] : memref<4xi32>
      %wide = arith.extui %code : i8 to i32
      %next = arith.addi %sum, %wide : i32
      memref.store %next, %y[%i] : memref<4xi32>
    }
    // CHECK: } {loop_annotation = #{{.*}}}
    // CHECK-NEXT: }
  }
  // CHECK: scf.for
  scf.for %j = %c0 to %c64 step %c1 {
    %code = memref.load %x[%c0, %j] : memref<4x64xi8>
    %sum = memref.load %z[%j] : memref<64xi32>
    %wide = arith.extui %code : i8 to i32
    %next = arith.addi %sum, %wide : i32
    memref.store %next, %z[%j] : memref<64xi32>
  }
  // CHECK-NOT: loop_annotation
  // CHECK: return
  return
}
