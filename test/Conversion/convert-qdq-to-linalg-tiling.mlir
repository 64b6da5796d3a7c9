// Tiles of 20 over blocks of 32: every element keeps the scale of its own block.
// RUN: quant-opt %s --convert-qdq-to-linalg --transform-interpreter --canonicalize | FileCheck %s

// CHECK-DAG: #[[OFFSET:.*]] = affine_map<(d0)[s0] -> (d0 + s0)>
module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @dequantize_blocked_short_tail
  // CHECK-SAME: %{{.*}}: tensor<4x100xi8>, %[[S:.*]]: tensor<4x4xf32>
  func.func @dequantize_blocked_short_tail(%q: tensor<4x100xi8>, %s: tensor<4x4xf32>) -> tensor<4x100xf32> {
    // CHECK: scf.for
    // CHECK: scf.for %[[TILE:.*]] =
    // CHECK: linalg.generic
    // CHECK: %[[I:.*]] = linalg.index 1
    // CHECK: %[[COL:.*]] = affine.apply #[[OFFSET]](%{{.*}})[%[[I]]]
    // CHECK: %[[BLOCK:.*]] = arith.divui %[[COL]], %c32
    // CHECK: tensor.extract %[[S]][%{{.*}}, %[[BLOCK]]]
    %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<4x100xi8>, tensor<4x4xf32>) -> tensor<4x100xf32>
    return %x : tensor<4x100xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %generic = transform.structured.match ops{["linalg.generic"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %generic tile_sizes [1, 20]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
