// RUN: quant-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation))' --split-input-file --verify-diagnostics

shard.grid @grid(shape = 4)
func.func @split_within_block(%x: tensor<8x64xf32>, %s: tensor<8x2xf32>) -> tensor<8x64xi8> {
  %sharding = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  // expected-error @below {{dimension 1 of size 64 cannot be split into 4 equal parts of whole blocks of 32 elements}}
  // expected-error @below {{fail to set sharding annotations}}
  %q = qdq.quantize %x scale %s block_shape [1, 32] semantics <rounding = nearest-even>
     : (tensor<8x64xf32>, tensor<8x2xf32>) -> tensor<8x64xi8>
  %r = shard.shard %q to %sharding : tensor<8x64xi8>
  return %r : tensor<8x64xi8>
}

// -----

shard.grid @grid(shape = 4)
func.func @uneven_parts(%q: tensor<10xi8>, %s: tensor<10xf32>) -> tensor<10xf32> {
  %sharding = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  // expected-error @below {{dimension 0 of size 10 cannot be split into 4 equal parts}}
  // expected-error @below {{fail to set sharding annotations}}
  %x = qdq.dequantize %q scale %s axis 0 : (tensor<10xi8>, tensor<10xf32>) -> tensor<10xf32>
  %r = shard.shard %x to %sharding : tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----

shard.grid @grid(shape = 4)
func.func @unknown_size(%q: tensor<?xi8>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %sharding = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  // expected-error @below {{dimension 0 has blocks of 32 elements, and is split into parts of unknown size}}
  // expected-error @below {{fail to set sharding annotations}}
  %x = qdq.dequantize %q scale %s block_shape [32] : (tensor<?xi8>, tensor<?xf32>) -> tensor<?xf32>
  %r = shard.shard %x to %sharding : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

shard.grid @grid(shape = 4)
func.func @shared_scale(%x: tensor<8x4xf32>) -> (tensor<8xf32>) {
  %sharding = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %a = shard.shard %x to %sharding annotate_for_users : tensor<8x4xf32>
  // expected-error @below {{has elements in several shards that share a scale: dimension 1 cannot be split}}
  // expected-error @below {{fail to set sharding annotations}}
  %s = qdq.choose_params %a mode <symmetric> storage i8 axis 0 : (tensor<8x4xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 4)
func.func @parts_of_containers(%c: tensor<2x3xi32>) -> tensor<2x24xui4> {
  %sharding = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  // expected-error @below {{dimension 1 of size 24 cannot be split into 4 equal parts of whole containers, which hold multiples of 8 elements}}
  // expected-error @below {{fail to set sharding annotations}}
  %q = qdq.unpack %c packing <awq-gemv> : (tensor<2x3xi32>) -> tensor<2x24xui4>
  %r = shard.shard %q to %sharding : tensor<2x24xui4>
  return %r : tensor<2x24xui4>
}

// -----

shard.grid @grid(shape = 4)
func.func @unknown_containers(%x: tensor<?xui4>) -> tensor<?xi8> {
  %sharding = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  // expected-error @below {{dimension 0 fills containers by 2 elements, and is split into parts of unknown size}}
  // expected-error @below {{fail to set sharding annotations}}
  %q = qdq.pack %x packing <onnx> : (tensor<?xui4>) -> tensor<?xi8>
  %r = shard.shard %q to %sharding : tensor<?xi8>
  return %r : tensor<?xi8>
}

// -----

shard.grid @grid(shape = 4)
func.func @second_dimension_without_axis(%c: tensor<32xi8>) -> tensor<8x8xui4> {
  %sharding = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  // expected-error @below {{cannot be split along dimension 1: its packing has no axis, and follows dimension 0}}
  // expected-error @below {{fail to set sharding annotations}}
  %q = qdq.unpack %c packing <onnx> : (tensor<32xi8>) -> tensor<8x8xui4>
  %r = shard.shard %q to %sharding : tensor<8x8xui4>
  return %r : tensor<8x8xui4>
}

// -----

shard.grid @grid(shape = 4)
func.func @given_size(%c: tensor<?x4xi8>, %n: index) -> tensor<?x8xui4> {
  %sharding = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  // expected-error @below {{is given the size of dimension 0, which cannot be split}}
  // expected-error @below {{fail to set sharding annotations}}
  %q = qdq.unpack %c packing <bits = 4, axis = 1> sizes(%n) : (tensor<?x4xi8>, index) -> tensor<?x8xui4>
  %r = shard.shard %q to %sharding : tensor<?x8xui4>
  return %r : tensor<?x8xui4>
}
