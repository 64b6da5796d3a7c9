// RUN: quant-opt %s --convert-onnx-to-linalg=runtime-checks --split-input-file | FileCheck %s
// RUN: quant-opt %s --convert-onnx-to-linalg --split-input-file | FileCheck %s --check-prefix=OFF
// OFF-NOT: cf.assert

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %{{.*}}: tensor<4x2xf32>, %[[I:.*]]: tensor<?xi64>
// CHECK: %[[TRUE:.*]] = arith.constant dense<true> : tensor<i1>
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[I]] : tensor<?xi64>) outs(%[[TRUE]] : tensor<i1>)
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %{{.*}}, %c-4
// CHECK: %[[HIGH:.*]] = arith.cmpi slt, %{{.*}}, %c4
// CHECK: arith.andi %[[LOW]], %[[HIGH]]
// CHECK: %[[CONDITION:.*]] = tensor.extract %[[ALL]][] : tensor<i1>
// CHECK: cf.assert %[[CONDITION]], "onnx.Gather: an index is not from -4 to 3"
func.func @gather(%x: tensor<4x2xf32>, %i: tensor<?xi64>) -> tensor<?x2xf32> {
  %y = "onnx.Gather"(%x, %i) : (tensor<4x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// Constant indices are known to be in range.
// CHECK-LABEL: func.func @constant_indices(
// CHECK-NOT: cf.assert
func.func @constant_indices(%x: tensor<4x2xf32>) -> tensor<2x2xf32> {
  %i = "onnx.Constant"() {value = dense<[3, -4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %y = "onnx.Gather"(%x, %i) : (tensor<4x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: func.func @coordinates(
// CHECK: cf.assert %{{.*}}, "onnx.ScatterND: an index is not from -4 to 3"
// CHECK: cf.assert %{{.*}}, "onnx.ScatterND: an index is not from -n to n - 1, of n elements of data"
func.func @coordinates(%x: tensor<4x?xf32>, %i: tensor<5x2xi64>, %u: tensor<5xf32>) -> tensor<4x?xf32> {
  %y = "onnx.ScatterND"(%x, %i, %u) : (tensor<4x?xf32>, tensor<5x2xi64>, tensor<5xf32>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// -----

// CHECK-LABEL: func.func @transposed_convolution(
// CHECK: cf.assert {{.*}}, "onnx.ConvTranspose: dimension 2 of X is less than 2"
func.func @transposed_convolution(%x: tensor<1x4x?xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x2x?xf32> {
  %y = "onnx.ConvTranspose"(%x, %w) {strides = [2], pads = [2, 1]} : (tensor<1x4x?xf32>, tensor<4x2x3xf32>) -> tensor<1x2x?xf32>
  return %y : tensor<1x2x?xf32>
}
