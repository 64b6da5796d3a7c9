// RUN: quant-opt %s --convert-qdq-to-linalg | FileCheck %s

// Attributes of other dialects stay on the generics of an op.
// CHECK-LABEL: func @attributes
// CHECK: linalg.generic {{.*}} attrs = {other.tag = 1 : i64}
// CHECK: linalg.generic {{.*}} attrs = {other.tag = 2 : i64}
// CHECK-COUNT-2: linalg.generic {{.*}} attrs = {other.tag = 3 : i64}
// CHECK: linalg.generic {{.*}} attrs = {other.tag = 4 : i64}
func.func @attributes(%x: tensor<8xf32>, %s: f32, %c: tensor<4xi8>, %q: tensor<8xi4>)
    -> (tensor<8xi8>, tensor<8xi4>, tensor<f32>, tensor<ui8>, tensor<4xi8>) {
  %0 = qdq.quantize %x scale %s {other.tag = 1} : (tensor<8xf32>, f32) -> tensor<8xi8>
  %1 = qdq.unpack %c packing <onnx> {other.tag = 2} : (tensor<4xi8>) -> tensor<8xi4>
  %2, %3 = qdq.choose_params %x {other.tag = 3} : (tensor<8xf32>) -> (tensor<f32>, tensor<ui8>)
  %4 = qdq.pack %q packing <onnx> {other.tag = 4} : (tensor<8xi4>) -> tensor<4xi8>
  return %0, %1, %2, %3, %4 : tensor<8xi8>, tensor<8xi4>, tensor<f32>, tensor<ui8>, tensor<4xi8>
}
