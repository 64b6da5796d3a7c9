// RUN: quant-opt %s --resolve-shaped-type-result-dims --canonicalize | FileCheck %s
// RUN: quant-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM

// CHECK-DAG: #[[CEIL:.*]] = affine_map<()[s0] -> (s0 ceildiv 32)>
// CHECK-DAG: #[[ELEMENTS:.*]] = affine_map<()[s0] -> ((s0 * 32) floordiv 3)>
// CHECK-DAG: #[[CONTAINERS:.*]] = affine_map<()[s0] -> ((s0 * 3) ceildiv 32)>
// CHECK-LABEL: func @dims
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>
func.func @dims(%x: tensor<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[D1:.*]] = tensor.dim %[[X]], %c1
  // CHECK-DAG: %[[BLOCKS:.*]] = affine.apply #[[CEIL]]()[%[[D1]]]
  // CHECK-DAG: %[[D0:.*]] = tensor.dim %[[X]], %c0
  // CHECK: return %[[D0]], %[[BLOCKS]]
  %s, %z = qdq.choose_params %x block_shape [1, 32] : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi8>)
  %q = qdq.quantize %x scale %s zero_point %z block_shape [1, 32]
     : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi8>) -> tensor<?x?xi8>
  %a = tensor.dim %q, %c0 : tensor<?x?xi8>
  %b = tensor.dim %s, %c1 : tensor<?x?xf32>
  return %a, %b : index, index
}

// Static shapes may be hoisted over a loop that may not run, dynamic ones may not.
// LICM-LABEL: func @speculation
func.func @speculation(%x: tensor<4xf32>, %d: tensor<?xf32>, %s: tensor<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // LICM: qdq.quantize %{{.*}} : (tensor<4xf32>
  // LICM: scf.for
  // LICM: qdq.quantize %{{.*}} : (tensor<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = qdq.quantize %x scale %s axis 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
    %b = qdq.quantize %d scale %s axis 0 : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xi8>
    "test.use"(%a, %b) : (tensor<4xi8>, tensor<?xi8>) -> ()
  }
  return
}

// CHECK-LABEL: func @packing_dims
// CHECK-SAME: %[[C:.*]]: tensor<?x6xi32>, %[[Q:.*]]: tensor<?x?xui3>
func.func @packing_dims(%c: tensor<?x6xi32>, %q: tensor<?x?xui3>, %flat: tensor<?xi8>, %size: index) -> (index, index, index) {
  // CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[C]]
  // CHECK-DAG: %[[FIT:.*]] = affine.apply #[[ELEMENTS]]()[%[[ROWS]]]
  // CHECK-DAG: %[[SIZE:.*]] = tensor.dim %[[Q]]
  // CHECK-DAG: %[[NEED:.*]] = affine.apply #[[CONTAINERS]]()[%[[SIZE]]]
  // CHECK: return %[[FIT]], %[[NEED]], %arg3
  %c0 = arith.constant 0 : index
  %e = qdq.unpack %c packing <gptq-v2> : (tensor<?x6xi32>) -> tensor<?x6xui3>
  %p = qdq.pack %q packing <gptq-v2> : (tensor<?x?xui3>) -> tensor<?x?xi32>
  %f = qdq.unpack %flat packing <onnx> sizes(%size) : (tensor<?xi8>, index) -> tensor<?x3xi4>
  %0 = tensor.dim %e, %c0 : tensor<?x6xui3>
  %1 = tensor.dim %p, %c0 : tensor<?x?xi32>
  %2 = tensor.dim %f, %c0 : tensor<?x3xi4>
  return %0, %1, %2 : index, index, index
}
