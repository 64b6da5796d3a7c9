// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-hoist-reads | FileCheck %s

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

// A scale of each row, before the loop over its vectors: the row exists whether that runs or not.
// CHECK-LABEL: func.func @scale_of_row(
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK:   %[[SLICE:.*]] = tensor.extract_slice %arg1[%[[I]]] [1] [1]
// CHECK:   vector.transfer_read %[[SLICE]]
// CHECK:   scf.for
// CHECK:     vector.transfer_read %arg0
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
      %y = arith.mulf %v, %scale : vector<16xf32>
      %2 = vector.transfer_write %y, %b[%i, %j] {in_bounds = [true]} : vector<16xf32>, tensor<?x?xf32>
      scf.yield %2 : tensor<?x?xf32>
    }
    scf.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}

// Nothing is read, or divided, that need not exist where the loop is not entered: an index of which nothing is known, the
// first element of a tensor that may have none, a divisor that may be zero. A loop reads what it has written.
// CHECK-LABEL: func.func @stays(
// CHECK: scf.for
// CHECK-DAG: tensor.extract %arg0[%arg1]
// CHECK-DAG: tensor.extract %arg0[%{{.*}}c0
// CHECK-DAG: arith.divsi
// CHECK: tensor.extract %{{.*}}[%{{.*}}c0
// CHECK: scf.yield
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

// What a loop that may not be entered does not read stays: behind the end or before the start, behind a guard, a division by what may be nothing.
// CHECK-LABEL: func.func @guarded(
// CHECK-COUNT-2: scf.for
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: tensor.extract
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
