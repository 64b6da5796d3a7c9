// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of integers by the ranks of their operands, and what zero points add to them.
// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s

// Only linalg.matmul and linalg.batch_matmul multiply unsigned codes.
// CHECK-LABEL: func @vectors(
// CHECK: linalg.dot ins(%{{.*}} : tensor<4xi8>, tensor<4xi8>)
// CHECK: linalg.vecmat ins(%{{.*}} : tensor<4xi8>, tensor<4x2xi8>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4xi8>, tensor<4xi8>)
// CHECK: arith.extui
func.func @vectors(%a: tensor<4xi8>, %b: tensor<4xi8>, %w: tensor<4x2xi8>, %x: tensor<4xui8>, %y: tensor<4xui8>) -> (tensor<i32>, tensor<2xi32>, tensor<i32>) {
  %p = "onnx.MatMulInteger"(%a, %b) : (tensor<4xi8>, tensor<4xi8>) -> tensor<i32>
  %q = "onnx.MatMulInteger"(%a, %w) : (tensor<4xi8>, tensor<4x2xi8>) -> tensor<2xi32>
  %r = "onnx.MatMulInteger"(%x, %y) : (tensor<4xui8>, tensor<4xui8>) -> tensor<i32>
  return %p, %q, %r : tensor<i32>, tensor<2xi32>, tensor<i32>
}

// -----

// The column sums [4, 6] of the codes less two zero points [1, 2] are [2, 2]; times 3 they are subtracted: -6.
// CHECK-LABEL: func @zero_points_of_columns(
// CHECK: arith.constant dense<-6> : tensor<2xi32>
func.func @zero_points_of_columns(%a: tensor<5x2xui8>) -> tensor<5x2xi32> {
  %za = "onnx.Constant"() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
  %b = "onnx.Constant"() {value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>} : () -> tensor<2x2xi8>
  %zb = "onnx.Constant"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2xi8>
  %y = "onnx.MatMulInteger"(%a, %b, %za, %zb) : (tensor<5x2xui8>, tensor<2x2xi8>, tensor<ui8>, tensor<2xi8>) -> tensor<5x2xi32>
  return %y : tensor<5x2xi32>
}

// -----

// The row sums of constant codes on the left: [3, 7] less two zero points [1, 2] are [1, 3]; times 3 they are subtracted.
// CHECK-LABEL: func @zero_points_of_rows(
// CHECK: arith.constant dense<[-3, -9]> : tensor<2xi32>
func.func @zero_points_of_rows(%b: tensor<2x5xi8>) -> tensor<2x5xi32> {
  %a = "onnx.Constant"() {value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>} : () -> tensor<2x2xi8>
  %za = "onnx.Constant"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2xi8>
  %zb = "onnx.Constant"() {value = dense<3> : tensor<i8>} : () -> tensor<i8>
  %y = "onnx.MatMulInteger"(%a, %b, %za, %zb) : (tensor<2x2xi8>, tensor<2x5xi8>, tensor<2xi8>, tensor<i8>) -> tensor<2x5xi32>
  return %y : tensor<2x5xi32>
}

// -----

// Zero points of rows, by batch and row; a batch of one that is repeated.
// CHECK-LABEL: func @zero_points_of_batches(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x3x4xi8>, tensor<4x5xi8>)
func.func @zero_points_of_batches(%a: tensor<2x3x4xi8>, %b: tensor<1x4x5xi8>, %za: tensor<2x3x1xi8>, %zb: tensor<i8>) -> tensor<2x3x5xi32> {
  %y = "onnx.MatMulInteger"(%a, %b, %za, %zb) : (tensor<2x3x4xi8>, tensor<1x4x5xi8>, tensor<2x3x1xi8>, tensor<i8>) -> tensor<2x3x5xi32>
  return %y : tensor<2x3x5xi32>
}

// -----

// Groups in one dimension have no named op; padding at one end.
// CHECK-LABEL: func @groups(
// CHECK: tensor.pad %{{.*}} low[0, 0, 0] high[0, 0, 1]
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<1x2x2x9xi8>, tensor<2x2x2x3xi8>)
func.func @groups(%x: tensor<1x4x8xi8>, %w: tensor<4x2x3xi8>) -> tensor<1x4x7xi32> {
  %y = "onnx.ConvInteger"(%x, %w) {group = 2 : si64, pads = [0, 1]} : (tensor<1x4x8xi8>, tensor<4x2x3xi8>) -> tensor<1x4x7xi32>
  return %y : tensor<1x4x7xi32>
}
