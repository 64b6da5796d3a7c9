// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of quantized_decomposed and torchao that convert-torch-to-qdq.mlir does not show.
// RUN: quant-opt --convert-torch-to-qdq %s | FileCheck %s

// CHECK-LABEL: func.func @quantize_per_tensor_of_tensors(
// CHECK: qdq.quantize %{{.*}} scale %arg1 zero_point %{{.*}} semantics <rounding = nearest-even, order = round-then-add
func.func @quantize_per_tensor_of_tensors(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4xi8> {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %q = "torch.operator"(%x, %s, %z, %low, %high, %dtype) <{name = "torch.quantized_decomposed.quantize_per_tensor.tensor"}>
     : (tensor<4xf32>, tensor<f32>, tensor<i32>, !torch.int, !torch.int, !torch.int) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// CHECK-LABEL: func.func @quantize_per_tensor_of_bounds(
// CHECK: qdq.quantize %{{.*}} clamp [-7, 7]
func.func @quantize_per_tensor_of_bounds(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4xi8> {
  %low = "torch.vtensor.literal"() <{value = dense<-7> : tensor<si64>}> : () -> !torch.vtensor<[],si64>
  %high = "torch.vtensor.literal"() <{value = dense<7> : tensor<si64>}> : () -> !torch.vtensor<[],si64>
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %q = "torch.operator"(%x, %s, %z, %low, %high, %dtype) <{name = "torch.quantized_decomposed.quantize_per_tensor.tensor2"}>
     : (tensor<4xf32>, tensor<f32>, tensor<i32>, !torch.vtensor<[],si64>, !torch.vtensor<[],si64>, !torch.int) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// CHECK-LABEL: func.func @dequantize_per_tensor(
// CHECK: qdq.dequantize %arg0 scale %{{.*}} zero_point %{{.*}} -> tensor<4xf32>
func.func @dequantize_per_tensor(%q: tensor<4xui8>) -> tensor<4xf32> {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 255 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %y = "torch.operator"(%q, %s, %z, %low, %high, %dtype) <{name = "torch.quantized_decomposed.dequantize_per_tensor"}>
     : (tensor<4xui8>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @dequantize_per_channel(
// CHECK: qdq.dequantize %arg0 scale %arg1 zero_point %arg2 axis 1 semantics <{{.*}}subtract = float
func.func @dequantize_per_channel(%q: tensor<2x3xi8>, %s: tensor<3xf32>, %z: tensor<3xf32>) -> tensor<2x3xf32> {
  %axis = "torch.constant.int"() <{value = -1 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %y = "torch.operator"(%q, %s, %z, %axis, %low, %high, %dtype) <{name = "torch.quantized_decomposed.dequantize_per_channel"}>
     : (tensor<2x3xi8>, tensor<3xf32>, tensor<3xf32>, !torch.int, !torch.int, !torch.int, !torch.int) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @dequantize_per_token(
// CHECK: qdq.dequantize %arg0 scale %arg1 zero_point %{{.*}} block_shape [1, 0] semantics <{{.*}}subtract = wide
func.func @dequantize_per_token(%q: tensor<?x8xi8>, %s: tensor<?x1xf32>, %z: tensor<?x1xi32>) -> tensor<?x8xf32> {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %out = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %y = "torch.operator"(%q, %s, %z, %low, %high, %dtype, %out) <{name = "torch.quantized_decomposed.dequantize_per_token"}>
     : (tensor<?x8xi8>, tensor<?x1xf32>, tensor<?x1xi32>, !torch.int, !torch.int, !torch.int, !torch.int) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @quantize_per_channel_group(
// CHECK: qdq.quantize %arg0 scale %arg1 zero_point %arg2 block_shape [1, 2] semantics <{{.*}}order = add-then-round
func.func @quantize_per_channel_group(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>, %z: tensor<2x2xi32>) -> tensor<2x4xi8> {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %size = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %q = "torch.operator"(%x, %s, %z, %low, %high, %dtype, %size) <{name = "torch.quantized_decomposed.quantize_per_channel_group"}>
     : (tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x2xi32>, !torch.int, !torch.int, !torch.int, !torch.int) -> tensor<2x4xi8>
  return %q : tensor<2x4xi8>
}

// A group that is longer than the row is the row.
// CHECK-LABEL: func.func @dequantize_per_channel_group(
// CHECK: qdq.dequantize %arg0 scale %arg1 zero_point %arg2 block_shape [1, 0]
func.func @dequantize_per_channel_group(%q: tensor<2x4xi8>, %s: tensor<2x1xf32>, %z: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %size = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %out = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %y = "torch.operator"(%q, %s, %z, %low, %high, %dtype, %size, %out) <{name = "torch.quantized_decomposed.dequantize_per_channel_group"}>
     : (tensor<2x4xi8>, tensor<2x1xf32>, tensor<2x1xi32>, !torch.int, !torch.int, !torch.int, !torch.int, !torch.int) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @choose_qparams_symmetric(
// CHECK: arith.negf
func.func @choose_qparams_symmetric(%x: tensor<2x4xf32>) -> (tensor<1xf64>, tensor<1xi64>) {
  %low = "torch.constant.int"() <{value = -127 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %eps = "torch.constant.float"() <{value = 1.0e-05 : f64}> : () -> !torch.float
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %s, %z = "torch.operator"(%x, %low, %high, %eps, %dtype) <{name = "torch.quantized_decomposed.choose_qparams_symmetric.tensor"}>
     : (tensor<2x4xf32>, !torch.int, !torch.int, !torch.float, !torch.int) -> (tensor<1xf64>, tensor<1xi64>)
  return %s, %z : tensor<1xf64>, tensor<1xi64>
}

// CHECK-LABEL: func.func @choose_qparams_per_token(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK-LABEL: func.func @choose_qparams_per_token_asymmetric(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
func.func @choose_qparams_per_token(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %s, %z = "torch.operator"(%x, %dtype) <{name = "torch.quantized_decomposed.choose_qparams_per_token"}>
     : (tensor<2x4xf32>, !torch.int) -> (tensor<2x1xf32>, tensor<2x1xf32>)
  return %s, %z : tensor<2x1xf32>, tensor<2x1xf32>
}
func.func @choose_qparams_per_token_asymmetric(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %s, %z = "torch.operator"(%x, %dtype) <{name = "torch.quantized_decomposed.choose_qparams_per_token_asymmetric"}>
     : (tensor<2x4xf32>, !torch.int) -> (tensor<2x1xf32>, tensor<2x1xf32>)
  return %s, %z : tensor<2x1xf32>, tensor<2x1xf32>
}

// CHECK-LABEL: func.func @choose_qparams_affine(
// CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<2x2x2xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
func.func @choose_qparams_affine(%x: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
  %mapping = "torch.constant.str"() <{value = "SYMMETRIC"}> : () -> !torch.str
  %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %two = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %block = "torch.prim.ListConstruct"(%one, %two) : (!torch.int, !torch.int) -> !torch.list<int>
  %s, %z = "torch.operator"(%x, %mapping, %block, %one) <{name = "torch.torchao.choose_qparams_affine"}>
     : (tensor<2x4xf32>, !torch.str, !torch.list<int>, !torch.int) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return %s, %z : tensor<2x2xf32>, tensor<2x2xi32>
}

// CHECK-LABEL: func.func @quantize_affine(
// CHECK: qdq.quantize %arg0 scale %arg1 zero_point %arg2 block_shape [1, 2]
func.func @quantize_affine(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>, %z: tensor<2x2xi32>) -> tensor<2x4xi8> {
  %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %two = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %block = "torch.prim.ListConstruct"(%one, %two) : (!torch.int, !torch.int) -> !torch.list<int>
  %q = "torch.operator"(%x, %block, %s, %z, %one) <{name = "torch.torchao.quantize_affine"}>
     : (tensor<2x4xf32>, !torch.list<int>, tensor<2x2xf32>, tensor<2x2xi32>, !torch.int) -> tensor<2x4xi8>
  return %q : tensor<2x4xi8>
}
