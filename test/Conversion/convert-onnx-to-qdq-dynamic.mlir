// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s

// Dynamic and unknown shapes.

// CHECK-LABEL: @quantize_tensor_dynamic
func.func @quantize_tensor_dynamic(%x: tensor<?x4xf32>, %s: tensor<f32>, %z: tensor<1xui8>) -> tensor<?x4xui8> {
  // CHECK: %[[Z:.*]] = tensor.collapse_shape %{{.*}} [] : tensor<1xui8> into tensor<ui8>
  // CHECK: zero_point %[[Z]] semantics {{.*}} : (tensor<?x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<?x4xui8>
  %q = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<?x4xf32>, tensor<f32>, tensor<1xui8>) -> tensor<?x4xui8>
  return %q : tensor<?x4xui8>
}

// -----

// CHECK-LABEL: @dequantize_axis_dynamic
func.func @dequantize_axis_dynamic(%x: tensor<2x?xi8>, %s: tensor<?xf32>, %z: tensor<4xi8>) -> tensor<2x?xf32> {
  // CHECK: axis 1 semantics {{.*}} : (tensor<2x?xi8>, tensor<?xf32>, tensor<4xi8>) -> tensor<2x?xf32>
  %y = "onnx.DequantizeLinear"(%x, %s, %z) : (tensor<2x?xi8>, tensor<?xf32>, tensor<4xi8>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// -----

// One element of scale is one for all, whatever the size of the axis turns out to be.

// CHECK-LABEL: @dequantize_tensor_dynamic_vector_scale
func.func @dequantize_tensor_dynamic_vector_scale(%x: tensor<2x?xi8>, %s: tensor<1xf32>) -> tensor<2x?xf32> {
  // CHECK-NOT: axis
  // CHECK: : (tensor<2x?xi8>, tensor<f32>) -> tensor<2x?xf32>
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<2x?xi8>, tensor<1xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// -----

// CHECK-LABEL: @dequantize_blocked_dynamic
func.func @dequantize_blocked_dynamic(%x: tensor<?x?xi4>, %s: tensor<?x?xf32>, %one: tensor<?x1xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // CHECK: block_shape [1, 32]
  %a = "onnx.DequantizeLinear"(%x, %s) {block_size = 32 : si64} : (tensor<?x?xi4>, tensor<?x?xf32>) -> tensor<?x?xf32>
  // One block of a size that is not known.
  // CHECK: block_shape [1, 0]
  %b = "onnx.DequantizeLinear"(%x, %one) : (tensor<?x?xi4>, tensor<?x1xf32>) -> tensor<?x?xf32>
  return %a, %b : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @quantize_tensor_unranked
func.func @quantize_tensor_unranked(%x: tensor<*xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<*xi8> {
  // CHECK: : (tensor<*xf32>, tensor<f32>, tensor<i8>) -> tensor<*xi8>
  %q = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<*xf32>, tensor<f32>, tensor<i8>) -> tensor<*xi8>
  return %q : tensor<*xi8>
}

// -----

// CHECK-LABEL: @quantize_axis_unranked
func.func @quantize_axis_unranked(%x: tensor<*xf32>, %s: tensor<3xf32>) -> (tensor<*xi8>, tensor<*xi8>) {
  // CHECK: axis -1 semantics
  %a = "onnx.QuantizeLinear"(%x, %s) {axis = -1 : si64} : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xi8>
  // CHECK: axis 1 semantics
  %b = "onnx.QuantizeLinear"(%x, %s) : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xi8>
  return %a, %b : tensor<*xi8>, tensor<*xi8>
}

// -----

// The result has the shape of the input; a node that says less or more about it gets a cast.

// CHECK-LABEL: @quantize_tensor_2x3_shapes
func.func @quantize_tensor_2x3_shapes(%x: tensor<2x3xf32>, %u: tensor<*xf32>, %s: tensor<f32>) -> (tensor<*xi8>, tensor<2x3xi8>) {
  // CHECK: %[[Q:.*]] = qdq.quantize {{.*}} -> tensor<2x3xi8>
  // CHECK: %[[A:.*]] = tensor.cast %[[Q]] : tensor<2x3xi8> to tensor<*xi8>
  %a = "onnx.QuantizeLinear"(%x, %s) : (tensor<2x3xf32>, tensor<f32>) -> tensor<*xi8>
  // CHECK: %[[Q:.*]] = qdq.quantize {{.*}} -> tensor<*xi8>
  // CHECK: %[[B:.*]] = tensor.cast %[[Q]] : tensor<*xi8> to tensor<2x3xi8>
  %b = "onnx.QuantizeLinear"(%u, %s) : (tensor<*xf32>, tensor<f32>) -> tensor<2x3xi8>
  // CHECK: return %[[A]], %[[B]]
  return %a, %b : tensor<*xi8>, tensor<2x3xi8>
}

// -----

// CHECK-LABEL: @dynamic_quantize_tensor_dynamic
func.func @dynamic_quantize_tensor_dynamic(%x: tensor<?x768xf32>) -> (tensor<?x768xui8>, tensor<*xf32>, tensor<ui8>) {
  // CHECK: %[[S:.*]], %[[Z:.*]] = qdq.choose_params
  // CHECK: %[[Q:.*]] = qdq.quantize {{.*}} : (tensor<?x768xf32>, tensor<f32>, tensor<ui8>) -> tensor<?x768xui8>
  // CHECK: %[[T:.*]] = tensor.cast %[[S]] : tensor<f32> to tensor<*xf32>
  // CHECK: return %[[Q]], %[[T]], %[[Z]]
  %q, %s, %z = "onnx.DynamicQuantizeLinear"(%x) : (tensor<?x768xf32>) -> (tensor<?x768xui8>, tensor<*xf32>, tensor<ui8>)
  return %q, %s, %z : tensor<?x768xui8>, tensor<*xf32>, tensor<ui8>
}

// CHECK-LABEL: func @dynamic_quantize_unranked
func.func @dynamic_quantize_unranked(%x: tensor<*xf32>) -> (tensor<*xui8>, tensor<f32>, tensor<ui8>) {
  // CHECK: %[[S:.*]], %[[Z:.*]] = qdq.choose_params %{{.*}} : (tensor<*xf32>) -> (tensor<f32>, tensor<ui8>)
  // CHECK: qdq.quantize %{{.*}} scale %[[S]] zero_point %[[Z]] {{.*}} : (tensor<*xf32>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  %q, %s, %z = "onnx.DynamicQuantizeLinear"(%x) : (tensor<*xf32>) -> (tensor<*xui8>, tensor<f32>, tensor<ui8>)
  return %q, %s, %z : tensor<*xui8>, tensor<f32>, tensor<ui8>
}
