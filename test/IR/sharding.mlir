// RUN: quant-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition))' | FileCheck %s

// CHECK-DAG: #[[ROWS:.*]] = affine_map<()[s0] -> (s0 * 4)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<()[s0] -> (s0 * 64)>
// CHECK-DAG: #[[ROW_MAJOR:.*]] = affine_map<()[s0, s1] -> (s0 * 64 + s1 * 32 + 3)>
// CHECK-DAG: #[[OFFSET:.*]] = affine_map<()[s0, s1] -> (s0 * s1)>
// CHECK-DAG: #[[WHOLE:.*]] = affine_map<()[s0] -> (s0 * 2)>
shard.grid @grid(shape = 2x4)

// Scales follow the values: whole blocks go to each device.
// CHECK-LABEL: func @quantize_blocked
// CHECK-SAME: tensor<4x64xf32>, %{{.*}}: tensor<4x2xf32>, %{{.*}}: tensor<i8>) -> tensor<4x64xi8>
func.func @quantize_blocked(%x: tensor<8x256xf32>, %s: tensor<8x8xf32>, %z: tensor<i8>) -> tensor<8x256xi8> {
  // CHECK: qdq.quantize {{.*}} block_shape [1, 32] {{.*}} : (tensor<4x64xf32>, tensor<4x2xf32>, tensor<i8>) -> tensor<4x64xi8>
  %sharding = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %q = qdq.quantize %x scale %s zero_point %z block_shape [1, 32] semantics <rounding = nearest-even>
     : (tensor<8x256xf32>, tensor<8x8xf32>, tensor<i8>) -> tensor<8x256xi8>
  %own = shard.shard %q to %sharding : tensor<8x256xi8>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<8x256xi8>
  return %r : tensor<8x256xi8>
}

// A dimension that shares one scale may be split; every device has that scale. Scalars have no sharding.
// CHECK-LABEL: func @dequantize_whole_dimension
func.func @dequantize_whole_dimension(%q: tensor<8x256xi8>, %s: tensor<8x1xf32>, %z: i8) -> tensor<8x256xf32> {
  // CHECK: qdq.dequantize {{.*}} block_shape [1, 0] : (tensor<8x64xi8>, tensor<8x1xf32>, i8) -> tensor<8x64xf32>
  %sharding = shard.sharding @grid split_axes = [[], [1]] : !shard.sharding
  %a = shard.shard %q to %sharding annotate_for_users : tensor<8x256xi8>
  %x = qdq.dequantize %a scale %s zero_point %z block_shape [1, 0] : (tensor<8x256xi8>, tensor<8x1xf32>, i8) -> tensor<8x256xf32>
  %own = shard.shard %x to %sharding : tensor<8x256xf32>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<8x256xf32>
  return %r : tensor<8x256xf32>
}

// Per axis, through a chain, from the results on.
// CHECK-LABEL: func @choose_quantize_dequantize_axis
func.func @choose_quantize_dequantize_axis(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  // CHECK: qdq.choose_params {{.*}} axis 0 : (tensor<1x?xf32>) -> (tensor<1xf32>, tensor<1xui8>)
  // CHECK: qdq.quantize {{.*}} : (tensor<1x?xf32>, tensor<1xf32>, tensor<1xui8>) -> tensor<1x?xui8>
  // CHECK: qdq.dequantize {{.*}} : (tensor<1x?xui8>, tensor<1xf32>, tensor<1xui8>) -> tensor<1x?xf32>
  %sharding = shard.sharding @grid split_axes = [[0, 1]] : !shard.sharding
  %a = shard.shard %x to %sharding : tensor<8x?xf32>
  %b = shard.shard %a to %sharding annotate_for_users : tensor<8x?xf32>
  %c = shard.shard %a to %sharding annotate_for_users : tensor<8x?xf32>
  %s, %z = qdq.choose_params %b axis 0 : (tensor<8x?xf32>) -> (tensor<8xf32>, tensor<8xui8>)
  %q = qdq.quantize %c scale %s zero_point %z axis 0 semantics <rounding = nearest-even>
     : (tensor<8x?xf32>, tensor<8xf32>, tensor<8xui8>) -> tensor<8x?xui8>
  %y = qdq.dequantize %q scale %s zero_point %z axis 0 : (tensor<8x?xui8>, tensor<8xf32>, tensor<8xui8>) -> tensor<8x?xf32>
  %own = shard.shard %y to %sharding : tensor<8x?xf32>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<8x?xf32>
  return %r : tensor<8x?xf32>
}

// What may draw says where its part lies in the whole.
// CHECK-LABEL: func @quantize_stochastic
func.func @quantize_stochastic(%x: tensor<8x256xf32>, %s: tensor<8x8xf32>, %seed: i64) -> tensor<8x256xi8> {
  // CHECK: %[[P:.*]] = shard.process_multi_index on @grid axes = [0]
  // CHECK: %[[I:.*]] = affine.apply #[[ROWS]]()[%[[P]]]
  // CHECK: %[[P:.*]] = shard.process_multi_index on @grid axes = [1]
  // CHECK: %[[J:.*]] = affine.apply #[[COLUMNS]]()[%[[P]]]
  // CHECK: qdq.quantize {{.*}} seed %{{.*}} at [%[[I]], %[[J]]] of [8, 256] : (tensor<4x64xf32>, tensor<4x2xf32>, i64, index, index)
  %sharding = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %q = qdq.quantize %x scale %s block_shape [1, 32] semantics <rounding = stochastic> seed %seed
     : (tensor<8x256xf32>, tensor<8x8xf32>, i64) -> tensor<8x256xi8>
  %own = shard.shard %q to %sharding : tensor<8x256xi8>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<8x256xi8>
  return %r : tensor<8x256xi8>
}

