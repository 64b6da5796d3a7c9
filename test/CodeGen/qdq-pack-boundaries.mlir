// RUN: quant-opt %s --qdq-pack-boundaries | FileCheck %s

// Argument and result become bytes, ceil(elements * bits / 8) of them; the type before stays as an attribute, signless.
// CHECK-LABEL: func.func @static(
// CHECK-SAME: %[[X:.*]]: tensor<8xi8>) -> tensor<2xi8>
// CHECK-SAME: qdq.unpacked_type = (tensor<5x3xi4>) -> tensor<5xi3>
// CHECK: %[[CODES:.*]] = qdq.unpack %[[X]] packing <onnx> : (tensor<8xi8>) -> tensor<5x3xui4>
// CHECK: %[[Y:.*]] = "onnx.Reduce"(%[[CODES]])
// CHECK: %[[BYTES:.*]] = qdq.pack %[[Y]] packing <onnx> : (tensor<5xui3>) -> tensor<2xi8>
// CHECK: return %[[BYTES]]
func.func @static(%x: tensor<5x3xui4>) -> tensor<5xui3> {
  %y = "onnx.Reduce"(%x) : (tensor<5x3xui4>) -> tensor<5xui3>
  return %y : tensor<5xui3>
}

// Each dynamic size follows as an index. Attributes stay with the bytes, and the other arguments in their order.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?xi8> {qdq.name = "x"}, %[[D0:.*]]: index, %[[D2:.*]]: index, %[[S:[^ ]*]]: f32)
// CHECK-SAME: -> (f32, tensor<?xi8> {qdq.name = "y"}, index, index)
// CHECK: %[[CODES:.*]] = qdq.unpack %[[X]] packing <onnx> sizes(%[[D0]], %[[D2]]) : (tensor<?xi8>, index, index) -> tensor<?x3x?xf4E2M1FN>
// CHECK: %[[BYTES:.*]] = qdq.pack %[[CODES]]
// CHECK: %[[N0:.*]] = tensor.dim %[[CODES]], %c0
// CHECK: %[[N2:.*]] = tensor.dim %[[CODES]], %c2
// CHECK: return %[[S]], %[[BYTES]], %[[N0]], %[[N2]]
func.func @dynamic(%x: tensor<?x3x?xf4E2M1FN> {qdq.name = "x"}, %s: f32) -> (f32, tensor<?x3x?xf4E2M1FN> {qdq.name = "y"}) {
  return %s, %x : f32, tensor<?x3x?xf4E2M1FN>
}

// Whole bytes, i1, scalars and private functions stay.
// CHECK-LABEL: func.func @others(
// CHECK-SAME: tensor<4xi8>, %{{.*}}: tensor<4xi1>, %{{.*}}: i4) -> tensor<4xi16> {
func.func @others(%a: tensor<4xi8>, %b: tensor<4xi1>, %c: i4) -> tensor<4xi16> {
  %y = "onnx.Op"(%a, %b, %c) : (tensor<4xi8>, tensor<4xi1>, i4) -> tensor<4xi16>
  return %y : tensor<4xi16>
}
// CHECK: func.func private @hidden(%{{.*}}: tensor<4xi4>) -> tensor<4xi4> {
func.func private @hidden(%x: tensor<4xi4>) -> tensor<4xi4> {
  return %x : tensor<4xi4>
}

// A function that the module calls keeps its signature under a private name.
// CHECK-LABEL: func.func @callee(
// CHECK-SAME: tensor<2xi8>) -> tensor<2xi8>
// CHECK: qdq.unpack
// CHECK: call @callee_0(%{{.*}}) : (tensor<4xi4>) -> tensor<4xi4>
// CHECK: qdq.pack
// CHECK-LABEL: func.func private @callee_0(
// CHECK-SAME: tensor<4xi4>) -> tensor<4xi4>
func.func @callee(%x: tensor<4xi4>) -> tensor<4xi4> {
  return %x : tensor<4xi4>
}
// CHECK-LABEL: func.func @caller(
// CHECK: call @callee_0
func.func @caller(%x: tensor<4xi8>) -> tensor<4xi8> {
  %c = arith.trunci %x : tensor<4xi8> to tensor<4xi4>
  %y = call @callee(%c) : (tensor<4xi4>) -> tensor<4xi4>
  %e = arith.extsi %y : tensor<4xi4> to tensor<4xi8>
  return %e : tensor<4xi8>
}

// An attribute from outside does not stay.
// CHECK-LABEL: func.func @marked(
// CHECK-SAME: tensor<4xf32>) -> tensor<4xf32> {
func.func @marked(%x: tensor<4xf32>) -> tensor<4xf32> attributes {qdq.unpacked_type = i32} {
  return %x : tensor<4xf32>
}
