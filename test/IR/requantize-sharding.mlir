// RUN: quant-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition))' | FileCheck %s

shard.grid @grid(shape = 2x4)

// Each parameter follows the dimensions that it has.
// CHECK-LABEL: func @rows_and_columns
func.func @rows_and_columns(%acc: tensor<8x64xi32>, %rows: tensor<8x1xf32>, %columns: tensor<1x64xf32>, %s: f32) -> tensor<8x64xi8> {
  // CHECK: qdq.requantize {{.*}} block_shape [1, 1] : (tensor<4x16xi32>, tensor<4x1xf32>, tensor<1x16xf32>, f32) -> tensor<4x16xi8>
  %sharding = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %q = qdq.requantize %acc rescale <separate> multiplier %rows, %columns, %s block_shape [1, 1]
     : (tensor<8x64xi32>, tensor<8x1xf32>, tensor<1x64xf32>, f32) -> tensor<8x64xi8>
  %own = shard.shard %q to %sharding : tensor<8x64xi8>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<8x64xi8>
  return %r : tensor<8x64xi8>
}

// CHECK-LABEL: func @axis
func.func @axis(%acc: tensor<8x64xi32>, %m: tensor<64xi32>, %t: tensor<64xi8>, %z: tensor<i8>) -> tensor<8x64xi8> {
  // CHECK: qdq.requantize {{.*}} axis 1 : (tensor<8x16xi32>, tensor<16xi32>, tensor<16xi8>, tensor<i8>) -> tensor<8x16xi8>
  %sharding = shard.sharding @grid split_axes = [[], [1]] : !shard.sharding
  %q = qdq.requantize %acc rescale <fixed31-double> multiplier %m shift %t zero_point %z axis 1
     : (tensor<8x64xi32>, tensor<64xi32>, tensor<64xi8>, tensor<i8>) -> tensor<8x64xi8>
  %own = shard.shard %q to %sharding : tensor<8x64xi8>
  %r = shard.shard %own to %sharding annotate_for_users : tensor<8x64xi8>
  return %r : tensor<8x64xi8>
}
