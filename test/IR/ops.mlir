// RUN: quant-opt %s | quant-opt | FileCheck %s
// RUN: quant-opt %s --emit-bytecode | quant-opt | FileCheck %s

// CHECK-LABEL: func @quantize_per_tensor
func.func @quantize_per_tensor(%x: tensor<4x?xf32>, %s: f32, %z: i8) -> tensor<4x?xi8> {
  // CHECK: qdq.quantize %{{.*}} scale %{{.*}} zero_point %{{.*}} : (tensor<4x?xf32>, f32, i8) -> tensor<4x?xi8>
  %q = qdq.quantize %x scale %s zero_point %z : (tensor<4x?xf32>, f32, i8) -> tensor<4x?xi8>
  return %q : tensor<4x?xi8>
}

// CHECK-LABEL: func @quantize_per_axis_semantics
func.func @quantize_per_axis_semantics(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %z: tensor<8xui8>) -> tensor<4x8xui8> {
  // CHECK: zero_point %{{.*}} axis -1 clamp [1, 255] semantics <rounding = nearest-even, nan = zero-point, float_overflow = ieee>
  %q = "qdq.quantize"(%x, %s, %z) {axis = -1 : i64, clamp = array<i64: 1, 255>,
      semantics = #qdq.semantics<nan = "zero-point", rounding = nearest-even, float_overflow = ieee>,
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xui8>) -> tensor<4x8xui8>
  return %q : tensor<4x8xui8>
}

