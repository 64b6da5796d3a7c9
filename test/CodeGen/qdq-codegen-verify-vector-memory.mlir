// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-verify-vector-memory -split-input-file -verify-diagnostics

// Whole bytes, and one element.
func.func @clean(%m: memref<16xf8E5M2>, %n: memref<16xi4>, %i: index, %v: vector<16xf8E5M2>) -> vector<1xi4> {
  vector.store %v, %m[%i] : memref<16xf8E5M2>, vector<16xf8E5M2>
  %w = vector.load %n[%i] : memref<16xi4>, vector<1xi4>
  return %w : vector<1xi4>
}

// -----

func.func @transfer_write_f4(%m: memref<16xf4E2M1FN>, %i: index, %v: vector<16xf4E2M1FN>) {
  // expected-error@+1 {{moves a vector between registers and 'memref<16xf4E2M1FN>': LLVM packs the elements of the vector}}
  vector.transfer_write %v, %m[%i] : vector<16xf4E2M1FN>, memref<16xf4E2M1FN>
  return
}

// -----

func.func @load_i3(%m: memref<?xi3>, %i: index) -> vector<[4]xi3> {
  // expected-error@+1 {{moves a vector between registers and 'memref<?xi3>'}}
  %v = vector.load %m[%i] : memref<?xi3>, vector<[4]xi3>
  return %v : vector<[4]xi3>
}
