// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-hoist-loop-invariants | FileCheck %s

// A scale and a zero point of the tensor, before both loops; what the loops read and write stays.
// CHECK-LABEL: func.func @scale_of_tensor(
// CHECK: %[[S:.*]] = vector.transfer_read %arg1[]
// CHECK: %[[CODE:.*]] = tensor.extract %arg2[]
// CHECK: %[[Z:.*]] = arith.sitofp %[[CODE]]
// CHECK: %[[ZEROS:.*]] = vector.broadcast %[[Z]]
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK:   %[[X:.*]] = vector.transfer_read %arg0
// CHECK:   %[[D:.*]] = arith.subf %[[X]], %[[ZEROS]]
// CHECK:   arith.mulf %[[D]], %[[S]]
// CHECK:   vector.transfer_write
func.func @scale_of_tensor(%x: tensor<4x64xf32>, %s: tensor<f32>, %z: tensor<i8>, %init: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %pad = ub.poison : f32
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> tensor<4x64xf32> {
    %1 = scf.for %j = %c0 to %c64 step %c16 iter_args(%b = %a) -> tensor<4x64xf32> {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : tensor<4x64xf32>, vector<16xf32>
      %scale = vector.transfer_read %s[], %pad {in_bounds = [true], permutation_map = affine_map<() -> (0)>} : tensor<f32>, vector<16xf32>
      %code = tensor.extract %z[] : tensor<i8>
      %zero = arith.sitofp %code : i8 to f32
      %zeros = vector.broadcast %zero : f32 to vector<16xf32>
      %d = arith.subf %v, %zeros : vector<16xf32>
      %y = arith.mulf %d, %scale : vector<16xf32>
      %2 = vector.transfer_write %y, %b[%i, %j] {in_bounds = [true]} : vector<16xf32>, tensor<4x64xf32>
      scf.yield %2 : tensor<4x64xf32>
    }
    scf.yield %1 : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// A scale of each row, before the loop over its vectors, if there are any. What is computed of it is no read.
// CHECK-LABEL: func.func @scale_of_row(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: tensor<?x?xf32>)
// CHECK: %[[ENTERED:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : index
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK:   %[[SCALE:.*]] = scf.if %[[ENTERED]] -> (vector<16xf32>) {
// CHECK-NEXT: %[[SLICE:.*]] = tensor.extract_slice %arg1[%[[I]]] [1] [1]
// CHECK-NEXT: %[[READ:.*]] = vector.transfer_read %[[SLICE]]
// CHECK-NEXT: scf.yield %[[READ]]
// CHECK-NEXT: } else {
// CHECK:   %[[FACTOR:.*]] = arith.negf %[[SCALE]]
// CHECK:   scf.for
// CHECK-NEXT: vector.transfer_read %arg0
// CHECK-NEXT: arith.mulf %{{.*}}, %[[FACTOR]]
func.func @scale_of_row(%x: tensor<?x?xf32>, %s: tensor<?xf32>, %m: index, %n: index, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = ub.poison : f32
  %0 = scf.for %i = %c0 to %m step %c1 iter_args(%a = %init) -> tensor<?x?xf32> {
    %1 = scf.for %j = %c0 to %n step %c16 iter_args(%b = %a) -> tensor<?x?xf32> {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : tensor<?x?xf32>, vector<16xf32>
      %slice = tensor.extract_slice %s[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
      %scale = vector.transfer_read %slice[%c0], %pad {in_bounds = [true], permutation_map = affine_map<(d0) -> (0)>} : tensor<1xf32>, vector<16xf32>
      %factor = arith.negf %scale : vector<16xf32>
      %y = arith.mulf %v, %factor : vector<16xf32>
      %2 = vector.transfer_write %y, %b[%i, %j] {in_bounds = [true]} : vector<16xf32>, tensor<?x?xf32>
      scf.yield %2 : tensor<?x?xf32>
    }
    scf.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}

// What need not exist where the loop is not entered is read behind a branch: at an index of which nothing is known, the
// first element of a tensor that may have none. A division stays, and a loop reads what it has written.
// CHECK-LABEL: func.func @stays(
// CHECK: scf.if
// CHECK-NEXT: tensor.extract %arg0[%arg1]
// CHECK-NEXT: tensor.extract %arg0[%{{.*}}c0
// CHECK-NEXT: scf.yield
// CHECK: scf.for
// CHECK-NEXT: arith.divsi
// CHECK-NEXT: tensor.extract %{{.*}}[%{{.*}}c0
func.func @stays(%s: tensor<?xi32>, %k: index, %n: index, %d: i32, %init: tensor<8xi32>) -> tensor<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> tensor<8xi32> {
    %p = tensor.extract %s[%k] : tensor<?xi32>
    %q = tensor.extract %s[%c0] : tensor<?xi32>
    %r = arith.divsi %d, %d : i32
    %t = tensor.extract %a[%c0] : tensor<8xi32>
    %u = arith.addi %p, %q : i32
    %v = arith.addi %r, %t : i32
    %w = arith.addi %u, %v : i32
    %1 = tensor.insert %w into %a[%i] : tensor<8xi32>
    scf.yield %1 : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}

// Each thread reads the scale once.
// CHECK-LABEL: func.func @threads(
// CHECK: scf.forall
// CHECK: vector.transfer_read %arg1[]
// CHECK: scf.for
func.func @threads(%x: tensor<4x64xf32>, %s: tensor<f32>, %init: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %pad = ub.poison : f32
  %0 = scf.forall (%i) in (4) shared_outs(%a = %init) -> tensor<4x64xf32> {
    %row = tensor.extract_slice %a[%i, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %1 = scf.for %j = %c0 to %c64 step %c16 iter_args(%b = %row) -> tensor<64xf32> {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : tensor<4x64xf32>, vector<16xf32>
      %scale = vector.transfer_read %s[], %pad {in_bounds = [true], permutation_map = affine_map<() -> (0)>} : tensor<f32>, vector<16xf32>
      %y = arith.mulf %v, %scale : vector<16xf32>
      %2 = vector.transfer_write %y, %b[%j] {in_bounds = [true]} : vector<16xf32>, tensor<64xf32>
      scf.yield %2 : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %a[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    }
  }
  return %0 : tensor<4x64xf32>
}

// Behind the end, behind the start, at what an outer loop counts: where there is an iteration.
// CHECK-LABEL: func.func @guarded(
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: scf.yield
// CHECK: scf.for
// CHECK-NEXT: affine.apply
func.func @guarded(%s: tensor<?xf32>, %t: tensor<8xf32>, %n: index, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %before = arith.constant -1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> tensor<?x?xf32> {
    %next = arith.addi %i, %c1 : index
    %rest = arith.subi %n, %next : index
    %1 = scf.for %j = %c0 to %rest step %c1 iter_args(%b = %a) -> tensor<?x?xf32> {
      %v = tensor.extract %s[%next] : tensor<?xf32>
      %w = tensor.extract %t[%c8] : tensor<8xf32>
      %u = tensor.extract %t[%before] : tensor<8xf32>
      %k = affine.apply affine_map<()[s0, s1] -> (s0 floordiv s1)>()[%i, %n]
      %sum = arith.addf %v, %w : f32
      %all = arith.addf %sum, %u : f32
      %2 = tensor.insert %all into %b[%k, %j] : tensor<?x?xf32>
      scf.yield %2 : tensor<?x?xf32>
    }
    scf.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}

// No iteration, for all that is known: no remainder, which upstream takes for total.
// CHECK-LABEL: func.func @never_entered(
// CHECK-NOT: arith.{{rem|floor}}
// CHECK: scf.for
// CHECK-NEXT: arith.remui
// CHECK-NEXT: arith.remsi
// CHECK-NEXT: arith.floordivsi
// CHECK-NOT: arith.{{rem|floor}}
// CHECK: scf.for
// CHECK-NEXT: arith.remui
func.func @never_entered(%a: i32, %b: i32, %step: index, %init: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %i = %c5 to %c3 step %c1 iter_args(%t = %init) -> tensor<8xi32> {
    %p = arith.remui %a, %b : i32
    %q = arith.remsi %a, %b : i32
    %r = arith.floordivsi %a, %b : i32
    %s = arith.addi %p, %q : i32
    %u = arith.addi %s, %r : i32
    %1 = tensor.insert %u into %t[%i] : tensor<8xi32>
    scf.yield %1 : tensor<8xi32>
  }
  %2 = scf.for %i = %c3 to %c5 step %step iter_args(%t = %init) -> tensor<8xi32> {
    %p = arith.remui %a, %b : i32
    %1 = tensor.insert %p into %t[%i] : tensor<8xi32>
    scf.yield %1 : tensor<8xi32>
  }
  return %0, %2 : tensor<8xi32>, tensor<8xi32>
}

// An iteration comes to what it reads first, but may not come to what it reads after an assertion.
// CHECK-LABEL: func.func @asserted(
// CHECK: tensor.extract %arg1
// CHECK: scf.for
// CHECK-NEXT: cf.assert
// CHECK-NEXT: tensor.extract %arg0
func.func @asserted(%s: tensor<?xf32>, %t: tensor<?xf32>, %k: index, %ok: i1, %init: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %init) -> tensor<8xf32> {
    %first = tensor.extract %t[%k] : tensor<?xf32>
    cf.assert %ok, "k is no index"
    %v = tensor.extract %s[%k] : tensor<?xf32>
    %w = arith.addf %v, %first : f32
    %1 = tensor.insert %w into %a[%i] : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// Only divisors that are no 0 and, with a sign, no -1 in any element.
// CHECK-LABEL: func.func @divisors(
// CHECK: arith.divsi {{.*}} {hoisted}
// CHECK: arith.divui {{.*}} {hoisted}
// CHECK: affine.delinearize_index {{.*}} {hoisted}
// CHECK: scf.for
// CHECK-NEXT: arith.divui
// CHECK-NEXT: arith.divsi
// CHECK-NEXT: affine.delinearize_index
func.func @divisors(%a: vector<2xi32>, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %good = arith.constant dense<[2, 3]> : vector<2xi32>
  %zero = arith.constant dense<[2, 0]> : vector<2xi32>
  %minus = arith.constant dense<[2, -1]> : vector<2xi32>
  scf.for %k = %c0 to %n step %c1 {
    %0 = arith.divsi %a, %good {hoisted} : vector<2xi32>
    %1 = arith.divui %a, %minus {hoisted} : vector<2xi32>
    %2:2 = affine.delinearize_index %i into (4, 8) {hoisted} : index, index
    %3 = arith.divui %a, %zero : vector<2xi32>
    %4 = arith.divsi %a, %minus : vector<2xi32>
    %5:2 = affine.delinearize_index %i into (4, %n) : index, index
    "test.use"(%0, %1, %3, %4, %2#0, %5#0) : (vector<2xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>, index, index) -> ()
  }
  return
}

// The bounds of a loop without signs are compared so. A read of vectors of open length stays.
// CHECK-LABEL: func.func @without_signs(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK: %[[ENTERED:.*]] = arith.cmpi ult, %{{.*}}, %[[N]] : index
// CHECK: scf.if %[[ENTERED]]
// CHECK-NEXT: tensor.extract
// CHECK: scf.for unsigned
// CHECK: vector.transfer_read
func.func @without_signs(%n: index, %s: tensor<?xf32>, %x: tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = ub.poison : f32
  scf.for unsigned %k = %c0 to %n step %c1 {
    %0 = tensor.extract %s[%c0] : tensor<?xf32>
    "test.use"(%0) : (f32) -> ()
    %1 = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : tensor<64xf32>, vector<[4]xf32>
    "test.use"(%1) : (vector<[4]xf32>) -> ()
  }
  return
}
