// RUN: quant-opt %s --qdq-simplify --split-input-file --verify-diagnostics | FileCheck %s

#onnx = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                       overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// CHECK-LABEL: func @quantize_power_of_two
func.func @quantize_power_of_two(%x: tensor<8xf32>, %z: i8) -> tensor<8xi8> {
  // CHECK: qdq.quantize {{.*}} zero_point {{.*}}division = reciprocal
  %s = arith.constant 0.125 : f32
  %q = qdq.quantize %x scale %s zero_point %z semantics #onnx : (tensor<8xf32>, f32, i8) -> tensor<8xi8>
  return %q : tensor<8xi8>
}

// The reciprocal of 2^-127 is not a finite f32, and that of 0.3 rounds: some x near a tie gets another code.
// CHECK-LABEL: func @quantize_no_reciprocal
func.func @quantize_no_reciprocal(%x: tensor<2xf32>) -> (tensor<2xi8>, tensor<2xi8>) {
  // CHECK-COUNT-2: division = exact
  %tiny = arith.constant 0x00000001 : f32
  %a = qdq.quantize %x scale %tiny semantics #onnx : (tensor<2xf32>, f32) -> tensor<2xi8>
  %s = arith.constant 0.3 : f32
  %b = qdq.quantize %x scale %s semantics #onnx : (tensor<2xf32>, f32) -> tensor<2xi8>
  return %a, %b : tensor<2xi8>, tensor<2xi8>
}

// One channel without an exact reciprocal, whose codes are the same (0.75), and one with.
// CHECK-LABEL: func @quantize_per_axis_tried
func.func @quantize_per_axis_tried(%x: tensor<2x4xf16>) -> tensor<2x4xi4> {
  // CHECK: division = reciprocal
  %s = arith.constant dense<[0.75, 0.5]> : tensor<2xf32>
  %q = qdq.quantize %x scale %s axis 0 semantics #onnx : (tensor<2x4xf16>, tensor<2xf32>) -> tensor<2x4xi4>
  return %q : tensor<2x4xi4>
}

// The type that computes is open: 2^-20 has no reciprocal in f16, 2^-10 has one everywhere.
// CHECK-LABEL: func @quantize_open_semantics
func.func @quantize_open_semantics(%x: tensor<2xf32>) -> (tensor<2xi8>, tensor<2xi8>) {
  // CHECK: qdq.quantize %{{.*}} scale %{{.*}} : (tensor<2xf32>, f32)
  %a = arith.constant 9.5367431640625e-07 : f32
  %p = qdq.quantize %x scale %a : (tensor<2xf32>, f32) -> tensor<2xi8>
  // CHECK: qdq.quantize {{.*}} semantics <division = reciprocal, fusion = none> :
  %b = arith.constant 0.0009765625 : f32
  %q = qdq.quantize %x scale %b : (tensor<2xf32>, f32) -> tensor<2xi8>
  return %p, %q : tensor<2xi8>, tensor<2xi8>
}

