// RUN: quant-opt %s --transform-interpreter --split-input-file | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @linalg
  func.func @linalg(%x: tensor<?x8xf32>, %s: f32, %z: i8) -> tensor<?x8xf32> {
    // CHECK-NOT: = qdq.
    // CHECK: linalg.generic
    // CHECK: math.floor
    // CHECK-NOT: = qdq.
    %q = qdq.quantize %x scale %s zero_point %z : (tensor<?x8xf32>, f32, i8) -> tensor<?x8xi8>
    %d = qdq.dequantize %q scale %s zero_point %z : (tensor<?x8xi8>, f32, i8) -> tensor<?x8xf32>
    return %d : tensor<?x8xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.qdq.convert_qdq_to_linalg {profile = "ort", semantics = #qdq.semantics<rounding = floor>, block_form = "map", runtime_checks, contraction_proof}
      transform.apply_patterns.qdq.fuse
    } : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @scalars
  func.func @scalars(%x: f32, %s: f32) -> i8 {
    // CHECK-NOT: = qdq.
    // CHECK-NOT: math.
    // CHECK: arith.fptosi
    %q = qdq.quantize %x scale %s semantics <rounding = floor> : (f32, f32) -> i8
    return %q : i8
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.qdq.convert_qdq_to_arith {semantics = #qdq.semantics<rounding = ceil>}
      transform.apply_patterns.qdq.expand_math
    } : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @products
  // CHECK-SAME:    %[[X:.*]]: tensor<4x8xi8>, %[[W:.*]]: tensor<8x2xi8>
  func.func @products(%x: tensor<4x8xi8>, %w: tensor<8x2xi8>, %s: f32) -> (tensor<4x2xi8>, tensor<4x2xf32>) {
    // CHECK: %[[SUM:.*]] = linalg.matmul ins(%[[X]], %[[W]] : tensor<4x8xi8>, tensor<8x2xi8>)
    // CHECK: qdq.requantize %{{.*}} rescale <f32>
    // CHECK: linalg.matmul ins(%[[X]], %[[W]] : tensor<4x8xi8>, tensor<8x2xi8>)
    // CHECK: qdq.dequantize %{{.*}} : (tensor<4x2xi32>, f32)
    %zero = arith.constant dense<0.0> : tensor<4x2xf32>
    %xd = qdq.dequantize %x scale %s : (tensor<4x8xi8>, f32) -> tensor<4x8xf32>
    %wd = qdq.dequantize %w scale %s : (tensor<8x2xi8>, f32) -> tensor<8x2xf32>
    %r = linalg.matmul ins(%xd, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<4x2xf32>) -> tensor<4x2xf32>
    %q = qdq.quantize %r scale %s : (tensor<4x2xf32>, f32) -> tensor<4x2xi8>
    %t = linalg.matmul ins(%xd, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<4x2xf32>) -> tensor<4x2xf32>
    return %q, %t : tensor<4x2xi8>, tensor<4x2xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.qdq.requantize_sums {rescale = #qdq.rescale<f32>}
    } : !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.qdq.dequantize_sums
    } : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @level
  func.func @level(%x: tensor<4x8xf32>, %s: f32) -> (tensor<8x4xi8>, tensor<2xf32>) {
    // CHECK-DAG: %[[REAL:.*]] = arith.constant dense<[5.000000e-01, 1.000000e+00]>
    // CHECK-DAG: %[[CODES:.*]] = qdq.quantize %{{.*}} : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
    // CHECK: %[[MOVED:.*]] = linalg.transpose ins(%[[CODES]] : tensor<4x8xi8>)
    // CHECK: return %[[MOVED]], %[[REAL]]
    %half = arith.constant 0.5 : f32
    %codes = arith.constant dense<[1, 2]> : tensor<2xi8>
    %d = qdq.dequantize %codes scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
    %empty = tensor.empty() : tensor<8x4xf32>
    %t = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%empty : tensor<8x4xf32>) permutation = [1, 0]
    %q = qdq.quantize %t scale %s semantics <rounding = floor> : (tensor<8x4xf32>, f32) -> tensor<8x4xi8>
    return %q, %d : tensor<8x4xi8>, tensor<2xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.qdq.motion
      transform.apply_patterns.qdq.simplify {max_code_diff = 0}
      transform.apply_patterns.qdq.dequantize_constants
      transform.apply_patterns.qdq.decompose_tensor_ops
    } : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @sources
  func.func @sources(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4xi8> {
    // CHECK: qdq.quantize {{.*}}rounding = nearest-even
    %q = "onnx.QuantizeLinear"(%x, %s, %z) {axis = 0 : si64, saturate = 1 : si64} : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
    return %q : tensor<4xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.qdq.convert_onnx_to_qdq {profile = "ort"}
      transform.apply_patterns.qdq.convert_onednn_to_qdq {override_semantics}
    } : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // The dequantize goes into the loop that multiplies.
  // CHECK-LABEL: func @fused
  func.func @fused(%x: tensor<1x64xf32>, %w: tensor<64x8xi8>, %s: f32) -> tensor<1x8xf32> {
    // CHECK-NOT: tensor<64x8xf32>
    // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x64xf32>, tensor<64x8xi8>)
    // CHECK: arith.sitofp
    %zero = arith.constant dense<0.0> : tensor<1x8xf32>
    %wd = qdq.dequantize %w scale %s : (tensor<64x8xi8>, f32) -> tensor<64x8xf32>
    %r = linalg.matmul ins(%x, %wd : tensor<1x64xf32>, tensor<64x8xf32>) outs(%zero : tensor<1x8xf32>) -> tensor<1x8xf32>
    return %r : tensor<1x8xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.qdq.convert_qdq_to_linalg
    } : !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.qdq.fuse_contractions
    } : !transform.any_op
    transform.yield
  }
}
