// RUN: quant-opt %s --transform-interpreter --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

module attributes {transform.with_named_sequence} {
  // Ranges of 16 columns at a time; the parameters of all their ends. What semantics leave open stays open.
  // CHECK-LABEL: func @choose_params_axis
  // CHECK-SAME: %[[X:.*]]: tensor<6x100xf32>
  func.func @choose_params_axis(%x: tensor<6x100xf32>) -> (tensor<6xf32>, tensor<6xui8>) {
    // CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<6x16xf32>
    // CHECK: %[[RANGES:.*]]:2 = scf.for {{.*}} step %c16 iter_args(%{{.*}} = %[[ZEROS]], %{{.*}} = %[[ZEROS]])
    // CHECK: tensor.extract_slice %[[X]]
    // CHECK: linalg.generic
    // CHECK-SAME: iterator_types = ["parallel", "parallel"]
    // CHECK: arith.cmpf olt
    // CHECK: arith.cmpf ogt
    // CHECK: %[[LOW:.*]] = tensor.insert_slice %[[RANGES]]#0 into %{{.*}}[0, 0] [6, 16] [1, 1]
    // CHECK: %[[ENDS:.*]] = tensor.insert_slice %[[RANGES]]#1 into %[[LOW]][0, 16] [6, 16] [1, 1] : tensor<6x16xf32> into tensor<6x32xf32>
    // CHECK: qdq.choose_params %[[ENDS]] axis 0 {keep = "me"} : (tensor<6x32xf32>) -> (tensor<6xf32>, tensor<6xui8>)
    %s, %z = qdq.choose_params %x axis 0 {keep = "me"} : (tensor<6x100xf32>) -> (tensor<6xf32>, tensor<6xui8>)
    return %s, %z : tensor<6xf32>, tensor<6xui8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.choose_params"]} in %module : (!transform.any_op) -> !transform.any_op
    %fills:2, %part, %merge, %loop = transform.structured.tile_reduction_using_for %op by tile_sizes = [0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // Four threads; each reduces its rows, and the columns, which are not split.
  // CHECK-LABEL: func @choose_params_tensor_dynamic
  func.func @choose_params_tensor_dynamic(%x: tensor<?x?xf32>) -> tensor<f32> {
    // CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<4xf32>
    // CHECK: %[[RANGES:.*]]:2 = scf.forall (%[[I:.*]]) in (4) shared_outs(%[[LOWS:.*]] = %[[ZEROS]], %{{.*}} = %[[ZEROS]])
    // CHECK: %[[LOW:.*]] = tensor.extract_slice %[[LOWS]][%[[I]]] [1] [1] : tensor<4xf32> to tensor<f32>
    // CHECK: linalg.generic
    // CHECK-SAME: iterator_types = ["reduction", "reduction"]
    // CHECK: tensor.parallel_insert_slice
    // CHECK: tensor.insert_slice %[[RANGES]]#0 into %{{.*}}[0, 0] [4, 1] [1, 1] : tensor<4xf32> into tensor<8x1xf32>
    // CHECK: qdq.choose_params %{{.*}} mode <symmetric> storage i8 : (tensor<8x1xf32>) -> tensor<f32>
    %s = qdq.choose_params %x mode <symmetric> storage i8 : (tensor<?x?xf32>) -> tensor<f32>
    return %s : tensor<f32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.choose_params"]} in %module : (!transform.any_op) -> !transform.any_op
    %fills:2, %part, %merge, %loop = transform.structured.tile_reduction_using_forall %op reduction_dims = [0] by num_threads = [4, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // Blocks stay; their elements have ranges of their own until the end.
  // CHECK-LABEL: func @choose_params_blocked
  func.func @choose_params_blocked(%x: tensor<64x96xf32>) -> tensor<1x3xf8E8M0FNU> {
    // CHECK: scf.for
    // CHECK: qdq.choose_params %{{.*}} block_shape [0, 32] : (tensor<16x96xf32>) -> tensor<1x3xf8E8M0FNU>
    %s = qdq.choose_params %x mode <symmetric> storage f8E4M3FN power_of_two <floor> block_shape [0, 32] : (tensor<64x96xf32>) -> tensor<1x3xf8E8M0FNU>
    return %s : tensor<1x3xf8E8M0FNU>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.choose_params"]} in %module : (!transform.any_op) -> !transform.any_op
    %fills:2, %part, %merge, %loop = transform.structured.tile_reduction_using_for %op by tile_sizes = [8, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @nothing_to_split(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
    // expected-error @below {{cannot be split: expected a tile size for a dimension whose elements share a scale}}
    %s = qdq.choose_params %x mode <symmetric> storage i8 block_shape [1, 1] : (tensor<6x64xf32>) -> tensor<6x64xf32>
    return %s : tensor<6x64xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.choose_params"]} in %module : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{failed to tile using partial reduction}}
    %fills:2, %part, %merge, %loop = transform.structured.tile_reduction_using_for %op by tile_sizes = [0, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @threads_beside_the_reduction(%x: tensor<64x64xf32>) -> tensor<f32> {
    // expected-error @below {{cannot be split in parallel: dimension 0 is distributed, but not among the reduced dimensions}}
    // expected-error-re @below {{{{faile?d}} to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %s = qdq.choose_params %x mode <symmetric> storage i8 : (tensor<64x64xf32>) -> tensor<f32>
    return %s : tensor<f32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.choose_params"]} in %module : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{could not tile reduction}}
    %fills:2, %part, %merge, %loop = transform.structured.tile_reduction_using_forall %op reduction_dims = [1] by num_threads = [2, 4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @threads_in_another_order(%x: tensor<64x64xf32>) -> tensor<f32> {
    // expected-error @below {{cannot be split in parallel: expected the reduced dimensions in ascending order}}
    // expected-error-re @below {{{{faile?d}} to tile operation}}
    // expected-error @below {{failed to generate tiling loops}}
    %s = qdq.choose_params %x mode <symmetric> storage i8 : (tensor<64x64xf32>) -> tensor<f32>
    return %s : tensor<f32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.choose_params"]} in %module : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{could not tile reduction}}
    %fills:2, %part, %merge, %loop = transform.structured.tile_reduction_using_forall %op reduction_dims = [1, 0] by num_threads = [2, 4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