// CHECK-LABEL: func @zero_points
func.func @zero_points(%x: tensor<2xf32>, %q: tensor<2xui32>, %s: f32)
    -> (tensor<2xi8>, tensor<2xf8E5M2>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %i = arith.constant dense<0> : tensor<2xi8>
  %u_bits = arith.constant dense<0> : tensor<i32>
  %u = tensor.bitcast %u_bits : tensor<i32> to tensor<ui32>
  %f = arith.constant 0.0 : f32
  %n = arith.constant -0.0 : f32
  // CHECK: qdq.quantize %{{[^ ]*}} scale %{{[^ ]*}} axis 0 : (tensor<2xf32>, tensor<2xf32>)
  %scales = tensor.from_elements %s, %s : tensor<2xf32>
  %a = qdq.quantize %x scale %scales zero_point %i axis 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xi8>) -> tensor<2xi8>
  // -0 + 0 is +0, which a float stores.
  // CHECK: qdq.quantize %{{.*}} zero_point
  %b = qdq.quantize %x scale %s zero_point %f : (tensor<2xf32>, f32, f32) -> tensor<2xf8E5M2>
  // Modulo 2^32, if an option says so, code 2^31 is negative.
  // CHECK: qdq.dequantize %{{.*}} zero_point
  %c = qdq.dequantize %q scale %s zero_point %u : (tensor<2xui32>, f32, tensor<ui32>) -> tensor<2xf32>
  // CHECK: qdq.dequantize %{{[^ ]*}} scale %{{[^ ]*}} semantics <subtract = wide> :
  %d = qdq.dequantize %q scale %s zero_point %u semantics <subtract = wide> : (tensor<2xui32>, f32, tensor<ui32>) -> tensor<2xf32>
  // CHECK: qdq.dequantize %{{[^ ]*}} scale %{{[^ ]*}} : (tensor<2xui32>, f32)
  %e = qdq.dequantize %q scale %s zero_point %n in <expressed> : (tensor<2xui32>, f32, f32) -> tensor<2xf32>
  return %a, %b, %c, %d, %e : tensor<2xi8>, tensor<2xf8E5M2>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// 16 bits and their difference are integers of f32, but not of f16; 8 bits are.
// CHECK-LABEL: func @subtract_integers
func.func @subtract_integers(%q: tensor<2xi16>, %z: i16, %p: tensor<2xui8>, %y: i8, %s: f32) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK: subtract = wide
  %a = qdq.dequantize %q scale %s zero_point %z semantics <compute = f32, subtract = float> : (tensor<2xi16>, f32, i16) -> tensor<2xf32>
  // CHECK: subtract = float
  %b = qdq.dequantize %q scale %s zero_point %z semantics <subtract = float> : (tensor<2xi16>, f32, i16) -> tensor<2xf32>
  // CHECK: subtract = wide
  %c = qdq.dequantize %p scale %s zero_point %y semantics <compute = f16, subtract = float> : (tensor<2xui8>, f32, i8) -> tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @round_trip_per_axis
// CHECK-SAME: %[[Q:.*]]: tensor<2x4xui8>
func.func @round_trip_per_axis(%q: tensor<2x4xui8>) -> tensor<2x4xui8> {
  // CHECK-NOT: qdq
  // CHECK: return %[[Q]]
  %s = arith.constant dense<[0.3, 7.7]> : tensor<2xf32>
  %z_bits = arith.constant dense<[128, 3]> : tensor<2xi8>
  %z = tensor.bitcast %z_bits : tensor<2xi8> to tensor<2xui8>
  %x = qdq.dequantize %q scale %s zero_point %z axis 0 semantics #onnx : (tensor<2x4xui8>, tensor<2xf32>, tensor<2xui8>) -> tensor<2x4xf32>
  %p = qdq.quantize %x scale %s zero_point %z axis 0 semantics #onnx : (tensor<2x4xf32>, tensor<2xf32>, tensor<2xui8>) -> tensor<2x4xui8>
  return %p : tensor<2x4xui8>
}

// In f16, 255 * 300 is infinite.
// CHECK-LABEL: func @round_trip_overflows
func.func @round_trip_overflows(%q: tensor<4xui8>) -> tensor<4xui8> {
  // CHECK: qdq.dequantize
  // CHECK: qdq.quantize
  %s = arith.constant 300.0 : f16
  %x = qdq.dequantize %q scale %s semantics #onnx : (tensor<4xui8>, f16) -> tensor<4xf16>
  %p = qdq.quantize %x scale %s semantics #onnx : (tensor<4xf16>, f16) -> tensor<4xui8>
  return %p : tensor<4xui8>
}

