// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-expand-divisions | FileCheck %s
// RUN: quant-opt %s --qdq-expand-divisions --qdq-hoist-reads | FileCheck %s --check-prefix=HOISTED

// CHECK-LABEL: func.func @scalar_scale(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>, %[[SCALAR:.*]]: f32)
// CHECK: %[[S:.*]] = vector.broadcast %[[SCALAR]]
// CHECK: %[[LOW:.*]] = arith.constant 8.67361737E-19 : f32
// CHECK: arith.cmpf oge, %[[SCALAR]], %[[LOW]]
// CHECK: %[[HIGH:.*]] = arith.constant 1.1529215E+18 : f32
// CHECK: arith.cmpf ole, %[[SCALAR]], %[[HIGH]]
// CHECK: %[[IN_RANGE:.*]] = arith.andi
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[DIVIDED:.*]] = arith.divf %[[ONE]], %[[SCALAR]]
// CHECK: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK: %[[CHOSEN:.*]] = arith.select %[[IN_RANGE]], %[[DIVIDED]], %[[NAN]]
// CHECK: %[[R:.*]] = vector.broadcast %[[CHOSEN]]
// CHECK: %[[Q:.*]] = arith.mulf %[[X]], %[[R]]
// CHECK: %[[MINUS_X:.*]] = arith.negf %[[X]]
// CHECK: %[[EXCESS:.*]] = math.fma %[[Q]], %[[S]], %[[MINUS_X]]
// CHECK: %[[REST:.*]] = arith.negf %[[EXCESS]]
// CHECK: %[[CORRECTED:.*]] = math.fma %[[REST]], %[[R]], %[[Q]]
// CHECK: %[[IS_NAN:.*]] = arith.cmpf uno, %[[CORRECTED]], %[[CORRECTED]]
// CHECK: %[[HAS_NAN:.*]] = vector.reduction <or>, %[[IS_NAN]]
// CHECK: %[[RESULT:.*]] = scf.if %[[HAS_NAN]]
// CHECK:   %[[QUOTIENT:.*]] = arith.divf %[[X]], %[[S]]
// CHECK:   scf.yield %[[QUOTIENT]]
// CHECK: } else {
// CHECK:   scf.yield %[[CORRECTED]]
// CHECK: math.roundeven %[[RESULT]]
func.func @scalar_scale(%x: vector<16xf32>, %s: f32) -> vector<16xf32> {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %q = arith.divf %x, %v : vector<16xf32>
  %r = math.roundeven %q : vector<16xf32>
  return %r : vector<16xf32>
}

