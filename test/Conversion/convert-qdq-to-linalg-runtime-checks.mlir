// RUN: quant-opt %s --convert-qdq-to-linalg=runtime-checks --split-input-file | FileCheck %s

// The assertion asks for the sizes of the scale's codes: its values are computed in the body alone.
// CHECK-LABEL: func @dequantize_two_levels
// CHECK-SAME: %[[Q:.*]]: tensor<?x64xi8>, %[[CODES:.*]]: tensor<?x4xi8>
func.func @dequantize_two_levels(%q: tensor<?x64xi8>, %codes: tensor<?x4xi8>, %d: f32) -> tensor<?x64xf32> {
  // CHECK: %[[ROWS:.*]] = tensor.dim %[[CODES]]
  // CHECK: cf.assert
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[CODES]] :
  // CHECK-NOT: linalg.generic
  %s = qdq.dequantize %codes scale %d : (tensor<?x4xi8>, f32) -> tensor<?x4xf32>
  %x = qdq.dequantize %q scale %s block_shape [1, 16] : (tensor<?x64xi8>, tensor<?x4xf32>) -> tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func @quantize_packed
func.func @quantize_packed(%x: tensor<?x64xf32>, %s: tensor<?x4xf32>) -> tensor<?x8xi32> {
  // CHECK: cf.assert %{{.*}}, "qdq: dimension 0 of a scale or zero point does not match the value's shape"
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x4x2xi32>)
  // CHECK-NOT: linalg.generic
  %q = qdq.quantize %x scale %s block_shape [1, 16] : (tensor<?x64xf32>, tensor<?x4xf32>) -> tensor<?x64xi4>
  %c = qdq.pack %q packing <awq-gemv> : (tensor<?x64xi4>) -> tensor<?x8xi32>
  return %c : tensor<?x8xi32>
}

// -----

// CHECK-DAG: #[[BYTES:.*]] = affine_map<()[s0] -> (s0 ceildiv 2)>
// CHECK-LABEL: func @unpack_sizes
// CHECK-SAME: %[[C:.*]]: tensor<?xi8>, %[[N:.*]]: index
func.func @unpack_sizes(%c: tensor<?xi8>, %n: index) -> tensor<?xi4> {
  // CHECK-DAG: %[[NEEDED:.*]] = affine.apply #[[BYTES]]()[%[[N]]]
  // CHECK-DAG: %[[COUNT:.*]] = tensor.dim %[[C]]
  // CHECK: %[[ENOUGH:.*]] = arith.cmpi ule, %[[NEEDED]], %[[COUNT]]
  // CHECK: cf.assert %[[ENOUGH]], "qdq: the containers are fewer than the sizes need"
  %q = qdq.unpack %c packing <onnx> sizes(%n) : (tensor<?xi8>, index) -> tensor<?xi4>
  return %q : tensor<?xi4>
}
