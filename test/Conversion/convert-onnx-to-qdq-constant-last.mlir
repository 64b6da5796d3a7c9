// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A constant of which nothing is left but that it ends its block stays.
//
// RUN: quant-opt %s --convert-onnx-to-qdq | FileCheck %s

// CHECK-LABEL: @function
// CHECK-NEXT:    "onnx.Constant"()
// CHECK-NOT:     onnx
func.func @function(%x: tensor<4xi8>, %s: tensor<f32>) {
  %unused = "onnx.Constant"() {value = dense<1> : tensor<i8>} : () -> tensor<i8>
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  %last = "onnx.Constant"() {value = dense<1> : tensor<i8>} : () -> tensor<i8>
}
