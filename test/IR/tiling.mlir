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
    // expected-error-re @below {{{{faile?d}} to tile operation}}
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

// -----

module attributes {transform.with_named_sequence} {
  // A group lies in one tile; the last one is short. Attributes stay.
  // CHECK-LABEL: func @choose_params_blocked
  // CHECK-SAME: %[[X:.*]]: tensor<6x100xf32>
  func.func @choose_params_blocked(%x: tensor<6x100xf32>) -> (tensor<6x4xf32>, tensor<6x4xi8>) {
    // CHECK: scf.for %[[I:.*]] = %c0 to %c6 step %c2
    // CHECK: scf.for %[[J:.*]] = %c0 to %c100 step %c64
    // CHECK: %[[SIZE:.*]] = affine.min
    // CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[J]]] [2, %[[SIZE]]]
    // CHECK: %[[S:.*]], %[[Z:.*]] = qdq.choose_params %[[PART]] block_shape [1, 32] {keep = "me"} : (tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xi8>)
    // CHECK: %[[GROUP:.*]] = affine.apply #{{.*}}()[%[[J]]]
    // CHECK: tensor.insert_slice %[[S]] into %{{.*}}[%[[I]], %[[GROUP]]]
    %s, %z = qdq.choose_params %x block_shape [1, 32] {keep = "me"} : (tensor<6x100xf32>) -> (tensor<6x4xf32>, tensor<6x4xi8>)
    return %s, %z : tensor<6x4xf32>, tensor<6x4xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.choose_params"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [2, 64]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @choose_params_per_axis_dynamic
  func.func @choose_params_per_axis_dynamic(%x: tensor<?x?xf32>) -> tensor<?xf32> {
    // CHECK: scf.forall (%[[J:.*]]) in
    // CHECK: tensor.extract_slice %{{.*}}[0, %{{.*}}] [%{{.*}}, %{{.*}}]
    // CHECK: qdq.choose_params %{{.*}} axis 1 : (tensor<?x?xf32>) -> tensor<?xf32>
    %s = qdq.choose_params %x mode <symmetric> storage i8 axis 1 : (tensor<?x?xf32>) -> tensor<?xf32>
    return %s : tensor<?xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.choose_params"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %op tile_sizes [0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @choose_params_reduced(%x: tensor<6x64xf32>) -> tensor<6xf32> {
    // expected-error @below {{cannot be tiled through its groups: expected the whole of dimension 1}}
    // expected-error-re @below {{{{faile?d}} to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %s = qdq.choose_params %x mode <symmetric> storage i8 axis 0 : (tensor<6x64xf32>) -> tensor<6xf32>
    return %s : tensor<6xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.choose_params"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %op tile_sizes [0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @choose_params_within_groups(%x: tensor<6x64xf32>) -> tensor<6x2xf32> {
    // expected-error @below {{cannot be tiled through its groups: expected multiples of 32 in dimension 1}}
    // expected-error-re @below {{{{faile?d}} to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %s = qdq.choose_params %x mode <symmetric> storage i8 block_shape [1, 32] : (tensor<6x64xf32>) -> tensor<6x2xf32>
    return %s : tensor<6x2xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.choose_params"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [1, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @unpack
  // CHECK-SAME: %[[C:.*]]: tensor<13x?xi32>
  func.func @unpack(%c: tensor<13x?xi32>) -> tensor<100x?xui4> {
    // CHECK: scf.for %[[I:.*]] = %c0 to %c100 step %c16
    // CHECK: scf.for %[[J:.*]] = %c0 to
    // CHECK: %[[ROWS:.*]] = affine.min
    // CHECK: %[[COLUMNS:.*]] = affine.min
    // CHECK: %[[FIRST:.*]] = affine.apply #{{.*}}()[%[[I]]]
    // CHECK: %[[PART:.*]] = tensor.extract_slice %[[C]][%[[FIRST]], %[[J]]]
    // CHECK: qdq.unpack %[[PART]] packing <gptq-v2> sizes(%[[ROWS]], %[[COLUMNS]])
    %q = qdq.unpack %c packing <gptq-v2> : (tensor<13x?xi32>) -> tensor<100x?xui4>
    return %q : tensor<100x?xui4>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.unpack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [16, 8]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @unpack_within_containers(%c: tensor<13x8xi32>) -> tensor<100x8xui4> {
    // expected-error @below {{cannot be tiled through its containers: expected multiples of 8 elements in dimension 0}}
    // expected-error-re @below {{{{faile?d}} to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %q = qdq.unpack %c packing <gptq-v2> : (tensor<13x8xi32>) -> tensor<100x8xui4>
    return %q : tensor<100x8xui4>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.unpack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [12, 8]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // Whole rows follow each other, in any length.
  // CHECK-LABEL: func @unpack_flat_rows
  // CHECK-SAME: %[[C:.*]]: tensor<28xi8>
  func.func @unpack_flat_rows(%c: tensor<28xi8>) -> tensor<8x7xui4> {
    // CHECK: scf.for %[[I:.*]] = %c0 to %c8 step %c2
    // CHECK: %[[FIRST:.*]] = affine.apply #{{.*}}()[%[[I]]]
    // CHECK: %[[PART:.*]] = tensor.extract_slice %[[C]][%[[FIRST]]] [7] [1]
    // CHECK: qdq.unpack %[[PART]] packing <onnx> : (tensor<7xi8>) -> tensor<2x7xui4>
    %q = qdq.unpack %c packing <onnx> : (tensor<28xi8>) -> tensor<8x7xui4>
    return %q : tensor<8x7xui4>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.unpack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [2]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // Rows that fill whole bytes are packed along their dimension as well.
  // CHECK-LABEL: func @unpack_flat_box
  func.func @unpack_flat_box(%c: tensor<?xi8>, %n: index) -> tensor<?x8xui4> {
    // CHECK: %[[ROWS:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [%{{.*}}, 4] : tensor<?xi8> into tensor<?x4xi8>
    // CHECK: %[[PART:.*]] = tensor.extract_slice %[[ROWS]]{{.*}} [%{{.*}}, 2] [1, 1]
    // CHECK: qdq.unpack %[[PART]] packing <onnx, axis = 1> sizes(%{{.*}}) : (tensor<?x2xi8>, index) -> tensor<?x4xui4>
    %q = qdq.unpack %c packing <onnx> sizes(%n) : (tensor<?xi8>, index) -> tensor<?x8xui4>
    return %q : tensor<?x8xui4>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.unpack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [3, 4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @unpack_flat_columns(%c: tensor<28xi8>) -> tensor<8x7xui4> {
    // expected-error @below {{cannot be tiled through its containers, which have no axis: expected elements that follow each other, in multiples of 2}}
    // expected-error-re @below {{{{faile?d}} to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %q = qdq.unpack %c packing <onnx> : (tensor<28xi8>) -> tensor<8x7xui4>
    return %q : tensor<8x7xui4>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.unpack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [2, 4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // Any containers: their elements follow each other in one dimension.
  // CHECK-LABEL: func @pack_flat
  func.func @pack_flat(%q: tensor<5x7xui4>) -> tensor<18xi8> {
    // CHECK: %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<5x7xui4> into tensor<35xui4>
    // CHECK: tensor.extract_slice %[[FLAT]]
    // CHECK: qdq.pack %{{.*}} packing <onnx> : (tensor<?xui4>) -> tensor<?xi8>
    %c = qdq.pack %q packing <onnx> : (tensor<5x7xui4>) -> tensor<18xi8>
    return %c : tensor<18xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.pack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // Full containers: static tiles stay static.
  // CHECK-LABEL: func @pack_full
  func.func @pack_full(%q: tensor<4x50xi4>) -> tensor<4x25xi8> {
    // CHECK: tensor.extract_slice %{{.*}} [1, 10] [1, 1] : tensor<4x50xi4> to tensor<1x10xi4>
    // CHECK: qdq.pack %{{.*}} : (tensor<1x10xi4>) -> tensor<1x5xi8>
    %c = qdq.pack %q packing <bits = 4, axis = 1> : (tensor<4x50xi4>) -> tensor<4x25xi8>
    return %c : tensor<4x25xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.pack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [1, 5]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // Elements of 3 bits begin a container every three containers.
  // CHECK: #[[REST:.*]] = affine_map<()[s0, s1, s2] -> (s0 - (s1 * 32) floordiv 3, (s2 * 32) floordiv 3)>
  // CHECK-LABEL: func @pack_across_containers
  func.func @pack_across_containers(%q: tensor<4x?xi3>) -> tensor<4x?xi32> {
    // CHECK: affine.min #[[REST]]
    // CHECK: qdq.pack %{{.*}} : (tensor<1x?xi3>) -> tensor<1x?xi32>
    %c = qdq.pack %q packing <bits = 3, axis = 1> : (tensor<4x?xi3>) -> tensor<4x?xi32>
    return %c : tensor<4x?xi32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.pack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [1, 6]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @pack_within_elements(%q: tensor<4x100xi3>) -> tensor<4x10xi32> {
    // expected-error @below {{cannot be tiled through its elements: expected multiples of 3 containers in dimension 1}}
    // expected-error-re @below {{{{faile?d}} to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %c = qdq.pack %q packing <bits = 3, axis = 1> : (tensor<4x100xi3>) -> tensor<4x10xi32>
    return %c : tensor<4x10xi32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.pack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [1, 2]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @pack_one_element(%q: tensor<i4>) -> tensor<1xi8> {
    // expected-error @below {{cannot be tiled: it has one element}}
    // expected-error-re @below {{{{faile?d}} to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %p = qdq.pack %q packing <onnx> : (tensor<i4>) -> tensor<1xi8>
    return %p : tensor<1xi8>
  }

  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.pack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // The whole chain in one loop: the pack's tile asks for its producers'.
  // CHECK-LABEL: func @fuse_producers
  func.func @fuse_producers(%x: tensor<8x64xf32>) -> tensor<8x32xi8> {
    // CHECK: scf.for
    // CHECK: scf.for
    // CHECK: %[[S:.*]] = qdq.choose_params %{{.*}} : (tensor<4x32xf32>) -> tensor<4x1xf32>
    // CHECK: %[[Q:.*]] = qdq.quantize %{{.*}} scale %[[S]] block_shape [1, 32] {{.*}} : (tensor<4x32xf32>, tensor<4x1xf32>, index, index) -> tensor<4x32xi4>
    // CHECK: qdq.pack %[[Q]] {{.*}} : (tensor<4x32xi4>) -> tensor<4x16xi8>
    %s = qdq.choose_params %x mode <symmetric> storage i4 block_shape [1, 32] : (tensor<8x64xf32>) -> tensor<8x2xf32>
    %q = qdq.quantize %x scale %s block_shape [1, 32] : (tensor<8x64xf32>, tensor<8x2xf32>) -> tensor<8x64xi4>
    %c = qdq.pack %q packing <bits = 4, axis = 1> : (tensor<8x64xi4>) -> tensor<8x32xi8>
    return %c : tensor<8x32xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.pack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.fuse %op tile_sizes [4, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // A tile of a part is a part of the same whole.
  // CHECK: #[[SUM:.*]] = affine_map<()[s0, s1] -> (s0 + s1)>
  // CHECK-LABEL: func @quantize_tile_of_tile
  // CHECK-SAME: %[[O:[^ ]*]]: index
  func.func @quantize_tile_of_tile(%x: tensor<16xf32>, %s: f32, %o: index, %n: index) -> tensor<16xi8> {
    // CHECK: %[[AT:.*]] = affine.apply #[[SUM]]()[%[[O]], %[[I:.*]]]
    // CHECK: qdq.quantize {{.*}} at [3, %[[AT]]] of [5, %{{.*}}] : (tensor<4xf32>, f32, index, index) -> tensor<4xi8>
    %q = qdq.quantize %x scale %s at [3, %o] of [5, %n] : (tensor<16xf32>, f32, index, index) -> tensor<16xi8>
    return %q : tensor<16xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.quantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %op tile_sizes [4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // Rounding that draws nothing needs no position.
  // CHECK-LABEL: func @quantize_rounding_fixed
  func.func @quantize_rounding_fixed(%x: tensor<16xf32>, %s: f32) -> tensor<16xi8> {
    // CHECK: qdq.quantize %{{.*}} scale %{{.*}} semantics <rounding = floor> : (tensor<4xf32>, f32) -> tensor<4xi8>
    %q = qdq.quantize %x scale %s semantics <rounding = floor> : (tensor<16xf32>, f32) -> tensor<16xi8>
    return %q : tensor<16xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.quantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %op tile_sizes [4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // A producer that cannot be tiled so stays where it is, without a word.
  // CHECK-LABEL: func @fuse_producer_that_stays
  func.func @fuse_producer_that_stays(%x: tensor<4x64xf32>, %s: tensor<4x2xf32>, %one: f32) -> tensor<4x64xf32> {
    // CHECK: qdq.quantize %{{.*}} block_shape [1, 32] : (tensor<4x64xf32>, tensor<4x2xf32>)
    // CHECK: scf.for
    // CHECK: qdq.dequantize
    %q = qdq.quantize %x scale %s block_shape [1, 32] : (tensor<4x64xf32>, tensor<4x2xf32>) -> tensor<4x64xi8>
    %y = qdq.dequantize %q scale %one : (tensor<4x64xi8>, f32) -> tensor<4x64xf32>
    return %y : tensor<4x64xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.dequantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.fuse %op tile_sizes [1, 20]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @quantize_unranked(%x: tensor<*xf32>, %s: f32) -> tensor<*xi8> {
    // expected-note @below {{when applied to this op}}
    // expected-error @below {{can only be tiled on a ranked tensor}}
    %q = qdq.quantize %x scale %s semantics <rounding = floor> : (tensor<*xf32>, f32) -> tensor<*xi8>
    return %q : tensor<*xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.quantize"]} in %module : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{transform.structured.tile_using_forall failed to apply}}
    %tiled, %loop = transform.structured.tile_using_forall %op tile_sizes [4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
