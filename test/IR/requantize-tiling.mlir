// RUN: quant-opt %s --transform-interpreter --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

module attributes {transform.with_named_sequence} {
  // Rows take their multipliers along, columns theirs; one element stays.
  // CHECK-LABEL: func @rows_and_columns
  // CHECK-SAME: %[[ACC:.*]]: tensor<4x64xi32>, %[[ROWS:.*]]: tensor<4x1xf32>, %[[COLUMNS:.*]]: tensor<1x64xf32>, %[[S:.*]]: tensor<f32>
  func.func @rows_and_columns(%acc: tensor<4x64xi32>, %rows: tensor<4x1xf32>, %columns: tensor<1x64xf32>, %s: tensor<f32>) -> tensor<4x64xi8> {
    // CHECK: tensor.extract_slice %[[ACC]][%[[I:.*]], %[[J:.*]]] [2, 16]
    // CHECK: %[[R:.*]] = tensor.extract_slice %[[ROWS]][%[[I]], 0] [2, 1]
    // CHECK: %[[C:.*]] = tensor.extract_slice %[[COLUMNS]][0, %[[J]]] [1, 16]
    // CHECK: qdq.requantize %{{.*}} rescale <separate> multiplier %[[R]], %[[C]], %[[S]] block_shape [1, 1] {mine}
    // CHECK-SAME: (tensor<2x16xi32>, tensor<2x1xf32>, tensor<1x16xf32>, tensor<f32>) -> tensor<2x16xi8>
    %q = qdq.requantize %acc rescale <separate> multiplier %rows, %columns, %s block_shape [1, 1] {mine}
       : (tensor<4x64xi32>, tensor<4x1xf32>, tensor<1x64xf32>, tensor<f32>) -> tensor<4x64xi8>
    return %q : tensor<4x64xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.requantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [2, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // A tile within one block; its shift belongs to the whole dimension.
  // CHECK-LABEL: func @within_blocks
  // CHECK-SAME: %{{.*}}: tensor<4x64xi32>, %[[M:.*]]: tensor<4x2xi32>, %[[T:.*]]: tensor<4x1xi8>
  func.func @within_blocks(%acc: tensor<4x64xi32>, %m: tensor<4x2xi32>, %t: tensor<4x1xi8>) -> tensor<4x64xi8> {
    // CHECK: tensor.extract_slice %[[M]][%{{.*}}, %{{.*}}] [1, 1]
    // CHECK: tensor.extract_slice %[[T]][%{{.*}}, 0] [1, 1]
    // CHECK: qdq.requantize {{.*}} block_shape [1, 0] limit 100 : (tensor<1x16xi32>, tensor<1x1xi32>, tensor<1x1xi8>) -> tensor<1x16xi8>
    %q = qdq.requantize %acc rescale <fixed31-double> multiplier %m shift %t block_shape [1, 32] limit 100
       : (tensor<4x64xi32>, tensor<4x2xi32>, tensor<4x1xi8>) -> tensor<4x64xi8>
    return %q : tensor<4x64xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.requantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [1, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @across_blocks(%acc: tensor<4x64xi32>, %m: tensor<4x2xf32>) -> tensor<4x64xi8> {
    // expected-error @below {{cannot be tiled across the middle of its blocks: take a multiple or a divisor of the block length}}
    // expected-error-re @below {{{{faile?d}} to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %q = qdq.requantize %acc rescale <f32> multiplier %m block_shape [1, 32] : (tensor<4x64xi32>, tensor<4x2xf32>) -> tensor<4x64xi8>
    return %q : tensor<4x64xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.requantize"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %op tile_sizes [0, 24]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
