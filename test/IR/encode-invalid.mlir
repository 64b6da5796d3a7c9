// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --verify-diagnostics --split-input-file

#all = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
func.func @result(%x: f32, %s: f32) {
  // expected-error @below {{result has element type 'i4': expected 'i8' or a wider integer}}
  %0 = qdq.encode %x scale %s as ui8 semantics #all : (f32, f32) -> i4
  return
}

// -----

func.func @open(%x: f32, %s: f32) {
  // expected-error @below {{semantics with open fields, or with 'compute = auto': expected all choices made}}
  %0 = qdq.encode %x scale %s as i8 semantics <rounding = floor> : (f32, f32) -> i8
  return
}

// -----

#all = #qdq.semantics<rounding = stochastic, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
func.func @draws(%x: f32, %s: f32) {
  // expected-error @below {{rounds stochastically: expected 'at' with the number of the draw}}
  %0 = qdq.encode %x scale %s as i8 semantics #all : (f32, f32) -> i8
  return
}

// -----

#all = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
func.func @shapes(%x: vector<4xf32>, %s: f32) {
  // expected-error @below {{}}
  %0 = qdq.encode %x scale %s as i8 semantics #all : (vector<4xf32>, f32) -> vector<4xi8>
  return
}

// -----

#all = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
func.func @storage(%x: f32, %s: f32) {
  // expected-error @below {{storage 'i64' is no type of codes}}
  %0 = qdq.encode %x scale %s as i64 semantics #all : (f32, f32) -> i8
  return
}

// -----

#all = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
func.func @signs(%x: f32, %s: f32, %z: ui8) {
  // expected-error @below {{has 'ui8': expected a signless integer, signs are attributes}}
  %0 = qdq.encode %x scale %s zero_point %z as ui8 semantics #all : (f32, f32, ui8) -> i8
  return
}

// -----

#all = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
func.func @clamp(%x: f32, %s: f32) {
  // expected-error @below {{clamp [-1, 3] is not a range within 'ui8', which holds 0 to 255}}
  %0 = qdq.encode %x scale %s as ui8 clamp [-1, 3] semantics #all : (f32, f32) -> i8
  return
}

// -----

#all = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
func.func @domain(%x: f32, %s: f32) {
  // expected-error @below {{has 'zero_point_domain' but no zero point}}
  %0 = qdq.encode %x scale %s as i8 semantics #all {zero_point_domain = #qdq.zero_point_domain<expressed>} : (f32, f32) -> i8
  return
}

// -----

#all = #qdq.semantics<rounding = nearest-even>
func.func @storage(%x: f32, %s: f32) -> i32 {
  // expected-error @+1 {{storage 'i64' is no type of codes: expected an integer of 1 to 32 bits or a small float}}
  %0 = qdq.encode %x scale %s as i64 semantics #all : (f32, f32) -> i32
  return %0 : i32
}