// Two axes split one dimension, row-major in their order; a position that is there is added to. Rounding is open.
// CHECK-LABEL: func @quantize_open_position
func.func @quantize_open_position(%x: tensor<8x256xf32>, %s: f32, %i: index) -> tensor<8x256xi8> {
  // CHECK: %[[P:.*]]:2 = shard.process_multi_index on @grid axes = [1, 0]
  // CHECK: %[[J:.*]] = affine.apply #[[ROW_MAJOR]]()[%[[P]]#0, %[[P]]#1]
  // CHECK: qdq.quantize {{.*}} at [%{{.*}}, 2, %[[J]]] of [5, 16, 1000] : (tensor<8x32xf32>,
  %sharding = shard.sharding @grid split_axes = [[], [1, 0]] : !shard.sharding
  %q = qdq.quantize %x scale %s at [%i, 2, 3] of [5, 16, 1000] : (tensor<8x256xf32>, f32, index) -> tensor<8x256xi8>
  %own = shard.shard %q to %sharding : tensor<8x256xi8>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<8x256xi8>
  return %r : tensor<8x256xi8>
}

// The whole has as many parts as there are processes.
// CHECK-LABEL: func @quantize_stochastic_dynamic
func.func @quantize_stochastic_dynamic(%x: tensor<?x?xf32>, %s: f32) -> tensor<?x?xi8> {
  // CHECK: %[[M:.*]] = tensor.dim
  // CHECK: %[[N:.*]] = tensor.dim
  // CHECK: %[[P:.*]] = shard.process_multi_index on @grid axes = [0]
  // CHECK: %[[I:.*]] = affine.apply #[[OFFSET]]()[%[[P]], %[[M]]]
  // CHECK: %[[SIZE:.*]] = affine.apply #[[WHOLE]]()[%[[M]]]
  // CHECK: qdq.quantize {{.*}} at [%[[I]], 0] of [%[[SIZE]], %[[N]]]
  %sharding = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<?x?xf32>, f32) -> tensor<?x?xi8>
  %own = shard.shard %q to %sharding : tensor<?x?xi8>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<?x?xi8>
  return %r : tensor<?x?xi8>
}

// A process that has the whole needs no position.
// CHECK-LABEL: func @quantize_stochastic_replicated
func.func @quantize_stochastic_replicated(%x: tensor<8xf32>, %s: f32) -> tensor<8xi8> {
  // CHECK-NOT: shard.
  // CHECK: qdq.quantize %{{.*}} scale %{{.*}} semantics <rounding = stochastic> : (tensor<8xf32>, f32) -> tensor<8xi8>
  %sharding = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<8xf32>, f32) -> tensor<8xi8>
  %own = shard.shard %q to %sharding : tensor<8xi8>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<8xi8>
  return %r : tensor<8xi8>
}

// A scalar has nothing to split.
// CHECK-LABEL: func.func @quantize_rank_0
func.func @quantize_rank_0(%x: tensor<f32>, %s: f32) -> tensor<i8> {
  // CHECK: qdq.quantize %{{.*}} : (tensor<f32>, f32) -> tensor<i8>
  %q = qdq.quantize %x scale %s semantics <rounding = floor> : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// Containers follow their elements; a part fills whole ones.
// CHECK-LABEL: func @packing
func.func @packing(%c: tensor<8x128xi8>) -> tensor<8x32xi32> {
  // CHECK: qdq.unpack %{{.*}} : (tensor<4x32xi8>) -> tensor<4x64xui4>
  // CHECK: qdq.pack %{{.*}} : (tensor<4x64xui4>) -> tensor<4x8xi32>
  %sharding = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %q = qdq.unpack %c packing <bits = 4, axis = 1> : (tensor<8x128xi8>) -> tensor<8x256xui4>
  %p = qdq.pack %q packing <awq-gemv> : (tensor<8x256xui4>) -> tensor<8x32xi32>
  %own = shard.shard %p to %sharding : tensor<8x32xi32>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<8x32xi32>
  return %r : tensor<8x32xi32>
}

// Without an axis they follow the first dimension.
// CHECK-LABEL: func @packing_flat
func.func @packing_flat(%c: tensor<56xi8>) -> tensor<16x7xi4> {
  // CHECK: qdq.unpack %{{.*}} packing <onnx> : (tensor<7xi8>) -> tensor<2x7xi4>
  %sharding = shard.sharding @grid split_axes = [[0, 1]] : !shard.sharding
  %q = qdq.unpack %c packing <onnx> : (tensor<56xi8>) -> tensor<16x7xi4>
  %own = shard.shard %q to %sharding : tensor<16x7xi4>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<16x7xi4>
  return %r : tensor<16x7xi4>
}
