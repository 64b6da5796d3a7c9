// RUN: quant-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition))' | FileCheck %s

shard.grid @grid(shape = 2x4)

// Scales follow the values: whole blocks go to each device.
// CHECK-LABEL: func @quantize_blocked
// CHECK-SAME: tensor<4x64xf32>, %{{.*}}: tensor<4x2xf32>, %{{.*}}: tensor<i8>) -> tensor<4x64xi8>
func.func @quantize_blocked(%x: tensor<8x256xf32>, %s: tensor<8x8xf32>, %z: tensor<i8>) -> tensor<8x256xi8> {
  // CHECK: qdq.quantize {{.*}} block_shape [1, 32] {{.*}} : (tensor<4x64xf32>, tensor<4x2xf32>, tensor<i8>) -> tensor<4x64xi8>
  %sharding = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %q = qdq.quantize %x scale %s zero_point %z block_shape [1, 32] semantics <rounding = nearest-even>
     : (tensor<8x256xf32>, tensor<8x8xf32>, tensor<i8>) -> tensor<8x256xi8>
  %r = shard.shard %q to %sharding : tensor<8x256xi8>
  return %r : tensor<8x256xi8>
}

// A dimension that shares one scale may be split; every device has that scale. Scalars have no sharding.
// CHECK-LABEL: func @dequantize_whole_dimension
func.func @dequantize_whole_dimension(%q: tensor<8x256xi8>, %s: tensor<8x1xf32>, %z: i8) -> tensor<8x256xf32> {
  // CHECK: qdq.dequantize {{.*}} block_shape [1, 0] : (tensor<8x64xi8>, tensor<8x1xf32>, i8) -> tensor<8x64xf32>
  %sharding = shard.sharding @grid split_axes = [[], [1]] : !shard.sharding
  %a = shard.shard %q to %sharding annotate_for_users : tensor<8x256xi8>
  %x = qdq.dequantize %a scale %s zero_point %z block_shape [1, 0] : (tensor<8x256xi8>, tensor<8x1xf32>, i8) -> tensor<8x256xf32>
  %r = shard.shard %x to %sharding : tensor<8x256xf32>
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
  %r = shard.shard %y to %sharding : tensor<8x?xf32>
  return %r : tensor<8x?xf32>
}
