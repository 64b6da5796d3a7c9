// RUN: quant-opt %s --canonicalize --split-input-file | FileCheck %s

// A cast that only forgets sizes goes behind the op; semantics, seeds and attributes of others stay.
// CHECK-LABEL: func @quantize_axis_cast
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<8xf32>, %[[SEED:.*]]: i64
func.func @quantize_axis_cast(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %seed: i64) -> tensor<?x?xi8> {
  // CHECK: %[[Q:.*]] = qdq.quantize %[[X]] scale %[[S]] axis 1 clamp [-7, 7] semantics <rounding = stochastic> seed %[[SEED]] {mine = 1 : i32}
  // CHECK-SAME: (tensor<4x8xf32>, tensor<8xf32>, i64) -> tensor<4x8xi8>
  // CHECK: %[[C:.*]] = tensor.cast %[[Q]] : tensor<4x8xi8> to tensor<?x?xi8>
  // CHECK: return %[[C]]
  %xd = tensor.cast %x : tensor<4x8xf32> to tensor<?x?xf32>
  %sd = tensor.cast %s : tensor<8xf32> to tensor<?xf32>
  %q = qdq.quantize %xd scale %sd axis 1 clamp [-7, 7] semantics <rounding = stochastic> seed %seed {mine = 1 : i32}
     : (tensor<?x?xf32>, tensor<?xf32>, i64) -> tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}

