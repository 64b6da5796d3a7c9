// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-expand-elements=reciprocals=true | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-expand-elements=reciprocals=true --qdq-codegen-hoist-loop-invariants | FileCheck %s --check-prefix=HOISTED
// RUN: quant-opt %s --qdq-codegen-expand-elements | FileCheck %s --check-prefix=GENERIC

#nearest = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#highest = #qdq.semantics<rounding = nearest-away, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = highest, fusion = none, float_overflow = saturate>
#zero = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = zero, fusion = none, float_overflow = saturate>
#truncate = #qdq.semantics<rounding = toward-zero, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#wrap = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = wrap, nan = lowest, fusion = none, float_overflow = saturate>
#floor = #qdq.semantics<rounding = floor, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#add = #qdq.semantics<rounding = nearest-even, order = add-then-round, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
#addwrap = #qdq.semantics<rounding = nearest-even, order = add-then-round, division = exact, compute = f32, subtract = wide, overflow = wrap, nan = lowest, fusion = none, float_overflow = saturate>
#double = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f64, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// Integers bound what is rounded to the nearest: x is bounded by these times the scale, which says alone whether its reciprocal is good.
// CHECK-LABEL: func.func @bounded(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>, %[[SCALAR:.*]]: f32)
// CHECK: %[[S:.*]] = vector.broadcast %[[SCALAR]]
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[DIVIDED:.*]] = arith.divf %[[ONE]], %[[SCALAR]] : f32
// CHECK: %[[R:.*]] = vector.broadcast %[[DIVIDED]]
// CHECK: %[[LOW:.*]] = arith.mulf %{{.*}}, %[[S]] : vector<16xf32>
// CHECK: %[[HIGH:.*]] = arith.mulf %{{.*}}, %[[S]] : vector<16xf32>
// CHECK: %[[FROM:.*]] = arith.constant 8.67361737E-19 : f32
// CHECK: arith.cmpf oge, %[[SCALAR]], %[[FROM]]
// CHECK: %[[TO:.*]] = arith.constant 1.1529215E+18 : f32
// CHECK: arith.cmpf ole, %[[SCALAR]], %[[TO]]
// CHECK: %[[IN_RANGE:.*]] = arith.andi
// CHECK: %[[RESULT:.*]] = scf.if %[[IN_RANGE]]
// CHECK:   %[[IS_MORE:.*]] = arith.cmpf ogt, %[[X]], %[[LOW]]
// CHECK:   %[[V:.*]] = arith.select %[[IS_MORE]], %[[X]], %[[LOW]]
// CHECK:   %[[IS_LESS:.*]] = arith.cmpf olt, %[[V]], %[[HIGH]]
// CHECK:   %[[BOUNDED:.*]] = arith.select %[[IS_LESS]], %[[V]], %[[HIGH]]
// CHECK:   %[[Q:.*]] = arith.mulf %[[BOUNDED]], %[[R]]
// CHECK:   %[[MINUS_X:.*]] = arith.negf %[[BOUNDED]]
// CHECK:   %[[EXCESS:.*]] = math.fma %[[Q]], %[[S]], %[[MINUS_X]]
// CHECK:   %[[REST:.*]] = arith.negf %[[EXCESS]]
// CHECK:   %[[CORRECTED:.*]] = math.fma %[[REST]], %[[R]], %[[Q]]
// CHECK:   scf.yield %[[CORRECTED]]
// CHECK: } else {
// CHECK:   %[[QUOTIENT:.*]] = arith.divf %[[X]], %[[S]]
// CHECK-COUNT-2: arith.select
// CHECK: math.roundeven %[[RESULT]]
// CHECK: %[[CODES:.*]] = arith.fptosi
// CHECK-NEXT: arith.trunci %[[CODES]] overflow<nsw> : vector<16xi32> to vector<16xi8>
// GENERIC-LABEL: func.func @bounded(
// GENERIC-NOT: scf.if
// GENERIC: arith.divf %arg0, %{{.*}} : vector<16xf32>
// GENERIC: arith.trunci %{{.*}} overflow<nsw>
func.func @bounded(%x: vector<16xf32>, %s: f32) -> vector<16xi8> {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %q = qdq.encode %x scale %v as i8 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
  return %q : vector<16xi8>
}

