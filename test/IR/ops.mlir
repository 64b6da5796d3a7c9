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
      semantics = #qdq.semantics<nan = "zero-point", rounding = nearest-even, float_overflow = ieee>}
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
