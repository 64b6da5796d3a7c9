// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --split-input-file --verify-diagnostics

func.func @strides(%a: i8, %i: index) -> i4 {
  // expected-error @below {{'qdq.extract_field' op has 1 slots and 2 strides: expected one for each slot}}
  %0 = qdq.extract_field %a slots(%i) strides [4, 1] : (i8, index) -> i4
  return %0 : i4
}

// -----

func.func @negative(%a: i8, %i: index) -> i4 {
  // expected-error @below {{'qdq.extract_field' op has the stride -4: expected bits, at least 0}}
  %0 = qdq.extract_field %a slots(%i) strides [-4] : (i8, index) -> i4
  return %0 : i4
}

// -----

func.func @wide(%a: i8, %b: i8) -> i24 {
  // expected-error @below {{'qdq.extract_field' op has a field of 24 bits in a word of 16: expected no more}}
  %0 = qdq.extract_field %a, %b strides [] : (i8, i8) -> i24
  return %0 : i24
}

// -----

func.func @types(%a: i8, %b: i16) -> i4 {
  // expected-error @below {{'qdq.extract_field' op has parts of several types: expected one}}
  %0 = qdq.extract_field %a, %b strides [] : (i8, i16) -> i4
  return %0 : i4
}

// -----

func.func @no_part(%i: index) -> i4 {
  // expected-error @below {{'qdq.extract_field' op has no parts: expected a word}}
  %0 = "qdq.extract_field"(%i) <{operandSegmentSizes = array<i32: 0, 1>, strides = array<i64: 4>}> : (index) -> i4
  return %0 : i4
}

// -----

func.func @deposit(%a: i8) -> i4 {
  // expected-error @below {{'qdq.deposit_field' op has a field of 8 bits in a word of 4: expected no more}}
  %0 = qdq.deposit_field %a strides [] : (i8) -> i4
  return %0 : i4
}

// -----

func.func @three(%t: vector<3xi8>, %i: vector<4xi8>) -> vector<4xi8> {
  // expected-error @below {{'qdq.lookup' op table has 3 entries: expected a power of two}}
  %0 = qdq.lookup %t[%i] : (vector<3xi8>, vector<4xi8>) -> vector<4xi8>
  return %0 : vector<4xi8>
}

// -----

func.func @result(%t: vector<4xi8>, %i: vector<4xi8>) -> vector<4xi16> {
  // expected-error @below {{'qdq.lookup' op result is 'vector<4xi16>': expected 'vector<4xi8>'}}
  %0 = qdq.lookup %t[%i] : (vector<4xi8>, vector<4xi8>) -> vector<4xi16>
  return %0 : vector<4xi16>
}

// -----

func.func @lanes(%t: vector<4xi8>, %i: vector<2147483647xi8>) -> vector<2147483647xi8> {
  // expected-error @below {{'qdq.lookup' op result has 2147483647 lanes: expected at most 4096}}
  %0 = qdq.lookup %t[%i] : (vector<4xi8>, vector<2147483647xi8>) -> vector<2147483647xi8>
  return %0 : vector<2147483647xi8>
}