// A NaN becomes the highest code: the upper bound is compared with first.
// CHECK-LABEL: func.func @nan_is_high(
// CHECK: scf.if
// CHECK-NEXT: arith.cmpf olt
// CHECK-NEXT: arith.select
// CHECK-NEXT: arith.cmpf ogt
// CHECK: } else {
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf ogt
// CHECK: math.round %
func.func @nan_is_high(%x: vector<16xf32>, %s: f16) -> vector<16xi4> {
  %v = vector.broadcast %s : f16 to vector<16xf16>
  %q = qdq.encode %x scale %v as i4 semantics #highest : (vector<16xf32>, vector<16xf16>) -> vector<16xi4>
  return %q : vector<16xi4>
}

// A sum with a zero point does not overflow: its first term has bounds.
// CHECK-LABEL: func.func @zero_point(
// CHECK: scf.if
// CHECK: %[[CODES:.*]] = arith.fptosi
// CHECK: %[[SUM:.*]] = arith.addi %[[CODES]], %{{.*}} overflow<nsw> : vector<16xi32>
// CHECK: arith.maxsi %[[SUM]]
// CHECK: %[[CLAMPED:.*]] = arith.minsi
// CHECK-NEXT: arith.trunci %[[CLAMPED]] overflow<nuw> : vector<16xi32> to vector<16xi8>
func.func @zero_point(%x: vector<16xf32>, %s: f32, %z: vector<16xi8>) -> vector<16xi8> {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %q = qdq.encode %x scale %v zero_point %z as ui8 semantics #nearest {unsigned_zero_point} : (vector<16xf32>, vector<16xf32>, vector<16xi8>) -> vector<16xi8>
  return %q : vector<16xi8>
}

// Nothing bounds these quotients beforehand: vectors in which one is NaN are divided.
// CHECK-LABEL: func.func @unbounded(
// CHECK-COUNT-8: vector.reduction <or>
// CHECK-NOT: vector.reduction
// CHECK: return
func.func @unbounded(%x: vector<16xf32>, %s: f32, %z: vector<16xf32>) -> (vector<16xi8>, vector<16xi8>, vector<16xi8>, vector<16xi8>, vector<16xi32>, vector<16xf8E5M2>, vector<16xf16>, vector<16xi8>) {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %0 = qdq.encode %x scale %v as i8 semantics #zero : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
  %1 = qdq.encode %x scale %v as i8 semantics #truncate : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
  %2 = qdq.encode %x scale %v as i8 semantics #wrap : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
  %3 = qdq.encode %x scale %v zero_point %z as i8 semantics #add : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xi8>
  %4 = qdq.encode %x scale %v as i32 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xi32>
  %5 = qdq.encode %x scale %v as f8E5M2 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xf8E5M2>
  %6 = qdq.encode %x scale %v as f16 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xf16>
  %7 = qdq.encode %x scale %v zero_point %z as i8 semantics #addwrap : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xi8>
  return %0, %1, %2, %3, %4, %5, %6, %7 : vector<16xi8>, vector<16xi8>, vector<16xi8>, vector<16xi8>, vector<16xi32>, vector<16xf8E5M2>, vector<16xf16>, vector<16xi8>
}

// Tiny quotients matter: to floor, to bf16, to a directed rounding of f8, and, after a sum, to the sign of a float.
// CHECK-LABEL: func.func @tiny_quotients(
// CHECK-NOT: scf.if
// CHECK: return
func.func @tiny_quotients(%x: vector<16xf32>, %s: f32, %z: vector<16xf32>) -> (vector<16xi8>, vector<16xbf16>, vector<16xf8E5M2>, vector<16xf8E5M2>) {
  %v = vector.broadcast %s : f32 to vector<16xf32>
  %0 = qdq.encode %x scale %v as i8 semantics #floor : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
  %1 = qdq.encode %x scale %v as bf16 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xbf16>
  %2 = qdq.encode %x scale %v as f8E5M2 semantics #truncate : (vector<16xf32>, vector<16xf32>) -> vector<16xf8E5M2>
  %3 = qdq.encode %x scale %v zero_point %z as f8E5M2 semantics #nearest : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xf8E5M2>
  return %0, %1, %2, %3 : vector<16xi8>, vector<16xbf16>, vector<16xf8E5M2>, vector<16xf8E5M2>
}

