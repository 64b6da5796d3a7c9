// RUN: quant-opt %s --pass-pipeline='builtin.module(func.func(shard-partition))' --split-input-file --verify-diagnostics

// Annotated by hand: a scale that every device has whole, beside values of which each has a part.
shard.grid @grid(shape = 4)
func.func @scale_not_split(%q: tensor<8xi8>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %split = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %whole = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %a = shard.shard %q to %split : tensor<8xi8>
  %b = shard.shard %a to %split annotate_for_users : tensor<8xi8>
  %c = shard.shard %s to %whole : tensor<8xf32>
  %d = shard.shard %c to %whole annotate_for_users : tensor<8xf32>
  // expected-error @below {{operand 1 is split along dimension 0 otherwise than the input: expected parameters to follow their values}}
  %x = qdq.dequantize %b scale %d axis 0 : (tensor<8xi8>, tensor<8xf32>) -> tensor<8xf32>
  %r = shard.shard %x to %split : tensor<8xf32>
  %e = shard.shard %r to %split annotate_for_users : tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @uneven_parts(%q: tensor<8xi8>, %s: tensor<f32>) -> tensor<8xf32> {
  %split = shard.sharding @grid split_axes = [[0]] sharded_dims_offsets = [0, 3, 8] : !shard.sharding
  %a = shard.shard %q to %split : tensor<8xi8>
  %b = shard.shard %a to %split annotate_for_users : tensor<8xi8>
  // expected-error @below {{has a sharding with halos or with offsets of its own: expected equal parts}}
  %x = qdq.dequantize %b scale %s : (tensor<8xi8>, tensor<f32>) -> tensor<8xf32>
  %r = shard.shard %x to %split : tensor<8xf32>
  %e = shard.shard %r to %split annotate_for_users : tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

// Nothing says where the draws of an overlapping part lie.
shard.grid @grid(shape = 2)
func.func @stochastic_halo(%x: tensor<8xf32>, %s: f32) -> tensor<8xi8> {
  %split = shard.sharding @grid split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %a = shard.shard %x to %split : tensor<8xf32>
  %b = shard.shard %a to %split annotate_for_users : tensor<8xf32>
  // expected-error @below {{has a sharding with halos or with offsets of its own: expected equal parts}}
  %q = qdq.quantize %b scale %s semantics <rounding = stochastic> : (tensor<8xf32>, f32) -> tensor<8xi8>
  %r = shard.shard %q to %split : tensor<8xi8>
  %e = shard.shard %r to %split annotate_for_users : tensor<8xi8>
  return %e : tensor<8xi8>
}
