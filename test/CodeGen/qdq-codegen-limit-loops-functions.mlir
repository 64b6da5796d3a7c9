// RUN: quant-opt %s --split-input-file --qdq-codegen-limit-loops=min-loops=3 | FileCheck %s
// RUN: quant-opt %s --split-input-file --qdq-codegen-limit-loops \
// RUN:   | FileCheck %s --check-prefix=SMALL

// Ops for the loops alone move along, and so do constants. Others are arguments
// and results.
// CHECK-LABEL: func.func @three(
// CHECK-NEXT: %[[R:.*]]:2 = call @three.loops(%{{.*}}, %{{.*}}) : (memref<?xf32>, f32) -> (index, f32)
// CHECK-NEXT: return %[[R]]#1, %[[R]]#0
// CHECK: func.func private @three.loops(
// CHECK-SAME: llvm.linkage = #llvm.linkage<internal>
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: memref.dim
// CHECK: scf.for
// CHECK: %[[HALF:.*]] = arith.divui
// CHECK: scf.if
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: return %[[HALF]], %[[SUM]]

// SMALL-LABEL: func.func @three(
// SMALL-NOT: call
// SMALL: scf.for
func.func @three(%x: memref<?xf32>, %c: f32) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %c, %x[%i] : memref<?xf32>
  }
  %half = arith.divui %n, %c1 : index
  %any = arith.cmpi sgt, %half, %c0 : index
  scf.if %any {
    memref.store %c, %x[%c0] : memref<?xf32>
  }
  %sum = scf.for %i = %c0 to %half step %c1 iter_args(%a = %c) -> f32 {
    %e = memref.load %x[%i] : memref<?xf32>
    %b = arith.addf %a, %e : f32
    scf.yield %b : f32
  }
  return %sum, %half : f32, index
}

// -----

// Memory on the stack stays in its function.
// CHECK-LABEL: func.func @stack(
// CHECK-NOT: call
func.func @stack(%c: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = memref.alloca() : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %c, %x[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %c, %x[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %c, %x[%i] : memref<8xf32>
  }
  return
}

// -----

// Parts of 16 loops. An op between two parts stays where it is.
// CHECK-LABEL: func.func @parts(
// CHECK: call @parts.loops_0(
// CHECK: %[[A:.*]] = memref.load
// CHECK: call @parts.loops(%[[A]],
func.func @parts(%x: memref<8xf32>, %c: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  %a = memref.load %x[%c0] : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 { memref.store %a, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %c, %x[%i] : memref<8xf32> }
  scf.for %i = %c0 to %c8 step %c1 { memref.store %a, %x[%i] : memref<8xf32> }
  return
}
