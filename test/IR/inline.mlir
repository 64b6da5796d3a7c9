// RUN: quant-opt %s --inline | FileCheck %s
// RUN: quant-opt %s --convert-quant-to-qdq --inline | FileCheck %s --check-prefix=QUANT

func.func private @scalar(%x: f32, %s: f32, %z: i8) -> f32 {
  %q = qdq.quantize %x scale %s zero_point %z : (f32, f32, i8) -> i8
  %y = qdq.dequantize %q scale %s zero_point %z : (i8, f32, i8) -> f32
  return %y : f32
}

func.func private @tensor(%x: tensor<?x64xf32>) -> tensor<?xi8> {
  %s = qdq.choose_params %x mode <symmetric> storage i4 block_shape [1, 32] : (tensor<?x64xf32>) -> tensor<?x2xf32>
  %q = qdq.quantize %x scale %s block_shape [1, 32] : (tensor<?x64xf32>, tensor<?x2xf32>) -> tensor<?x64xi4>
  %p = qdq.pack %q packing <onnx> : (tensor<?x64xi4>) -> tensor<?xi8>
  return %p : tensor<?xi8>
}

func.func private @packed(%p: tensor<?xi8>, %n: index) -> tensor<?x64xi4> {
  %q = qdq.unpack %p packing <onnx> sizes(%n) : (tensor<?xi8>, index) -> tensor<?x64xi4>
  return %q : tensor<?x64xi4>
}

// CHECK-LABEL: func @every_op
// CHECK-NOT: call
// CHECK: qdq.quantize
// CHECK: qdq.dequantize
// CHECK: qdq.choose_params
// CHECK: qdq.quantize
// CHECK: qdq.pack
// CHECK: qdq.unpack
// CHECK-NOT: call
func.func @every_op(%v: f32, %s: f32, %z: i8, %x: tensor<?x64xf32>, %n: index) -> (f32, tensor<?x64xi4>) {
  %y = call @scalar(%v, %s, %z) : (f32, f32, i8) -> f32
  %p = call @tensor(%x) : (tensor<?x64xf32>) -> tensor<?xi8>
  %q = call @packed(%p, %n) : (tensor<?xi8>, index) -> tensor<?x64xi4>
  return %y, %q : f32, tensor<?x64xi4>
}

func.func private @cast(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %q : tensor<4x!quant.uniform<i8:f32, 0.5>>
}

// QUANT-LABEL: func @from_quant
// QUANT-NOT: call
// QUANT: qdq.quantize
// QUANT: qdq.dequantize
func.func @from_quant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = call @cast(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  %y = quant.dcast %q : tensor<4x!quant.uniform<i8:f32, 0.5>> to tensor<4xf32>
  return %y : tensor<4xf32>
}
