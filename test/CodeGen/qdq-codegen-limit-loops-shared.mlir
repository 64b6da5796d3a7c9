// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-limit-loops="min-loops=2 min-shared=3" --split-input-file | FileCheck %s

// Buffers and numbers that differ are arguments; a number of all loops moves along.
// CHECK-LABEL: func.func @layers(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2.0
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3.0
// CHECK: call @layers.shared({{.*}})
// CHECK-NEXT: call @layers.shared({{.*}})
// CHECK-NEXT: return
// CHECK: func.func private @layers.shared(%[[A:.*]]: {{.*}}, %[[B:.*]]: {{.*}}, %[[C:.*]]: {{[^)]*}}) attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]}
// CHECK: arith.constant 1.0
// CHECK: scf.for
func.func @layers(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = arith.mulf %a, %two : f32
    %c = arith.addf %b, %one : f32
    memref.store %c, %y[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %y[%i] : memref<8xf32>
    %b = arith.mulf %a, %three : f32
    %c = arith.addf %b, %one : f32
    memref.store %c, %x[%i] : memref<8xf32>
  }
  return
}

// -----

// One argument for `%x` of the first loop cannot be both `%x` and `%y` of the second.
// CHECK-LABEL: func.func @other_reads(
// CHECK-NOT: shared
func.func @other_reads(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = memref.load %x[%i] : memref<8xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %z[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = memref.load %y[%i] : memref<8xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %z[%i] : memref<8xf32>
  }
  return
}

// -----

// Other bounds, other types and other ops are other loops.
// CHECK-LABEL: func.func @unlike(
// CHECK-NOT: shared
func.func @unlike(%x: memref<8xf32>, %y: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = arith.negf %a : f32
    memref.store %b, %x[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = arith.negf %a : f32
    memref.store %b, %x[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %y[%i] : memref<9xf32>
    %b = arith.negf %a : f32
    memref.store %b, %y[%i] : memref<9xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = math.absf %a : f32
    memref.store %b, %x[%i] : memref<8xf32>
  }
  return
}
