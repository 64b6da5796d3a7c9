// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of shapes becomes arithmetic of sizes.
// RUN: quant-opt %s --convert-onnx-to-linalg --cse --canonicalize | FileCheck %s

// CHECK-DAG: #[[MOD:.*]] = affine_map<()[s0] -> (s0 mod 4)>

// CHECK-LABEL: func.func @remainders(
// CHECK: %[[ROWS:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[REST:.*]] = affine.apply #[[MOD]]()[%[[ROWS]]]
// CHECK: %[[CAST:.*]] = arith.index_cast %[[REST]] : index to i64
// CHECK: tensor.from_elements %[[CAST]], %c3_i64 : tensor<2xi64>
func.func @remainders(%x: tensor<?x7xf32>) -> tensor<2xi64> {
  %four = "onnx.Constant"() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = "onnx.Shape"(%x) : (tensor<?x7xf32>) -> tensor<2xi64>
  %r = "onnx.Mod"(%s, %four) : (tensor<2xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}

// CHECK-LABEL: func.func @casts(
// CHECK: %[[ROWS:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[NARROW:.*]] = arith.trunci %[[ROWS]] : i64 to i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[NARROW]] : i32 to i64
// CHECK: tensor.from_elements %[[WIDE]], %c7_i64
func.func @casts(%x: tensor<?x7xf32>) -> tensor<2xi64> {
  %s = "onnx.Shape"(%x) : (tensor<?x7xf32>) -> tensor<2xi64>
  %c = "onnx.Cast"(%s) {to = i32} : (tensor<2xi64>) -> tensor<2xi32>
  %r = "onnx.Cast"(%c) {to = i64} : (tensor<2xi32>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}

// NumPy's s[-1:-4:-1].
// CHECK-LABEL: func.func @backwards(
// CHECK: %[[ROWS:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: tensor.from_elements %c7_i64, %c5_i64, %[[ROWS]] : tensor<3xi64>
func.func @backwards(%x: tensor<?x5x7xf32>) -> tensor<3xi64> {
  %start = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = "onnx.Constant"() {value = dense<-4> : tensor<1xi64>} : () -> tensor<1xi64>
  %axis = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = "onnx.Shape"(%x) : (tensor<?x5x7xf32>) -> tensor<3xi64>
  %r = "onnx.Slice"(%s, %start, %end, %axis, %start) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  return %r : tensor<3xi64>
}

// NumPy's s.reshape(2, 2).T.reshape(4), and without the exchange.
// CHECK-LABEL: func.func @matrix(
// CHECK: %[[ROWS:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[T:.*]] = tensor.from_elements %[[ROWS]], %c6_i64, %c5_i64, %c7_i64
// CHECK: %[[S:.*]] = tensor.from_elements %[[ROWS]], %c5_i64, %c6_i64, %c7_i64
// CHECK: return %[[T]], %[[S]]
func.func @matrix(%x: tensor<?x5x6x7xf32>) -> (tensor<4xi64>, tensor<4xi64>) {
  %two = "onnx.Constant"() {value = dense<2> : tensor<2xi64>} : () -> tensor<2xi64>
  %four = "onnx.Constant"() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = "onnx.Shape"(%x) : (tensor<?x5x6x7xf32>) -> tensor<4xi64>
  %m = "onnx.Reshape"(%s, %two) : (tensor<4xi64>, tensor<2xi64>) -> tensor<2x2xi64>
  %t = "onnx.Transpose"(%m) : (tensor<2x2xi64>) -> tensor<2x2xi64>
  %u = "onnx.Transpose"(%m) {perm = [0, 1]} : (tensor<2x2xi64>) -> tensor<2x2xi64>
  %a = "onnx.Reshape"(%t, %four) : (tensor<2x2xi64>, tensor<1xi64>) -> tensor<4xi64>
  %b = "onnx.Reshape"(%u, %four) : (tensor<2x2xi64>, tensor<1xi64>) -> tensor<4xi64>
  return %a, %b : tensor<4xi64>, tensor<4xi64>
}