// A reciprocal costs as much as a quotient. f64 and scalars stay, too.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: scf.if
// CHECK: return
func.func @others(%x: vector<16xf32>, %s: vector<16xf32>, %d: vector<8xf64>, %e: f64, %a: f32, %b: f32) -> (vector<16xi8>, vector<8xi8>, i8) {
  %v = vector.broadcast %e : f64 to vector<8xf64>
  %0 = qdq.encode %x scale %s as i8 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
  %1 = qdq.encode %d scale %v as i8 semantics #double : (vector<8xf64>, vector<8xf64>) -> vector<8xi8>
  %2 = qdq.encode %a scale %b as i8 semantics #nearest : (f32, f32) -> i8
  return %0, %1, %2 : vector<16xi8>, vector<8xi8>, i8
}

// The reciprocal is computed once, before both loops, if qdq-codegen-hoist-loop-invariants follows.
// HOISTED-LABEL: func.func @scale_of_tensor(
// HOISTED: %[[SCALAR:.*]] = tensor.extract %arg1[] : tensor<f32>
// HOISTED: arith.divf %{{.*}}, %[[SCALAR]] : f32
// HOISTED: scf.for
// HOISTED-NOT: arith.divf
// HOISTED: scf.for
// HOISTED-NOT: arith.divf
// HOISTED: scf.if
// HOISTED: arith.divf %{{.*}} : vector<16xf32>
func.func @scale_of_tensor(%x: tensor<4x64xf32>, %s: tensor<f32>, %init: tensor<4x64xi8>) -> tensor<4x64xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %pad = ub.poison : f32
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> tensor<4x64xi8> {
    %1 = scf.for %j = %c0 to %c64 step %c16 iter_args(%b = %a) -> tensor<4x64xi8> {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : tensor<4x64xf32>, vector<16xf32>
      %w = vector.transfer_read %s[], %pad {in_bounds = [true], permutation_map = affine_map<() -> (0)>} : tensor<f32>, vector<16xf32>
      %q = qdq.encode %v scale %w as i8 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
      %2 = vector.transfer_write %q, %b[%i, %j] {in_bounds = [true]} : vector<16xi8>, tensor<4x64xi8>
      scf.yield %2 : tensor<4x64xi8>
    }
    scf.yield %1 : tensor<4x64xi8>
  }
  return %0 : tensor<4x64xi8>
}

// Each iteration has a scale of its own, as short blocks have.
// CHECK-LABEL: func.func @scale_of_iteration(
// CHECK-NOT: scf.if
// CHECK: return
func.func @scale_of_iteration(%x: tensor<64xf32>, %s: tensor<4xf32>, %init: tensor<64xi8>) -> tensor<64xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %pad = ub.poison : f32
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> tensor<64xi8> {
    %scale = tensor.extract %s[%i] : tensor<4xf32>
    %w = vector.broadcast %scale : f32 to vector<16xf32>
    %j = arith.muli %i, %c16 : index
    %v = vector.transfer_read %x[%j], %pad {in_bounds = [true]} : tensor<64xf32>, vector<16xf32>
    %q = qdq.encode %v scale %w as i8 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
    %f = qdq.encode %v scale %w as f8E5M2 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xf8E5M2>
    %b = arith.bitcast %f : vector<16xf8E5M2> to vector<16xi8>
    %z = arith.xori %q, %b : vector<16xi8>
    %1 = vector.transfer_write %z, %a[%j] {in_bounds = [true]} : vector<16xi8>, tensor<64xi8>
    scf.yield %1 : tensor<64xi8>
  }
  return %0 : tensor<64xi8>
}

// Loop k divides by one vector, j by another, i by those of another row: all reciprocals are computed once, before i.
// CHECK-LABEL: func.func @reciprocals_once(
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<4x64xf32>)
// CHECK: scf.for
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @reciprocals_once(%x: tensor<4x8x64xf32>, %s: tensor<4x64xf32>, %init: tensor<4x8x64xi8>) -> tensor<4x8x64xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %pad = ub.poison : f32
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> tensor<4x8x64xi8> {
    %1 = scf.for %k = %c0 to %c8 step %c1 iter_args(%b = %a) -> tensor<4x8x64xi8> {
      %2 = scf.for %j = %c0 to %c64 step %c16 iter_args(%c = %b) -> tensor<4x8x64xi8> {
        %v = vector.transfer_read %x[%i, %k, %j], %pad {in_bounds = [true]} : tensor<4x8x64xf32>, vector<16xf32>
        %w = vector.transfer_read %s[%i, %j], %pad {in_bounds = [true]} : tensor<4x64xf32>, vector<16xf32>
        %q = qdq.encode %v scale %w as i8 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
        %3 = vector.transfer_write %q, %c[%i, %k, %j] {in_bounds = [true]} : vector<16xi8>, tensor<4x8x64xi8>
        scf.yield %3 : tensor<4x8x64xi8>
      }
      scf.yield %2 : tensor<4x8x64xi8>
    }
    scf.yield %1 : tensor<4x8x64xi8>
  }
  return %0 : tensor<4x8x64xi8>
}

