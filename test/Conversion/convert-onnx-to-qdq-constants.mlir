// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s

// The value attributes of onnx.Constant.

// CHECK-LABEL: @value_float
func.func @value_float(%x: tensor<4xf32>) -> tensor<4xi8> {
  // CHECK: arith.constant 5.000000e-01 : f32
  // CHECK-NOT: onnx.Constant
  %s = "onnx.Constant"() {value_float = 0.5 : f32} : () -> tensor<f32>
  %q = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// CHECK-LABEL: @value_floats
func.func @value_floats(%x: tensor<2x3xf32>) -> (tensor<2x3xi8>, tensor<2x3xi8>) {
  // CHECK: %[[A:.*]] = arith.constant dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>
  // CHECK: qdq.quantize %{{.*}} scale %[[A]] axis 0
  %s = "onnx.Constant"() {value_floats = [0.5 : f32, 2.0 : f32]} : () -> tensor<2xf32>
  %q = "onnx.QuantizeLinear"(%x, %s) {axis = 0 : si64} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi8>
  // CHECK: %[[B:.*]] = arith.constant dense<[1.000000e+00, 4.000000e+00]> : tensor<2xf32>
  // CHECK: qdq.quantize %{{.*}} scale %[[B]] axis 0
  %t = "onnx.Constant"() {value_floats = array<f32: 1.0, 4.0>} : () -> tensor<2xf32>
  %r = "onnx.QuantizeLinear"(%x, %t) {axis = 0 : si64} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi8>
  return %q, %r : tensor<2x3xi8>, tensor<2x3xi8>
}

// -----

// Bits of the same width under another signedness.

// CHECK-LABEL: @signedness
func.func @signedness(%x: !torch.vtensor<[2],si8>, %s: !torch.vtensor<[],f32>) -> !torch.vtensor<[2],f32> {
  // CHECK: %[[Z:.*]] = arith.constant -3 : i8
  // CHECK: qdq.dequantize %{{.*}} scale %{{.*}} zero_point %[[Z]]
  %z = "torch.vtensor.literal"() <{value = dense<-3> : tensor<si8>}> : () -> !torch.vtensor<[],si8>
  %d = "torch.operator"(%x, %s, %z) <{name = "onnx.DequantizeLinear"}> : (!torch.vtensor<[2],si8>, !torch.vtensor<[],f32>, !torch.vtensor<[],si8>) -> !torch.vtensor<[2],f32>
  return %d : !torch.vtensor<[2],f32>
}

// CHECK-LABEL: @resource
func.func @resource(%s: !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32> {
  // CHECK: %[[W:.*]] = arith.constant dense_resource<w> : tensor<4xi8>
  // CHECK: qdq.dequantize %[[W]]
  %w = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value = dense_resource<w> : tensor<4xsi8>} : () -> !torch.vtensor<[4],si8>
  %d = "torch.operator"(%w, %s) <{name = "onnx.DequantizeLinear"}> : (!torch.vtensor<[4],si8>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32>
  return %d : !torch.vtensor<[4],f32>
}

// torch-mlir's importer keeps the bytes of ONNX, two elements in each; ours has a byte for each.
// CHECK-LABEL: @resource_sub_byte
func.func @resource_sub_byte(%s: !torch.vtensor<[],f32>) -> (!torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>) {
  // CHECK: %[[P:.*]] = arith.constant dense<[1, -2, 3]> : tensor<3xi4>
  // CHECK: qdq.dequantize %[[P]]
  %p = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value = dense_resource<packed> : tensor<3xsi4>} : () -> !torch.vtensor<[3],si4>
  %0 = "torch.operator"(%p, %s) <{name = "onnx.DequantizeLinear"}> : (!torch.vtensor<[3],si4>, !torch.vtensor<[],f32>) -> !torch.vtensor<[3],f32>
  // CHECK: %[[B:.*]] = arith.constant dense<[1, -2, 3]> : tensor<3xi4>
  // CHECK: qdq.dequantize %[[B]]
  %b = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value = dense_resource<bytes> : tensor<3xsi4>} : () -> !torch.vtensor<[3],si4>
  %1 = "torch.operator"(%b, %s) <{name = "onnx.DequantizeLinear"}> : (!torch.vtensor<[3],si4>, !torch.vtensor<[],f32>) -> !torch.vtensor<[3],f32>
  return %0, %1 : !torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>
}

{-#
  dialect_resources: { builtin: { w: "0x0100000001020304", packed: "0x01000000E103", bytes: "0x01000000010E03" } }
#-}

// -----

// What is no constant of the value's type is an operand like any other.

// CHECK-LABEL: @not_trusted
func.func @not_trusted(%x: tensor<2x3xf32>) -> (tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>) {
  // CHECK: %[[A:.*]] = "onnx.Constant"() {value_floats = [5.000000e-01]}
  // CHECK: qdq.quantize %{{.*}} scale
  %s = "onnx.Constant"() {value_floats = [0.5]} : () -> tensor<1xf32>
  %q = "onnx.QuantizeLinear"(%x, %s) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xi8>
  // CHECK: %[[B:.*]] = "onnx.Constant"() {value = "text"}
  // CHECK: qdq.quantize %{{.*}} scale %[[B]]
  %t = "onnx.Constant"() {value = "text"} : () -> tensor<f32>
  %r = "onnx.QuantizeLinear"(%x, %t) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi8>
  // CHECK: %[[C:.*]] = "onnx.Constant"() {value = dense<1.000000e+00> : tensor<3xf32>}
  // CHECK: qdq.quantize %{{.*}} scale %[[C]]
  %u = "onnx.Constant"() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<f32>
  %v = "onnx.QuantizeLinear"(%x, %u) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi8>
  // CHECK: %[[D:.*]] = "onnx.Constant"() {value_ints = [1 : index]}
  // CHECK: "test.use"(%[[D]])
  %w = "onnx.Constant"() {value_ints = [1 : index]} : () -> tensor<1xi64>
  "test.use"(%w) : (tensor<1xi64>) -> ()
  return %q, %r, %v : tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>
}