// The reciprocal is computed once, before both loops, if qdq-hoist-reads follows.
// HOISTED-LABEL: func.func @scale_of_tensor(
// HOISTED: %[[SCALAR:.*]] = tensor.extract %arg1[] : tensor<f32>
// HOISTED: arith.divf %{{.*}}, %[[SCALAR]] : f32
// HOISTED: scf.for
// HOISTED-NOT: arith.divf
// HOISTED: scf.for
// HOISTED-NOT: arith.divf
// HOISTED: scf.if
// HOISTED: arith.divf %{{.*}} : vector<16xf32>
func.func @scale_of_tensor(%x: tensor<4x64xf32>, %s: tensor<f32>, %init: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %pad = ub.poison : f32
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> tensor<4x64xf32> {
    %1 = scf.for %j = %c0 to %c64 step %c16 iter_args(%b = %a) -> tensor<4x64xf32> {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : tensor<4x64xf32>, vector<16xf32>
      %w = vector.transfer_read %s[], %pad {in_bounds = [true], permutation_map = affine_map<() -> (0)>} : tensor<f32>, vector<16xf32>
      %q = arith.divf %v, %w : vector<16xf32>
      %r = math.roundeven %q : vector<16xf32>
      %2 = vector.transfer_write %r, %b[%i, %j] {in_bounds = [true]} : vector<16xf32>, tensor<4x64xf32>
      scf.yield %2 : tensor<4x64xf32>
    }
    scf.yield %1 : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// Each row divides by the same vectors: their reciprocals become a tensor before the loop over rows.
// CHECK-LABEL: func.func @scale_for_each_column(
// CHECK: %[[EMPTY:.*]] = tensor.empty(%{{.*}}) : tensor<?xf32>
// CHECK: %[[RECIPROCALS:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<?xf32>) outs(%[[EMPTY]] : tensor<?xf32>)
// CHECK:   arith.divf %{{.*}} : f32
// CHECK: scf.for
// CHECK:   scf.for %[[J:[a-z0-9]+]] =
// CHECK:     %[[S:.*]] = tensor.extract_slice %arg1[%[[J]]] [16] [1]
// CHECK:     vector.transfer_read %[[S]]
// CHECK:     %[[SLICE:.*]] = tensor.extract_slice %[[RECIPROCALS]][%[[J]]] [16] [1]
// CHECK:     %[[R:.*]] = vector.transfer_read %[[SLICE]]
// CHECK:     arith.mulf %{{.*}}, %[[R]]
func.func @scale_for_each_column(%x: tensor<4x?xf32>, %s: tensor<?xf32>, %n: index, %init: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %pad = ub.poison : f32
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> tensor<4x?xf32> {
    %1 = scf.for %j = %c0 to %n step %c16 iter_args(%b = %a) -> tensor<4x?xf32> {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : tensor<4x?xf32>, vector<16xf32>
      %slice = tensor.extract_slice %s[%j] [16] [1] : tensor<?xf32> to tensor<16xf32>
      %w = vector.transfer_read %slice[%c0], %pad {in_bounds = [true]} : tensor<16xf32>, vector<16xf32>
      %q = arith.divf %v, %w : vector<16xf32>
      %r = math.roundeven %q : vector<16xf32>
      %2 = vector.transfer_write %r, %b[%i, %j] {in_bounds = [true]} : vector<16xf32>, tensor<4x?xf32>
      scf.yield %2 : tensor<4x?xf32>
    }
    scf.yield %1 : tensor<4x?xf32>
  }
  return %0 : tensor<4x?xf32>
}

// A clamp, a look at NaN, a zero point that is added before, a cast to a float that has no tiny values.
// CHECK-LABEL: func.func @roundings(
// CHECK-COUNT-3: scf.if
func.func @roundings(%x: vector<16xf32>, %z: vector<16xf32>) -> (vector<16xi1>, vector<16xf32>, vector<16xi32>, vector<16xf8E5M2>) {
  %s = arith.constant dense<0.1> : vector<16xf32>
  %low = arith.constant dense<-128.0> : vector<16xf32>
  %q = arith.divf %x, %s : vector<16xf32>
  %nan = arith.cmpf uno, %q, %q : vector<16xf32>
  %above = arith.cmpf ogt, %q, %low : vector<16xf32>
  %clamped = arith.select %above, %q, %low : vector<16xi1>, vector<16xf32>
  %r = math.round %clamped : vector<16xf32>
  %p = arith.divf %z, %s : vector<16xf32>
  %sum = arith.addf %p, %z : vector<16xf32>
  %t = math.trunc %sum : vector<16xf32>
  %c = arith.fptosi %t : vector<16xf32> to vector<16xi32>
  %o = arith.divf %low, %s : vector<16xf32>
  %f = arith.truncf %o : vector<16xf32> to vector<16xf8E5M2>
  return %nan, %r, %c, %f : vector<16xi1>, vector<16xf32>, vector<16xi32>, vector<16xf8E5M2>
}

// Tiny quotients matter: to floor and ceil, to bf16, to who else reads the quotient, to a comparison; and, after a
// sum, to f8, to the sign of zero, and to another sum.
// CHECK-LABEL: func.func @tiny_quotients(
// CHECK-NOT: scf.if
// CHECK: return
func.func @tiny_quotients(%x: vector<16xf32>, %s: f32) -> (vector<16xf32>, vector<16xbf16>, vector<16xf32>, vector<16xf32>, vector<16xi1>, vector<16xf32>, vector<16xf8E4M3FN>, vector<16xf32>, vector<16xi32>) {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %q0 = arith.divf %x, %v : vector<16xf32>
  %r0 = math.floor %q0 : vector<16xf32>
  %y = arith.addf %x, %v : vector<16xf32>
  %q1 = arith.divf %y, %v : vector<16xf32>
  %r1 = arith.truncf %q1 : vector<16xf32> to vector<16xbf16>
  %w = arith.addf %y, %v : vector<16xf32>
  %q2 = arith.divf %w, %v : vector<16xf32>
  %r2 = math.roundeven %q2 : vector<16xf32>
  %u = arith.addf %w, %v : vector<16xf32>
  %q3 = arith.divf %u, %v : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %positive = arith.cmpf ogt, %q3, %zero : vector<16xf32>
  %r3 = math.roundeven %q3 : vector<16xf32>
  %t = arith.addf %u, %v : vector<16xf32>
  %q4 = arith.divf %t, %v : vector<16xf32>
  %sum = arith.addf %q4, %v : vector<16xf32>
  %r4 = arith.truncf %sum : vector<16xf32> to vector<16xf8E4M3FN>
  %p = arith.addf %t, %v : vector<16xf32>
  %q5 = arith.divf %p, %v : vector<16xf32>
  %sum5 = arith.addf %q5, %v : vector<16xf32>
  %r5 = math.roundeven %sum5 : vector<16xf32>
  %o = arith.addf %p, %v : vector<16xf32>
  %q6 = arith.divf %o, %v : vector<16xf32>
  %sum6 = arith.addf %q6, %v : vector<16xf32>
  %sums = arith.addf %sum6, %v : vector<16xf32>
  %r6 = math.roundeven %sums : vector<16xf32>
  %c6 = arith.fptosi %r6 : vector<16xf32> to vector<16xi32>
  return %r0, %r1, %q2, %r2, %positive, %r3, %r4, %r5, %c6 : vector<16xf32>, vector<16xbf16>, vector<16xf32>, vector<16xf32>, vector<16xi1>, vector<16xf32>, vector<16xf8E4M3FN>, vector<16xf32>, vector<16xi32>
}

// A reciprocal costs as much as a quotient. f64 and scalars stay, too.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: scf.if
// CHECK: return
func.func @others(%x: vector<16xf32>, %s: vector<16xf32>, %d: vector<8xf64>, %e: f64, %a: f32, %b: f32) -> (vector<16xf32>, vector<8xf64>, f32) {
  %q = arith.divf %x, %s : vector<16xf32>
  %r = math.roundeven %q : vector<16xf32>
  %v = vector.broadcast %e : f64 to vector<8xf64>
  %p = arith.divf %d, %v : vector<8xf64>
  %t = math.roundeven %p : vector<8xf64>
  %o = arith.divf %a, %b : f32
  %u = math.roundeven %o : f32
  return %r, %t, %u : vector<16xf32>, vector<8xf64>, f32
}

// Loop k divides by one vector, j by another, i by those of another row: all reciprocals are computed once, before i.
// CHECK-LABEL: func.func @reciprocals_once(
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<4x64xf32>)
// CHECK: scf.for
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @reciprocals_once(%x: tensor<4x8x64xf32>, %s: tensor<4x64xf32>, %init: tensor<4x8x64xf32>) -> tensor<4x8x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %pad = ub.poison : f32
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> tensor<4x8x64xf32> {
    %1 = scf.for %k = %c0 to %c8 step %c1 iter_args(%b = %a) -> tensor<4x8x64xf32> {
      %2 = scf.for %j = %c0 to %c64 step %c16 iter_args(%c = %b) -> tensor<4x8x64xf32> {
        %v = vector.transfer_read %x[%i, %k, %j], %pad {in_bounds = [true]} : tensor<4x8x64xf32>, vector<16xf32>
        %w = vector.transfer_read %s[%i, %j], %pad {in_bounds = [true]} : tensor<4x64xf32>, vector<16xf32>
        %q = arith.divf %v, %w : vector<16xf32>
        %r = math.roundeven %q : vector<16xf32>
        %3 = vector.transfer_write %r, %c[%i, %k, %j] {in_bounds = [true]} : vector<16xf32>, tensor<4x8x64xf32>
        scf.yield %3 : tensor<4x8x64xf32>
      }
      scf.yield %2 : tensor<4x8x64xf32>
    }
    scf.yield %1 : tensor<4x8x64xf32>
  }
  return %0 : tensor<4x8x64xf32>
}