// What the result knows already is not forgotten; the pair stays.
// CHECK-LABEL: func @dequantize_blocked_cast_pair
func.func @dequantize_blocked_cast_pair(%x: tensor<?x64xf32>, %s: tensor<4x2xf32>) -> tensor<4x?xf32> {
  // CHECK: %[[Q:.*]] = qdq.quantize {{.*}} -> tensor<4x64xi8>
  // CHECK: %[[Y:.*]] = qdq.dequantize %[[Q]] {{.*}} : (tensor<4x64xi8>, tensor<4x2xf32>, tensor<i8>) -> tensor<4x64xf32>
  // CHECK: tensor.cast %[[Y]] : tensor<4x64xf32> to tensor<4x?xf32>
  %z = arith.constant dense<3> : tensor<i8>
  %xd = tensor.cast %x : tensor<?x64xf32> to tensor<?x?xf32>
  %q = qdq.quantize %xd scale %s block_shape [1, 32] : (tensor<?x?xf32>, tensor<4x2xf32>) -> tensor<4x?xi8>
  %y = qdq.dequantize %q scale %s zero_point %z block_shape [1, 32]
     : (tensor<4x?xi8>, tensor<4x2xf32>, tensor<i8>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// CHECK-LABEL: func @quantize_unranked_cast
func.func @quantize_unranked_cast(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<*xi8> {
  // CHECK: %[[Q:.*]] = qdq.quantize {{.*}} axis -1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi8>
  // CHECK: tensor.cast %[[Q]] : tensor<4x8xi8> to tensor<*xi8>
  %u = tensor.cast %x : tensor<4x8xf32> to tensor<*xf32>
  %q = qdq.quantize %u scale %s axis -1 : (tensor<*xf32>, tensor<8xf32>) -> tensor<*xi8>
  return %q : tensor<*xi8>
}

// CHECK-LABEL: func @choose_params_blocked_cast
func.func @choose_params_blocked_cast(%x: tensor<4x100xf32>) -> (tensor<?x?xf32>, tensor<4x?xi8>) {
  // CHECK: %[[S:.*]], %[[Z:.*]] = qdq.choose_params {{.*}} : (tensor<4x100xf32>) -> (tensor<4x4xf32>, tensor<4x4xi8>)
  // CHECK-DAG: tensor.cast %[[S]] : tensor<4x4xf32> to tensor<?x?xf32>
  // CHECK-DAG: tensor.cast %[[Z]] : tensor<4x4xi8> to tensor<4x?xi8>
  %xd = tensor.cast %x : tensor<4x100xf32> to tensor<?x?xf32>
  %s, %z = qdq.choose_params %xd block_shape [1, 32] : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<4x?xi8>)
  return %s, %z : tensor<?x?xf32>, tensor<4x?xi8>
}

// Elements that containers hold in full, and those that `sizes` counts.
// CHECK-LABEL: func @unpack_cast
// CHECK-SAME: %{{.*}}: tensor<3x6xi32>, %{{.*}}: tensor<8xi8>, %[[N:.*]]: index
func.func @unpack_cast(%c: tensor<3x6xi32>, %b: tensor<8xi8>, %n: index) -> (tensor<?x6xui3>, tensor<?x5xi4>) {
  // CHECK: qdq.unpack {{.*}} : (tensor<3x6xi32>) -> tensor<32x6xui3>
  // CHECK: qdq.unpack {{.*}} sizes(%[[N]]) : (tensor<8xi8>, index) -> tensor<?x5xi4>
  %cd = tensor.cast %c : tensor<3x6xi32> to tensor<?x?xi32>
  %bd = tensor.cast %b : tensor<8xi8> to tensor<?xi8>
  %e = qdq.unpack %cd packing <gptq-v2> : (tensor<?x?xi32>) -> tensor<?x6xui3>
  %f = qdq.unpack %bd packing <onnx> sizes(%n) : (tensor<?xi8>, index) -> tensor<?x5xi4>
  return %e, %f : tensor<?x6xui3>, tensor<?x5xi4>
}

// CHECK-LABEL: func @pack_cast
func.func @pack_cast(%q: tensor<3x5xi4>, %r: tensor<33x6xui3>) -> (tensor<?xi8>, tensor<?x?xi32>) {
  // CHECK: qdq.pack {{.*}} : (tensor<3x5xi4>) -> tensor<8xi8>
  // CHECK: qdq.pack {{.*}} : (tensor<33x6xui3>) -> tensor<4x6xi32>
  %qd = tensor.cast %q : tensor<3x5xi4> to tensor<3x?xi4>
  %rd = tensor.cast %r : tensor<33x6xui3> to tensor<?x?xui3>
  %a = qdq.pack %qd packing <onnx> : (tensor<3x?xi4>) -> tensor<?xi8>
  %b = qdq.pack %rd packing <gptq-v2> : (tensor<?x?xui3>) -> tensor<?x?xi32>
  return %a, %b : tensor<?xi8>, tensor<?x?xi32>
}

// -----

// Sizes that disagree are wrong at run time only: absorbing them would make the op invalid.
// CHECK-LABEL: func @casts_that_disagree
func.func @casts_that_disagree(%x: tensor<4xf32>, %s: tensor<8xf32>, %u: tensor<f32>, %c: tensor<3xi8>)
    -> (tensor<?xi8>, tensor<5xi8>, tensor<*xi8>, tensor<7xi4>) {
  // CHECK-COUNT-4: tensor.cast
  // CHECK: qdq.quantize {{.*}} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi8>
  // CHECK: qdq.quantize {{.*}} : (tensor<?xf32>, tensor<?xf32>) -> tensor<5xi8>
  // CHECK: qdq.quantize {{.*}} axis 0 : (tensor<*xf32>
  // CHECK: qdq.unpack {{.*}} : (tensor<?xi8>) -> tensor<7xi4>
  %xd = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %sd = tensor.cast %s : tensor<8xf32> to tensor<?xf32>
  %ud = tensor.cast %u : tensor<f32> to tensor<*xf32>
  %cd = tensor.cast %c : tensor<3xi8> to tensor<?xi8>
  %a = qdq.quantize %xd scale %sd axis 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi8>
  %b = qdq.quantize %xd scale %sd axis 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<5xi8>
  %d = qdq.quantize %ud scale %s axis 0 : (tensor<*xf32>, tensor<8xf32>) -> tensor<*xi8>
  %e = qdq.unpack %cd packing <onnx> : (tensor<?xi8>) -> tensor<7xi4>
  return %a, %b, %d, %e : tensor<?xi8>, tensor<5xi8>, tensor<*xi8>, tensor<7xi4>
}

// -----

// A whole that has no room for the static sizes: wrong at run time only.
// CHECK-LABEL: func.func @position_beyond_whole
func.func @position_beyond_whole(%x: tensor<4x4xf32>, %s: f32) -> tensor<?x?xi8> {
  // CHECK: tensor.cast
  // CHECK: at [1, 1] of [4, 4] : (tensor<?x?xf32>, f32)
  %c = tensor.cast %x : tensor<4x4xf32> to tensor<?x?xf32>
  %q = qdq.quantize %c scale %s semantics <rounding = stochastic> at [1, 1] of [4, 4] : (tensor<?x?xf32>, f32) -> tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}