// Lanes that do not exist divide by a padding, which is in no tensor of reciprocals. Three rows are too few for one.
// CHECK-LABEL: func.func @no_tensor_of_reciprocals(
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @no_tensor_of_reciprocals(%x: tensor<4x32xf32>, %s: tensor<40xf32>, %t: tensor<32xf32>, %init: tensor<4x32xi8>) -> tensor<4x32xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %two = arith.constant 2.0 : f32
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> tensor<4x32xi8> {
    %1 = scf.for %j = %c0 to %c32 step %c16 iter_args(%b = %a) -> tensor<4x32xi8> {
      %k = arith.addi %j, %c16 : index
      %v = vector.transfer_read %x[%i, %j], %two {in_bounds = [true]} : tensor<4x32xf32>, vector<16xf32>
      %w = vector.transfer_read %s[%k], %two : tensor<40xf32>, vector<16xf32>
      %q = qdq.encode %v scale %w as i8 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
      %2 = vector.transfer_write %q, %b[%i, %j] {in_bounds = [true]} : vector<16xi8>, tensor<4x32xi8>
      scf.yield %2 : tensor<4x32xi8>
    }
    scf.yield %1 : tensor<4x32xi8>
  }
  %3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %0) -> tensor<4x32xi8> {
    %4 = scf.for %j = %c0 to %c32 step %c16 iter_args(%b = %a) -> tensor<4x32xi8> {
      %v = vector.transfer_read %x[%i, %j], %two {in_bounds = [true]} : tensor<4x32xf32>, vector<16xf32>
      %w = vector.transfer_read %t[%j], %two {in_bounds = [true]} : tensor<32xf32>, vector<16xf32>
      %q = qdq.encode %v scale %w as i8 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
      %5 = vector.transfer_write %q, %b[%i, %j] {in_bounds = [true]} : vector<16xi8>, tensor<4x32xi8>
      scf.yield %5 : tensor<4x32xi8>
    }
    scf.yield %4 : tensor<4x32xi8>
  }
  return %3 : tensor<4x32xi8>
}

// A scale at an unknown index is read only if the loop has an iteration.
// HOISTED-LABEL: func.func @read_in_the_loop(
// HOISTED: scf.if
// HOISTED-NEXT: tensor.extract
// HOISTED: scf.for
func.func @read_in_the_loop(%x: tensor<?xf32>, %s: tensor<?xf32>, %k: index, %n: index, %init: tensor<?xi8>) -> tensor<?xi8> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %pad = ub.poison : f32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%a = %init) -> tensor<?xi8> {
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : tensor<?xf32>, vector<16xf32>
    %scale = tensor.extract %s[%k] : tensor<?xf32>
    %w = vector.broadcast %scale : f32 to vector<16xf32>
    %q = qdq.encode %v scale %w as i8 semantics #nearest : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
    %1 = vector.transfer_write %q, %a[%i] {in_bounds = [true]} : vector<16xi8>, tensor<?xi8>
    scf.yield %1 : tensor<?xi8>
  }
  return %0 : tensor<?xi8>
}

// What wraps does not fit.
// GENERIC-LABEL: func.func @wraps(
// GENERIC-NOT: overflow<
// GENERIC: return
func.func @wraps(%x: vector<16xf32>, %s: vector<16xf32>, %z: vector<16xi8>) -> vector<16xi8> {
  %q = qdq.encode %x scale %s zero_point %z as i8 semantics #wrap : (vector<16xf32>, vector<16xf32>, vector<16xi8>) -> vector<16xi8>
  return %q : vector<16xi8>
}
