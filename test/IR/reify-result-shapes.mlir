// RUN: quant-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// A static dimension of the result type is an attribute, a dynamic one a value: the pass asserts it, and the sizes come from the operands.
// CHECK-LABEL: func @conversions
// CHECK-SAME: %[[X:[^ ]*]]: tensor<?x8xf32>
func.func @conversions(%x: tensor<?x8xf32>, %s: f32) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[D0:.*]] = tensor.dim %[[X]], %c0
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  %q = qdq.quantize %x scale %s : (tensor<?x8xf32>, f32) -> tensor<4x?xi8>
  %y = qdq.dequantize %q scale %s : (tensor<4x?xi8>, f32) -> tensor<?x?xf32>
  %q0 = tensor.dim %q, %c0 : tensor<4x?xi8>
  %q1 = tensor.dim %q, %c1 : tensor<4x?xi8>
  %r = qdq.quantize %x scale %s : (tensor<?x8xf32>, f32) -> tensor<?x?xi8>
  %r0 = tensor.dim %r, %c0 : tensor<?x?xi8>
  %y0 = tensor.dim %y, %c0 : tensor<?x?xf32>
  // CHECK: return %[[C4]], %[[C8]], %[[D0]], %[[C4]]
  return %q0, %q1, %r0, %y0 : index, index, index, index
}

// The scale and the zero point may know different sizes.
// CHECK-LABEL: func @choose_params
func.func @choose_params(%x: tensor<4x64xf32>, %d: tensor<?x?xf32>) -> (index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s, %z = qdq.choose_params %x block_shape [0, 32] : (tensor<4x64xf32>) -> (tensor<?x?xf32>, tensor<1x2xi8>)
  %s0 = tensor.dim %s, %c0 : tensor<?x?xf32>
  %s1 = tensor.dim %s, %c1 : tensor<?x?xf32>
  %z1 = tensor.dim %z, %c1 : tensor<1x2xi8>
  %a = qdq.choose_params %d mode <symmetric> storage i8 axis 1 : (tensor<?x?xf32>) -> tensor<8xf32>
  %b = qdq.choose_params %d mode <symmetric> storage i8 axis 1 : (tensor<?x?xf32>) -> tensor<?xf32>
  %a0 = tensor.dim %a, %c0 : tensor<8xf32>
  %b0 = tensor.dim %b, %c0 : tensor<?xf32>
  // CHECK-DAG: %[[B0:.*]] = tensor.dim %{{.*}}, %c1
  // CHECK: return %c1, %c2, %c2, %c8, %[[B0]]
  return %s0, %s1, %z1, %a0, %b0 : index, index, index, index, index
}

// CHECK-LABEL: func @packing
// CHECK-SAME: %[[C:[^ ]*]]: tensor<4x?xi32>, %[[Q:[^ ]*]]: tensor<?x8xui4>
func.func @packing(%c: tensor<4x?xi32>, %q: tensor<?x8xui4>) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = qdq.unpack %c packing <gptq-v2> : (tensor<4x?xi32>) -> tensor<?x6xui4>
  %e0 = tensor.dim %e, %c0 : tensor<?x6xui4>
  %e1 = tensor.dim %e, %c1 : tensor<?x6xui4>
  %p = qdq.pack %q packing <gptq-v2> : (tensor<?x8xui4>) -> tensor<2x?xi32>
  %p0 = tensor.dim %p, %c0 : tensor<2x?xi32>
  %p1 = tensor.dim %p, %c1 : tensor<2x?xi32>
  // CHECK: return %c32, %c6, %c2, %c8
  return %e0, %e1, %p0, %p1 : index, index, index, index
}