// -128 is clamped, but the quantize before never makes it. A dequantize of a quantize stays.
// CHECK-LABEL: func @round_trip_of_narrow_codes
func.func @round_trip_of_narrow_codes(%x: tensor<4xf32>, %r: f32, %free: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
  // CHECK: %[[Q:.*]] = qdq.quantize
  // CHECK: %[[D:.*]] = qdq.dequantize %arg2
  // CHECK: %[[E:.*]] = qdq.quantize %[[D]]
  // CHECK: return %[[Q]], %[[E]]
  %s = arith.constant 0.3 : f32
  %q = qdq.quantize %x scale %r clamp [-127, 127] semantics #onnx : (tensor<4xf32>, f32) -> tensor<4xi8>
  %a = qdq.dequantize %q scale %s semantics #onnx : (tensor<4xi8>, f32) -> tensor<4xf32>
  %b = qdq.quantize %a scale %s clamp [-127, 127] semantics #onnx : (tensor<4xf32>, f32) -> tensor<4xi8>
  %c = qdq.dequantize %free scale %s semantics #onnx : (tensor<4xi8>, f32) -> tensor<4xf32>
  "test.use"(%c) : (tensor<4xf32>) -> ()
  %d = qdq.quantize %c scale %s clamp [-127, 127] semantics #onnx : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %b, %d : tensor<4xi8>, tensor<4xi8>
}

// Scales of both, a zero point of one: 0.5 / 0.25, per channel of the dequantize.
// CHECK-LABEL: func @requantize_bias
// CHECK-SAME: %[[Q:.*]]: tensor<2x4xui8>
func.func @requantize_bias(%q: tensor<2x4xui8>) -> tensor<2x4xi4> {
  // CHECK-DAG: %[[S:.*]] = arith.constant dense<[2.000000e+00, 1.000000e+00]> : tensor<2xf32>
  // CHECK-DAG: %[[Z:.*]] = arith.constant dense<[1.280000e+02, 3.000000e+00]> : tensor<2xf32>
  // CHECK: qdq.quantize %[[Q]] scale %[[S]] zero_point %[[Z]] in <expressed> axis 0
  // CHECK-NOT: qdq.dequantize
  %s = arith.constant dense<[0.25, 0.5]> : tensor<2xf32>
  %t = arith.constant 0.5 : f32
  %z_bits = arith.constant dense<[128, 3]> : tensor<2xi8>
  %z = tensor.bitcast %z_bits : tensor<2xi8> to tensor<2xui8>
  %x = qdq.dequantize %q scale %s zero_point %z axis 0 semantics #onnx : (tensor<2x4xui8>, tensor<2xf32>, tensor<2xui8>) -> tensor<2x4xf32>
  %p = qdq.quantize %x scale %t semantics #onnx : (tensor<2x4xf32>, f32) -> tensor<2x4xi4>
  return %p : tensor<2x4xi4>
}

// The reals are needed anyway, or draws decide, or something is open: all stays.
// CHECK-LABEL: func @requantize_stays
func.func @requantize_stays(%q: tensor<4xi8>) -> (tensor<4xi4>, tensor<4xi4>, tensor<4xi4>, tensor<4xf32>) {
  // CHECK-COUNT-2: qdq.dequantize
  // CHECK: qdq.quantize {{.*}}: (tensor<4xf32>
  // CHECK: qdq.dequantize
  // CHECK: qdq.quantize {{.*}} : (tensor<4xf32>
  // CHECK: qdq.quantize {{.*}} : (tensor<4xf32>
  %s = arith.constant 0.25 : f32
  %t = arith.constant 0.5 : f32
  %x = qdq.dequantize %q scale %s semantics #onnx : (tensor<4xi8>, f32) -> tensor<4xf32>
  %y = qdq.dequantize %q scale %s semantics #onnx : (tensor<4xi8>, f32) -> tensor<4xf32>
  %b = qdq.quantize %y scale %t semantics <rounding = stochastic, order = round-then-add, division = reciprocal, compute = f32, subtract = wide,
    overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate> : (tensor<4xf32>, f32) -> tensor<4xi4>
  %w = qdq.dequantize %q scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  %c = qdq.quantize %w scale %t semantics #onnx : (tensor<4xf32>, f32) -> tensor<4xi4>
  %a = qdq.quantize %x scale %t semantics #onnx : (tensor<4xf32>, f32) -> tensor<4xi4>
  return %a, %b, %c, %x : tensor<4xi4>, tensor<4xi4>, tensor<4xi4>, tensor<4xf32>
}

