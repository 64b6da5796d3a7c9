func.func @quant(%x: tensor<?x4xf32>) -> tensor<?x4x!quant.uniform<u8:f32:1, {0.5:128, 1.0, 2.0:3, 4.0:255}>> {
  %q = quant.qcast %x : tensor<?x4xf32> to tensor<?x4x!quant.uniform<u8:f32:1, {0.5:128, 1.0, 2.0:3, 4.0:255}>>
  return %q : tensor<?x4x!quant.uniform<u8:f32:1, {0.5:128, 1.0, 2.0:3, 4.0:255}>>
}

func.func @onnx(%x: tensor<4x64xf32>, %s: tensor<4x2xf32>, %z: tensor<4x2xui8>) -> tensor<4x64xf32> {
  %q = "onnx.QuantizeLinear"(%x, %s, %z) {axis = 1 : si64, block_size = 32 : si64, saturate = 1 : si64}
     : (tensor<4x64xf32>, tensor<4x2xf32>, tensor<4x2xui8>) -> tensor<4x64xui8>
  %y = "onnx.DequantizeLinear"(%q, %s, %z) {axis = 1 : si64, block_size = 32 : si64}
     : (tensor<4x64xui8>, tensor<4x2xf32>, tensor<4x2xui8>) -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

func.func @onnx_dynamic(%x: tensor<?x?xf32>) -> (tensor<?x?xui8>, tensor<f32>, tensor<ui8>) {
  %q, %s, %z = "onnx.DynamicQuantizeLinear"(%x) : (tensor<?x?xf32>) -> (tensor<?x?xui8>, tensor<f32>, tensor<ui8>)
  return %q, %s, %z : tensor<?x?xui8>, tensor<f32>, tensor<ui8>
}