// CHECK-LABEL: func @dequantize_blocked_bias
func.func @dequantize_blocked_bias(%q: tensor<4x100xi4>, %s: tensor<4x4xf16>, %z: tensor<4x4xf16>) -> tensor<4x100xf16> {
  // CHECK: qdq.dequantize %{{.*}} scale %{{.*}} zero_point %{{.*}} in <expressed> block_shape [1, 32] :
  %x = qdq.dequantize %q scale %s zero_point %z in <expressed> block_shape [1, 32]
     : (tensor<4x100xi4>, tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x100xf16>
  return %x : tensor<4x100xf16>
}

// CHECK-LABEL: func @dequantize_scalar_vector_unranked
func.func @dequantize_scalar_vector_unranked(%q: si8, %v: vector<4x8xi3>, %u: tensor<*xui16>, %s: f32, %vs: vector<8xf32>,
                                             %us: tensor<?xf8E8M0FNU>) -> (f32, vector<4x8xbf16>, tensor<*xf32>) {
  // CHECK: (si8, f32) -> f32
  %a = qdq.dequantize %q scale %s : (si8, f32) -> f32
  // CHECK: axis 1 : (vector<4x8xi3>, vector<8xf32>) -> vector<4x8xbf16>
  %b = qdq.dequantize %v scale %vs axis 1 : (vector<4x8xi3>, vector<8xf32>) -> vector<4x8xbf16>
  // CHECK: axis -2 : (tensor<*xui16>, tensor<?xf8E8M0FNU>) -> tensor<*xf32>
  %c = qdq.dequantize %u scale %us axis -2 : (tensor<*xui16>, tensor<?xf8E8M0FNU>) -> tensor<*xf32>
  return %a, %b, %c : f32, vector<4x8xbf16>, tensor<*xf32>
}

// CHECK-LABEL: func @choose_params
func.func @choose_params(%x: tensor<?x64xf32>) -> (tensor<f32>, tensor<ui8>, tensor<?x2xf32>, tensor<?x2xi8>) {
  // CHECK: qdq.choose_params %{{.*}} : (tensor<?x64xf32>) -> (tensor<f32>, tensor<ui8>)
  %s, %z = qdq.choose_params %x : (tensor<?x64xf32>) -> (tensor<f32>, tensor<ui8>)
  // CHECK: mode <symmetric> block_shape [1, 32] clamp [-127, 127] :
  %bs, %bz = qdq.choose_params %x mode <symmetric> block_shape [1, 32] clamp [-127, 127] : (tensor<?x64xf32>) -> (tensor<?x2xf32>, tensor<?x2xi8>)
  return %s, %z, %bs, %bz : tensor<f32>, tensor<ui8>, tensor<?x2xf32>, tensor<?x2xi8>
}

// CHECK-LABEL: func @quantize_runtime_seed
func.func @quantize_runtime_seed(%x: tensor<4xf32>, %s: f32, %z: i8, %seed: i64) -> (tensor<4xi8>, tensor<4xi8>) {
  // CHECK: qdq.quantize %{{.*}} scale %{{.*}} semantics <rounding = stochastic> seed %{{.*}} : (tensor<4xf32>, f32, i64) -> tensor<4xi8>
  %a = qdq.quantize %x scale %s semantics <rounding = stochastic> seed %seed : (tensor<4xf32>, f32, i64) -> tensor<4xi8>
  // CHECK: zero_point %{{.*}} seed %{{.*}} : (tensor<4xf32>, f32, i8, i64) -> tensor<4xi8>
  %b = qdq.quantize %x scale %s zero_point %z seed %seed : (tensor<4xf32>, f32, i8, i64) -> tensor<4xi8>
  return %a, %b : tensor<4xi8>, tensor<4xi8>
}

// CHECK-LABEL: func @choose_params_of_onnx_runtime
func.func @choose_params_of_onnx_runtime(%x: tensor<?xf32>) -> (tensor<f32>, tensor<ui8>) {
  // CHECK: qdq.choose_params %{{.*}} mode <ort> : (tensor<?xf32>) -> (tensor<f32>, tensor<ui8>)
  %s, %z = qdq.choose_params %x mode <ort> : (tensor<?xf32>) -> (tensor<f32>, tensor<ui8>)
  return %s, %z : tensor<f32>, tensor<ui8>
}

// CHECK-LABEL: func @choose_params_without_zero_point
func.func @choose_params_without_zero_point(%x: tensor<4x64xf32>, %u: tensor<*xf16>) -> (tensor<4x2xf8E8M0FNU>, tensor<?xf8E4M3FN>) {
  // CHECK: mode <symmetric> storage f8E4M3FN power_of_two <floor> block_shape [1, 32] : (tensor<4x64xf32>) -> tensor<4x2xf8E8M0FNU>
  %a = qdq.choose_params %x mode <symmetric> storage f8E4M3FN power_of_two <floor> block_shape [1, 32] : (tensor<4x64xf32>) -> tensor<4x2xf8E8M0FNU>
  // CHECK: mode <symmetric> storage i4 axis -1 clamp [-7, 7] : (tensor<*xf16>) -> tensor<?xf8E4M3FN>
  %b = qdq.choose_params %u mode <symmetric> storage i4 axis -1 clamp [-7, 7] : (tensor<*xf16>) -> tensor<?xf8E4M3FN>
  return %a, %b : tensor<4x2xf8E8M0FNU>, tensor<?xf8E4M3FN>
}

// CHECK-LABEL: func @quantize_position
func.func @quantize_position(%t: tensor<4x?xf32>, %v: vector<4xf32>, %x: f32, %s: f32, %seed: i64, %i: index, %n: index) -> (tensor<4x?xi8>, vector<4xi8>, i8) {
  // CHECK: qdq.quantize %{{.*}} seed %{{.*}} at [%{{.*}}, 8] of [16, %{{.*}}] : (tensor<4x?xf32>, f32, i64, index, index) -> tensor<4x?xi8>
  %a = qdq.quantize %t scale %s seed %seed at [%i, 8] of [16, %n] : (tensor<4x?xf32>, f32, i64, index, index) -> tensor<4x?xi8>
  // A row of a whole of more dimensions.
  // CHECK: qdq.quantize %{{.*}} at [1, 4] of [2, 8] : (vector<4xf32>, f32) -> vector<4xi8>
  %b = qdq.quantize %v scale %s at [1, 4] of [2, 8] : (vector<4xf32>, f32) -> vector<4xi8>
  // CHECK: qdq.quantize %{{.*}} at [%{{.*}}] of [%{{.*}}] : (f32, f32, index, index) -> i8
  %c = qdq.quantize %x scale %s at [%i] of [%n] : (f32, f32, index, index) -> i8
  return %a, %b, %c : tensor<4x?xi8>, vector<4xi8>, i8
}