#wrap = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                       overflow = wrap, nan = lowest, fusion = none, float_overflow = saturate>
#ieee = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                       overflow = saturate, nan = lowest, fusion = none, float_overflow = ieee>

// Codes that wrap do not rise with the inputs, so nothing is tried: the reciprocals of all channels decide.
// CHECK-LABEL: func @quantize_wraps
func.func @quantize_wraps(%x: tensor<2x4xf32>) -> (tensor<2x4xi8>, tensor<2x4xi8>) {
  // CHECK: qdq.quantize {{.*}}division = reciprocal
  %s = arith.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %p = qdq.quantize %x scale %s axis 0 semantics #wrap : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x4xi8>
  // CHECK: qdq.quantize {{.*}}division = exact
  %t = arith.constant dense<[0.5, 0.75]> : tensor<2xf32>
  %q = qdq.quantize %x scale %t axis 0 semantics #wrap : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x4xi8>
  return %p, %q : tensor<2x4xi8>, tensor<2x4xi8>
}

// For every f16, the quotient by 3 and the product with its f32 reciprocal have one code. Infinite codes are not compared.
// CHECK-LABEL: func @quantize_float_storage
func.func @quantize_float_storage(%x: tensor<4xf16>) -> (tensor<4xf8E5M2>, tensor<4xf8E5M2>) {
  // CHECK: qdq.quantize {{.*}}division = reciprocal
  %s = arith.constant 3.0 : f32
  %p = qdq.quantize %x scale %s semantics #onnx : (tensor<4xf16>, f32) -> tensor<4xf8E5M2>
  // CHECK: qdq.quantize {{.*}}division = exact
  %q = qdq.quantize %x scale %s semantics #ieee : (tensor<4xf16>, f32) -> tensor<4xf8E5M2>
  return %p, %q : tensor<4xf8E5M2>, tensor<4xf8E5M2>
}

// Below 32 bits, no difference with 0 wraps.
// CHECK-LABEL: func @zero_point_of_bytes
func.func @zero_point_of_bytes(%q: tensor<2xui8>, %s: f32) -> tensor<2xf32> {
  %bits = arith.constant dense<0> : tensor<i8>
  %z = tensor.bitcast %bits : tensor<i8> to tensor<ui8>
  // CHECK: qdq.dequantize %{{[^ ]*}} scale %{{[^ ]*}} semantics
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = wrap32> : (tensor<2xui8>, f32, tensor<ui8>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}

// One scale: zero points of 3 and 5 make one of 5 - 3, an integer.
// CHECK-LABEL: func @requantize_difference
// CHECK-SAME: %[[Q:.*]]: tensor<4xi8>
func.func @requantize_difference(%q: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK-DAG: %[[S:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-DAG: %[[Z:.*]] = arith.constant 2 : i16
  // CHECK: qdq.quantize %[[Q]] scale %[[S]] zero_point %[[Z]] semantics
  // CHECK-NOT: qdq.dequantize
  %s = arith.constant 0.3 : f32
  %a = arith.constant 3 : i8
  %b = arith.constant 5 : i8
  %x = qdq.dequantize %q scale %s zero_point %a semantics #onnx : (tensor<4xi8>, f32, i8) -> tensor<4xf32>
  %p = qdq.quantize %x scale %s zero_point %b semantics #onnx : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
  return %p : tensor<4xi8>
}
