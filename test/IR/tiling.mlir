// RUN: quant-opt %s --transform-interpreter --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

module attributes {transform.with_named_sequence} {
  // A tile of two blocks takes two scales along; a zero point with one element stays.
  // CHECK-LABEL: func @dequantize_blocked_by_blocks
  // CHECK-SAME: %[[Q:.*]]: tensor<4x100xi8>, %[[S:.*]]: tensor<4x4xf32>, %[[Z:.*]]: tensor<i8>
  func.func @dequantize_blocked_by_blocks(%q: tensor<4x100xi8>, %s: tensor<4x4xf32>, %z: tensor<i8>) -> tensor<4x100xf32> {
    // CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1
    // CHECK: scf.for %[[J:.*]] = %c0 to %c100 step %c64
    // CHECK: %[[SIZE:.*]] = affine.min
    // CHECK: tensor.extract_slice %[[Q]][%[[I]], %[[J]]] [1, %[[SIZE]]]
    // CHECK: %[[SCALES:.*]] = tensor.extract_slice %[[S]][%[[I]], %{{.*}}] [1, %{{.*}}]
    // CHECK: qdq.dequantize %{{.*}} scale %[[SCALES]] zero_point %[[Z]] block_shape [1, 32] : (tensor<1x?xi8>, tensor<1x?xf32>, tensor<i8>)
    %x = qdq.dequantize %q scale %s zero_point %z block_shape [1, 32] : (tensor<4x100xi8>, tensor<4x4xf32>, tensor<i8>) -> tensor<4x100xf32>
    return %x : tensor<4x100xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.dequantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [1, 64]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // A tile within one block takes one scale for the whole dimension.
  // CHECK-LABEL: func @quantize_blocked_within_blocks
  func.func @quantize_blocked_within_blocks(%x: tensor<4x64xf32>, %s: tensor<4x2xf32>) -> tensor<4x64xi8> {
    // CHECK: tensor.extract_slice %{{.*}} [1, 1] [1, 1] : tensor<4x2xf32> to tensor<1x1xf32>
    // CHECK: qdq.quantize {{.*}} block_shape [1, 0] at [%[[I:.*]], %[[J:.*]]] of [4, 64] : (tensor<1x16xf32>, tensor<1x1xf32>, index, index) -> tensor<1x16xi8>
    %q = qdq.quantize %x scale %s block_shape [1, 32] : (tensor<4x64xf32>, tensor<4x2xf32>) -> tensor<4x64xi8>
    return %q : tensor<4x64xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.quantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [1, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @quantize_per_tensor_runtime_seed
  // CHECK-SAME: %[[SEED:[^:]*]]: i64
  func.func @quantize_per_tensor_runtime_seed(%seed: i64, %x: tensor<64xf32>, %s: f32, %z: i8) -> tensor<64xi8> {
    // CHECK: qdq.quantize {{.*}} seed %[[SEED]] at [%[[I:.*]]] of [64] : (tensor<16xf32>, f32, i8, i64, index) -> tensor<16xi8>
    %q = qdq.quantize %x scale %s zero_point %z seed %seed : (tensor<64xf32>, f32, i8, i64) -> tensor<64xi8>
    return %q : tensor<64xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.quantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %op tile_sizes [16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @quantize_blocked_across_blocks(%x: tensor<4x64xf32>, %s: tensor<4x2xf32>) -> tensor<4x64xi8> {
    // expected-error @below {{cannot be tiled across the middle of its blocks: take a multiple or a divisor of the block length}}
    // expected-error @below {{faild to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %q = qdq.quantize %x scale %s block_shape [1, 32] : (tensor<4x64xf32>, tensor<4x2xf32>) -> tensor<4x64xi8>
    return %q : tensor<4x64xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.quantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [1, 20]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // A static size that only the result knows stays; `16 * i` begins a block of 16.
  // CHECK-LABEL: func @quantize_blocked_forall
  func.func @quantize_blocked_forall(%x: tensor<?xf32>, %s: tensor<4xf32>) -> tensor<64xi8> {
    // CHECK: scf.forall
    // CHECK: qdq.quantize {{.*}} block_shape [16]
    %q = qdq.quantize %x scale %s block_shape [16] : (tensor<?xf32>, tensor<4xf32>) -> tensor<64xi8>
    return %q : tensor<64xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.quantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %op num_threads [4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
