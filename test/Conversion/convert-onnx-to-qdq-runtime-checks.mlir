// RUN: quant-opt %s --convert-onnx-to-qdq=runtime-checks --split-input-file | FileCheck %s
// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s --check-prefix=OFF
// OFF-NOT: cf.assert

// CHECK-LABEL: func.func @conv_integer(
// CHECK: cf.assert %{{.*}}, "onnx.ConvInteger: a window of 5 elements does not fit into dimension 2 of the input"
// CHECK-NOT: cf.assert
func.func @conv_integer(%x: tensor<1x4x?x8xui8>, %w: tensor<2x4x3x3xui8>) -> tensor<1x2x?x6xi32> {
  %y = "onnx.ConvInteger"(%x, %w) {dilations = [2, 1]} : (tensor<1x4x?x8xui8>, tensor<2x4x3x3xui8>) -> tensor<1x2x?x6xi32>
  return %y : tensor<1x2x?x6xi32>
}

// -----

// The size of the filter is open, too.
// CHECK-LABEL: func.func @open_filter(
// CHECK-NOT: cf.assert
func.func @open_filter(%x: tensor<1x4x?xui8>, %w: tensor<2x4x?xui8>) -> tensor<1x2x?xi32> {
  %y = "onnx.ConvInteger"(%x, %w) : (tensor<1x4x?xui8>, tensor<2x4x?xui8>) -> tensor<1x2x?xi32>
  return %y : tensor<1x2x?xi32>
}
