// RUN: quant-opt %s --canonicalize --split-input-file | FileCheck %s

// Rounding is not identity: the pair stays.
// CHECK-LABEL: func @pair
func.func @pair(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  // CHECK: qdq.quantize
  // CHECK: qdq.dequantize
  %q = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
  %y = qdq.dequantize %q scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

#all = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                      overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// 2.5 -> 2 + 1, 300 -> 127, NaN -> -128, -inf -> -128.
// CHECK-LABEL: func @quantize_constant
func.func @quantize_constant() -> tensor<4xi8> {
  // CHECK: arith.constant dense<[3, 127, -128, -128]> : tensor<4xi8>
  %x = arith.constant dense<[2.5, 300.0, 0x7fc00000, 0xff800000]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant 1 : i8
  %q = qdq.quantize %x scale %s zero_point %z semantics #all : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// An open field may still be decided by a pass option.
// CHECK-LABEL: func @open_semantics
func.func @open_semantics() -> tensor<2xi8> {
  // CHECK: qdq.quantize
  %x = arith.constant dense<[2.5, 300.0]> : tensor<2xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <rounding = floor> : (tensor<2xf32>, f32) -> tensor<2xi8>
  return %q : tensor<2xi8>
}

// CHECK-LABEL: func @dequantize_blocked_short_tail
func.func @dequantize_blocked_short_tail() -> tensor<2x3xf32> {
  // (q - z) * s with blocks [0,1] and [2] of each row.
  // CHECK: arith.constant dense<{{\[}}[0.000000e+00, 5.000000e-01, 4.000000e+00], [4.000000e+00, 8.000000e+00, 3.200000e+01]]>
  %q = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi4>
  %s = arith.constant dense<[[0.5, 2.0], [4.0, 8.0]]> : tensor<2x2xf32>
  %z = arith.constant dense<[[1, 1], [3, 2]]> : tensor<2x2xi4>
  %x = qdq.dequantize %q scale %s zero_point %z block_shape [1, 2] semantics #all
     : (tensor<2x3xi4>, tensor<2x2xf32>, tensor<2x2xi4>) -> tensor<2x3xf32>
  return %x : tensor<2x3xf32>
}

// CHECK-LABEL: func @undefined_stays
func.func @undefined_stays() -> (tensor<2xi8>, tensor<2xi8>) {
  // 300 has no code under `undefined`; 3 has.
  // CHECK-DAG: qdq.quantize
  // CHECK-DAG: arith.constant dense<3> : tensor<2xi8>
  %far = arith.constant dense<[3.0, 300.0]> : tensor<2xf32>
  %near = arith.constant dense<3.0> : tensor<2xf32>
  %s = arith.constant 1.0 : f32
  %a = qdq.quantize %far scale %s semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32,
    subtract = wide, overflow = undefined, nan = lowest, fusion = none, float_overflow = saturate> : (tensor<2xf32>, f32) -> tensor<2xi8>
  %b = qdq.quantize %near scale %s semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32,
    subtract = wide, overflow = undefined, nan = lowest, fusion = none, float_overflow = saturate> : (tensor<2xf32>, f32) -> tensor<2xi8>
  return %a, %b : tensor<2xi8>, tensor<2xi8>
}

// -----

// No code for a NaN or an infinity: the largest value, whatever float_overflow says.
// CHECK-LABEL: func @quantize_f4
func.func @quantize_f4() -> tensor<4xf4E2M1FN> {
  // CHECK: dense<[6.000000e+00, 6.000000e+00, -6.000000e+00, 1.000000e+00]> : tensor<4xf4E2M1FN>
  %x = arith.constant dense<[0x7fc00000, 100.0, 0xff800000, 1.0]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32,
    subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = ieee> : (tensor<4xf32>, f32) -> tensor<4xf4E2M1FN>
  return %q : tensor<4xf4E2M1FN>
}

// -----

#nan_to_zero_point = #qdq.semantics<rounding = nearest-even, order = add-then-round, division = exact, compute = f32, subtract = wide,
                       overflow = saturate, nan = zero-point, fusion = none, float_overflow = saturate>

// The code of a NaN is a zero point of reals, rounded and bounded; that of a NaN is the lowest one.
// CHECK-LABEL: func @quantize_nan
func.func @quantize_nan() -> (i8, i8, i8, i8) {
  // CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i8
  // CHECK-DAG: %[[LOWEST:.*]] = arith.constant -128 : i8
  // CHECK-DAG: %[[HIGHEST:.*]] = arith.constant 127 : i8
  // CHECK: return %[[THREE]], %[[LOWEST]], %[[HIGHEST]], %[[LOWEST]]
  %s = arith.constant 1.0 : f32
  %z = arith.constant 2.6 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %high = arith.constant 0x7F800000 : f32
  %low = arith.constant 0xFF800000 : f32
  %a = qdq.quantize %nan scale %s zero_point %z semantics #nan_to_zero_point : (f32, f32, f32) -> i8
  %b = qdq.quantize %nan scale %s zero_point %nan semantics #nan_to_zero_point : (f32, f32, f32) -> i8
  %c = qdq.quantize %nan scale %s zero_point %high semantics #nan_to_zero_point : (f32, f32, f32) -> i8
  %d = qdq.quantize %nan scale %s zero_point %low semantics #nan_to_zero_point : (f32, f32, f32) -> i8
  return %a, %b, %c, %d : i8, i8, i8, i8
}

// -----

#draw = #qdq.semantics<rounding = stochastic, order = round-then-add, division = exact, compute = f32, subtract = wide,
                       overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// Indices in the whole count modulo 2^64, as in the lowering: both parts begin at index 0.
// CHECK-LABEL: func @position_beyond_64_bits
func.func @position_beyond_64_bits() -> (tensor<1x4xi8>, tensor<1x4xi8>) {
  // CHECK: %[[PART:.*]] = arith.constant dense<{{.*}}> : tensor<1x4xi8>
  // CHECK: return %[[PART]], %[[PART]]
  %x = arith.constant dense<[[0.25, 0.5, 0.75, 0.5]]> : tensor<1x4xf32>
  %s = arith.constant 1.0 : f32
  %a = qdq.quantize %x scale %s semantics #draw at [0, 0] of [8, 8] {seed = 7 : i64}
         : (tensor<1x4xf32>, f32) -> tensor<1x4xi8>
  %b = qdq.quantize %x scale %s semantics #draw at [2305843009213693952, 0] of [4611686018427387904, 8] {seed = 7 : i64}
         : (tensor<1x4xf32>, f32) -> tensor<1x4xi8>
  return %a, %b : tensor<1x4xi8>, tensor<1x4xi8>
}

// -----

#all = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                      overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// Resources are constants: (-1 - 1) * 0.5, (2 - 1) * 2.
// CHECK-LABEL: func @dequantize_resources
func.func @dequantize_resources() -> tensor<2xf32> {
  // CHECK: arith.constant dense<[-1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %q = arith.constant dense_resource<codes> : tensor<2xi8>
  %s = arith.constant dense_resource<scales> : tensor<2xf32>
  %z = arith.constant dense_resource<zeros> : tensor<2xi8>
  %x = qdq.dequantize %q scale %s zero_point %z axis 0 semantics #all : (tensor<2xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}

// Elements of three bits in three bytes, the first in the lowest bits.
// CHECK-LABEL: func @dequantize_packed_resource
func.func @dequantize_packed_resource() -> tensor<8xf32> {
  // CHECK: arith.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, -4.000000e+00, -3.000000e+00, -2.000000e+00, -1.000000e+00]>
  %q = arith.constant dense_resource<packed> : tensor<8xi3>
  %one = arith.constant 1.0 : f32
  %x = qdq.dequantize %q scale %one semantics #all : (tensor<8xi3>, f32) -> tensor<8xf32>
  return %x : tensor<8xf32>
}

{-#
  dialect_resources: {
    builtin: {
      codes: "0x01000000FF02",
      packed: "0x0100000088C6FA",
      scales: "0x040000000000003F00000040",
      zeros: "0x010000000101"
    }
  }
#-}
