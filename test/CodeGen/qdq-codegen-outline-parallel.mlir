// RUN: quant-opt %s --qdq-codegen-outline-parallel | FileCheck %s

// CHECK-LABEL: @dynamic(
// CHECK: %[[SEVERAL:.*]] = arith.ori
// CHECK: scf.if %[[SEVERAL]] {
// CHECK:   scf.parallel
// CHECK:     func.call @dynamic.part(
// CHECK: } else {
// CHECK:   scf.for
// CHECK:     scf.for
// CHECK:       func.call @dynamic.part(
func.func @dynamic(%x: memref<?x?xf32>, %c: f32, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %n) step (%c1, %c1) {
    memref.store %c, %x[%i, %j] : memref<?x?xf32>
  }
  return
}

// CHECK-LABEL: @static(
// CHECK-NOT: scf.if
// CHECK: scf.parallel
// CHECK-NEXT: func.call @static.part(
func.func @static(%x: memref<8xf32>, %c: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %c, %x[%i] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @reduction(
// CHECK-NOT: scf.parallel
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (f32)
// CHECK:   %[[E:.*]] = memref.load
// CHECK:   %[[NEXT:.*]] = arith.addf %[[SUM]], %[[E]]
// CHECK:   scf.yield %[[NEXT]]
func.func @reduction(%x: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %e = memref.load %x[%i] : memref<?xf32>
    scf.reduce(%e : f32) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      scf.reduce.return %c : f32
    }
  }
  return %sum : f32
}

// A constant of the body is no argument.
// CHECK-LABEL: @constants(
// CHECK: call @constants.part(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (index, memref<8x16xf32>)
func.func @constants(%x: memref<8x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %ones = arith.constant dense<1.0> : vector<16xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    vector.store %ones, %x[%i, %c0] : memref<8x16xf32>, vector<16xf32>
  }
  return
}

// CHECK: func.func private @dynamic.part(
// CHECK: memref.store
// CHECK: func.func private @static.part(