// Lanes that do not exist divide by a padding, which is in no tensor of reciprocals. Three rows are too few for one.
// CHECK-LABEL: func.func @no_tensor_of_reciprocals(
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @no_tensor_of_reciprocals(%x: tensor<4x32xf32>, %s: tensor<40xf32>, %t: tensor<32xf32>, %init: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %two = arith.constant 2.0 : f32
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> tensor<4x32xf32> {
    %1 = scf.for %j = %c0 to %c32 step %c16 iter_args(%b = %a) -> tensor<4x32xf32> {
      %k = arith.addi %j, %c16 : index
      %v = vector.transfer_read %x[%i, %j], %two {in_bounds = [true]} : tensor<4x32xf32>, vector<16xf32>
      %w = vector.transfer_read %s[%k], %two : tensor<40xf32>, vector<16xf32>
      %q = arith.divf %v, %w : vector<16xf32>
      %r = math.roundeven %q : vector<16xf32>
      %2 = vector.transfer_write %r, %b[%i, %j] {in_bounds = [true]} : vector<16xf32>, tensor<4x32xf32>
      scf.yield %2 : tensor<4x32xf32>
    }
    scf.yield %1 : tensor<4x32xf32>
  }
  %3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %0) -> tensor<4x32xf32> {
    %4 = scf.for %j = %c0 to %c32 step %c16 iter_args(%b = %a) -> tensor<4x32xf32> {
      %v = vector.transfer_read %x[%i, %j], %two {in_bounds = [true]} : tensor<4x32xf32>, vector<16xf32>
      %w = vector.transfer_read %t[%j], %two {in_bounds = [true]} : tensor<32xf32>, vector<16xf32>
      %q = arith.divf %v, %w : vector<16xf32>
      %r = math.roundeven %q : vector<16xf32>
      %5 = vector.transfer_write %r, %b[%i, %j] {in_bounds = [true]} : vector<16xf32>, tensor<4x32xf32>
      scf.yield %5 : tensor<4x32xf32>
    }
    scf.yield %4 : tensor<4x32xf32>
  }
  return %3 : tensor<4x32xf32>
}

