// RUN: quant-opt %s --convert-qdq-to-arith --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @dequantize_scalar
// CHECK-SAME: %[[Q:.*]]: i8, %[[S:.*]]: f32
func.func @dequantize_scalar(%q: i8, %s: f32) -> f32 {
  // CHECK: %[[D:.*]] = arith.sitofp %[[Q]] : i8 to f32
  // CHECK: arith.mulf %[[D]], %[[S]] : f32
  %x = qdq.dequantize %q scale %s : (i8, f32) -> f32
  return %x : f32
}

// -----

// CHECK-LABEL: func @dequantize_scalar_unsigned
func.func @dequantize_scalar_unsigned(%q: ui8, %s: f32, %z: ui8) -> f32 {
  // CHECK-COUNT-2: builtin.unrealized_conversion_cast %{{.*}} : ui8 to i8
  // CHECK: arith.extui
  // CHECK: arith.subi
  %x = qdq.dequantize %q scale %s zero_point %z : (ui8, f32, ui8) -> f32
  return %x : f32
}

// -----

// CHECK-LABEL: func @quantize_vector_axis0
// CHECK-SAME: %[[X:.*]]: vector<4x8xf32>, %[[S:.*]]: vector<4xf32>
func.func @quantize_vector_axis0(%x: vector<4x8xf32>, %s: vector<4xf32>, %z: i8) -> vector<4x8xi8> {
  // CHECK: vector.broadcast %{{.*}} : i8 to vector<4x8xi8>
  // CHECK: %[[COL:.*]] = vector.shape_cast %[[S]] : vector<4xf32> to vector<4x1x1x1xf32>
  // CHECK: vector.broadcast %[[COL]] : vector<4x1x1x1xf32> to vector<4x1x1x8xf32>
  // CHECK: %[[FULL:.*]] = vector.shape_cast
  // CHECK: arith.divf %[[X]], %[[FULL]] : vector<4x8xf32>
  %q = qdq.quantize %x scale %s zero_point %z axis 0 : (vector<4x8xf32>, vector<4xf32>, i8) -> vector<4x8xi8>
  return %q : vector<4x8xi8>
}

// -----

// CHECK-LABEL: func @dequantize_vector_short_tail
func.func @dequantize_vector_short_tail(%q: vector<4x100xi8>, %s: vector<4x4xf32>) -> vector<4x100xf32> {
  // CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0, 0], sizes = [4, 100], strides = [1, 1]} : vector<4x128xf32> to vector<4x100xf32>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (vector<4x100xi8>, vector<4x4xf32>) -> vector<4x100xf32>
  return %x : vector<4x100xf32>
}

// -----

// CHECK-LABEL: func @dequantize_scalable
func.func @dequantize_scalable(%q: vector<[4]xi8>, %s: f32) -> vector<[4]xf32> {
  // CHECK: vector.broadcast %{{.*}} : f32 to vector<[4]xf32>
  %x = qdq.dequantize %q scale %s : (vector<[4]xi8>, f32) -> vector<[4]xf32>
  return %x : vector<[4]xf32>
}

// -----

func.func @dequantize_scalable_axis(%q: vector<[4]xi8>, %s: vector<[4]xf32>) {
  // expected-error @+1 {{has one parameter per axis or block on a scalable vector}}
  %x = qdq.dequantize %q scale %s axis 0 : (vector<[4]xi8>, vector<[4]xf32>) -> vector<[4]xf32>
  return
}

// -----

// Tensors are another pass's.
// CHECK-LABEL: func @tensor
func.func @tensor(%q: tensor<4xi8>, %s: f32) -> tensor<4xf32> {
  // CHECK: qdq.dequantize
  %x = qdq.dequantize %q scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @quantize_vector_runtime_seed
// CHECK-SAME: %[[SEED:[^:]*]]: i64
func.func @quantize_vector_runtime_seed(%seed: i64, %x: vector<4xf32>, %s: f32) -> vector<4xi8> {
  // CHECK: %[[KEYS:.*]] = vector.broadcast %[[SEED]] : i64 to vector<4xi64>
  // CHECK: arith.trunci %[[KEYS]] : vector<4xi64> to vector<4xi32>
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> seed %seed : (vector<4xf32>, f32, i64) -> vector<4xi8>
  return %q : vector<4xi8>
}

// -----

func.func @quantize_vector_many_draws(%seed: i64, %x: vector<4294967296xf32>, %s: f32) -> vector<4294967296xi8> {
  // expected-error @+1 {{rounds stochastically more than 2^20 elements of a vector}}
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> seed %seed : (vector<4294967296xf32>, f32, i64) -> vector<4294967296xi8>
  return %q : vector<4294967296xi8>
}

// -----

// Element [i, j] of the whole has the draw i * 8 + j.
// CHECK-LABEL: func @quantize_stochastic_position
// CHECK-SAME: %[[I:[^ ]*]]: index)
func.func @quantize_stochastic_position(%x: vector<2xf32>, %s: f32, %i: index) -> vector<2xi8> {
  // CHECK: %[[ROW:.*]] = arith.index_cast %[[I]] : index to i64
  // CHECK: %[[ROWS:.*]] = vector.broadcast %[[ROW]] : i64 to vector<2xi64>
  // CHECK: %[[FIRST:.*]] = vector.broadcast %{{.*}} : i64 to vector<2xi64>
  // CHECK: %[[LANES:.*]] = arith.constant dense<[0, 1]> : vector<2xi64>
  // CHECK: %[[J:.*]] = arith.addi %[[FIRST]], %[[LANES]] : vector<2xi64>
  // CHECK: %[[ABOVE:.*]] = arith.muli %[[ROWS]], %{{.*}} : vector<2xi64>
  // CHECK: arith.addi %[[ABOVE]], %[[J]] : vector<2xi64>
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> at [%i, 4] of [4, 8] : (vector<2xf32>, f32, index) -> vector<2xi8>
  return %q : vector<2xi8>
}

// An i64 has more bits than f64 holds: it is shortened first, so that bf16 is its only rounding.
// CHECK-LABEL: func.func @long_integer(
// CHECK: %[[IS_SHORT:.*]] = arith.cmpi ult
// CHECK: %[[SHORT:.*]] = arith.select %[[IS_SHORT]], %arg0, %{{.*}} : i64
// CHECK: arith.sitofp %[[SHORT]] : i64 to f64
func.func @long_integer(%x: i64, %s: bf16) -> bf16 {
  %q = qdq.dequantize %x scale %s semantics <compute = bf16> : (i64, bf16) -> bf16
  return %q : bf16
}