// A scale at an unknown index is read only if the loop has an iteration.
// HOISTED-LABEL: func.func @read_in_the_loop(
// HOISTED: scf.if
// HOISTED-NEXT: tensor.extract
// HOISTED: scf.for
func.func @read_in_the_loop(%x: tensor<?xf32>, %s: tensor<?xf32>, %k: index, %n: index, %init: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %pad = ub.poison : f32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%a = %init) -> tensor<?xf32> {
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : tensor<?xf32>, vector<16xf32>
    %scale = tensor.extract %s[%k] : tensor<?xf32>
    %w = vector.broadcast %scale : f32 to vector<16xf32>
    %q = arith.divf %v, %w : vector<16xf32>
    %r = math.roundeven %q : vector<16xf32>
    %1 = vector.transfer_write %r, %a[%i] {in_bounds = [true]} : vector<16xf32>, tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -0 passes a clamp to zero, and what is tiny and less does not: only integers do not tell.
// CHECK-LABEL: func.func @clamps_to_zero(
// CHECK-COUNT-1: scf.if
// CHECK-NOT: scf.if
// CHECK: return
func.func @clamps_to_zero(%x: vector<16xf32>, %s: f32) -> (vector<16xf32>, vector<16xi32>) {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %q = arith.divf %x, %v : vector<16xf32>
  %low = arith.cmpf olt, %q, %zero : vector<16xf32>
  %p = arith.select %low, %zero, %q : vector<16xi1>, vector<16xf32>
  %r = math.roundeven %p : vector<16xf32>
  %y = arith.addf %x, %v : vector<16xf32>
  %q1 = arith.divf %y, %v : vector<16xf32>
  %low1 = arith.cmpf olt, %q1, %zero : vector<16xf32>
  %p1 = arith.select %low1, %zero, %q1 : vector<16xi1>, vector<16xf32>
  %r1 = math.roundeven %p1 : vector<16xf32>
  %c1 = arith.fptosi %r1 : vector<16xf32> to vector<16xi32>
  return %r, %c1 : vector<16xf32>, vector<16xi32>
}

// Whole numbers bound what is rounded to the nearest: x is clamped to these times the scale, which says alone whether its reciprocal is good.
// CHECK-LABEL: func.func @clamped(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>, %[[SCALAR:.*]]: f32)
// CHECK: %[[S:.*]] = vector.broadcast %[[SCALAR]]
// CHECK: %[[DIVIDED:.*]] = arith.divf %{{.*}}, %[[SCALAR]] : f32
// CHECK: %[[R:.*]] = vector.broadcast %[[DIVIDED]]
// CHECK: %[[LEAST:.*]] = arith.mulf %{{.*}}, %[[SCALAR]] : f32
// CHECK: %[[LOW:.*]] = vector.broadcast %[[LEAST]]
// CHECK: %[[MOST:.*]] = arith.mulf %{{.*}}, %[[SCALAR]] : f32
// CHECK: %[[HIGH:.*]] = vector.broadcast %[[MOST]]
// CHECK: %[[IN_RANGE:.*]] = arith.andi
// CHECK: %[[RESULT:.*]] = scf.if %[[IN_RANGE]]
// CHECK:   %[[IS_MORE:.*]] = arith.cmpf ogt, %[[X]], %[[LOW]]
// CHECK:   %[[V:.*]] = arith.select %[[IS_MORE]], %[[X]], %[[LOW]]
// CHECK:   %[[IS_LESS:.*]] = arith.cmpf olt, %[[V]], %[[HIGH]]
// CHECK:   %[[CLAMPED:.*]] = arith.select %[[IS_LESS]], %[[V]], %[[HIGH]]
// CHECK:   arith.mulf %[[CLAMPED]], %[[R]]
// CHECK-COUNT-2: math.fma
// CHECK: } else {
// CHECK:   arith.divf %[[X]], %[[S]]
// CHECK-COUNT-2: arith.select
// CHECK: math.roundeven %[[RESULT]]
func.func @clamped(%x: vector<16xf32>, %s: f32) -> vector<16xf32> {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %q = arith.divf %x, %v : vector<16xf32>
  %low = arith.constant dense<-128.0> : vector<16xf32>
  %high = arith.constant dense<127.0> : vector<16xf32>
  %isMore = arith.cmpf ogt, %q, %low : vector<16xf32>
  %0 = arith.select %isMore, %q, %low : vector<16xi1>, vector<16xf32>
  %isLess = arith.cmpf olt, %0, %high : vector<16xf32>
  %1 = arith.select %isLess, %0, %high : vector<16xi1>, vector<16xf32>
  %r = math.roundeven %1 : vector<16xf32>
  return %r : vector<16xf32>
}

// Ends that are no whole numbers, or another rounding: the quotient is clamped.
// CHECK-LABEL: func.func @clamped_elsewhere(
// CHECK-COUNT-2: vector.reduction <or>
func.func @clamped_elsewhere(%x: vector<16xf32>, %s: f32) -> (vector<16xf32>, vector<16xf32>) {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %q = arith.divf %x, %v : vector<16xf32>
  %low = arith.constant dense<-127.5> : vector<16xf32>
  %high = arith.constant dense<127.0> : vector<16xf32>
  %isMore = arith.cmpf ogt, %q, %low : vector<16xf32>
  %0 = arith.select %isMore, %q, %low : vector<16xi1>, vector<16xf32>
  %isLess = arith.cmpf olt, %0, %high : vector<16xf32>
  %1 = arith.select %isLess, %0, %high : vector<16xi1>, vector<16xf32>
  %r = math.roundeven %1 : vector<16xf32>
  %p = arith.divf %x, %v : vector<16xf32>
  %least = arith.constant dense<-128.0> : vector<16xf32>
  %isMoreAgain = arith.cmpf ogt, %p, %least : vector<16xf32>
  %2 = arith.select %isMoreAgain, %p, %least : vector<16xi1>, vector<16xf32>
  %isLessAgain = arith.cmpf olt, %2, %high : vector<16xf32>
  %3 = arith.select %isLessAgain, %2, %high : vector<16xi1>, vector<16xf32>
  %t = math.trunc %3 : vector<16xf32>
  return %r, %t : vector<16xf32>, vector<16xf32>
}

// Two lower ends, crossed ends, or a choice that is no clamp: nothing bounds the quotient.
// CHECK-LABEL: func.func @no_clamp(
// CHECK-COUNT-3: vector.reduction <or>
// CHECK-NOT: arith.minsi
func.func @no_clamp(%x: vector<16xf32>, %y: vector<16xf32>, %z: vector<16xf32>, %s: f32) -> (vector<16xi8>, vector<16xi8>, vector<16xi8>) {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %low = arith.constant dense<-128.0> : vector<16xf32>
  %high = arith.constant dense<127.0> : vector<16xf32>
  %p = arith.divf %x, %v : vector<16xf32>
  %p0 = arith.cmpf ogt, %p, %low : vector<16xf32>
  %p1 = arith.select %p0, %p, %low : vector<16xi1>, vector<16xf32>
  %p2 = arith.cmpf ogt, %p1, %high : vector<16xf32>
  %p3 = arith.select %p2, %p1, %high : vector<16xi1>, vector<16xf32>
  %p4 = math.roundeven %p3 : vector<16xf32>
  %p5 = arith.fptosi %p4 : vector<16xf32> to vector<16xi32>
  %p6 = arith.trunci %p5 : vector<16xi32> to vector<16xi8>
  %q = arith.divf %y, %v : vector<16xf32>
  %q0 = arith.cmpf ogt, %q, %high : vector<16xf32>
  %q1 = arith.select %q0, %q, %high : vector<16xi1>, vector<16xf32>
  %q2 = arith.cmpf olt, %q1, %low : vector<16xf32>
  %q3 = arith.select %q2, %q1, %low : vector<16xi1>, vector<16xf32>
  %q4 = math.roundeven %q3 : vector<16xf32>
  %q5 = arith.fptosi %q4 : vector<16xf32> to vector<16xi32>
  %q6 = arith.trunci %q5 : vector<16xi32> to vector<16xi8>
  %r = arith.divf %z, %v : vector<16xf32>
  %r0 = arith.cmpf one, %r, %low : vector<16xf32>
  %r1 = arith.select %r0, %r, %low : vector<16xi1>, vector<16xf32>
  %r2 = arith.cmpf olt, %r1, %high : vector<16xf32>
  %r3 = arith.select %r2, %r1, %high : vector<16xi1>, vector<16xf32>
  %r4 = math.roundeven %r3 : vector<16xf32>
  %r5 = arith.fptosi %r4 : vector<16xf32> to vector<16xi32>
  %r6 = arith.trunci %r5 : vector<16xi32> to vector<16xi8>
  return %p6, %q6, %r6 : vector<16xi8>, vector<16xi8>, vector<16xi8>
}

// What is rounded lies in the ends of the clamp: a sum with a zero point does not overflow, one with any i32 may.
// CHECK-LABEL: func.func @zero_point(
// CHECK: %[[CODES:.*]] = arith.fptosi
// CHECK: arith.addi %[[CODES]], %{{.*}} overflow<nsw> : vector<16xi32>
// CHECK: arith.addi %[[CODES]], %arg3 : vector<16xi32>
func.func @zero_point(%x: vector<16xf32>, %s: f32, %zero: vector<16xi8>, %any: vector<16xi32>) -> (vector<16xi32>, vector<16xi32>) {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %z = arith.extsi %zero : vector<16xi8> to vector<16xi32>
  %q = arith.divf %x, %v : vector<16xf32>
  %low = arith.constant dense<-256.0> : vector<16xf32>
  %high = arith.constant dense<256.0> : vector<16xf32>
  %isMore = arith.cmpf ogt, %q, %low : vector<16xf32>
  %0 = arith.select %isMore, %q, %low : vector<16xi1>, vector<16xf32>
  %isLess = arith.cmpf olt, %0, %high : vector<16xf32>
  %1 = arith.select %isLess, %0, %high : vector<16xi1>, vector<16xf32>
  %2 = math.roundeven %1 : vector<16xf32>
  %3 = arith.fptosi %2 : vector<16xf32> to vector<16xi32>
  %4 = arith.addi %3, %z : vector<16xi32>
  %5 = arith.addi %3, %any : vector<16xi32>
  return %4, %5 : vector<16xi32>, vector<16xi32>
}
