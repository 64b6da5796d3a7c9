// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s

// Models of AMD Quark leave `block_size` out of ONNX's own blocked nodes: the blocks are full ones. In any other model the sizes 32 to 63
// fit as well, which is an error (convert-onnx-to-qdq-invalid.mlir).

// CHECK-LABEL: @producer
module attributes {onnx.producer_name = "quark.onnx"} {
  func.func @producer(%q: tensor<4x64xi8>, %s: tensor<4x2xf32>) -> tensor<4x64xf32> {
    // CHECK: block_shape [1, 32]
    %y = "onnx.DequantizeLinear"(%q, %s) : (tensor<4x64xi8>, tensor<4x2xf32>) -> tensor<4x64xf32>
    return %y : tensor<4x64xf32>
  }
}

// -----

// CHECK-LABEL: @operator_domain
module attributes {onnx.opset_import = {ai.onnx = 21 : i64, com.amd.quark = 1 : i64}} {
  func.func @operator_domain(%x: tensor<64x4xf32>, %s: tensor<4x4xf32>) -> tensor<64x4xi8> {
    // CHECK: block_shape [16, 1]
    %y = "onnx.QuantizeLinear"(%x, %s) {axis = -2 : si64} : (tensor<64x4xf32>, tensor<4x4xf32>) -> tensor<64x4xi8>
    return %y : tensor<64x4xi8>
  }
}

// -----

// CHECK-LABEL: @torch_producer
func.func @torch_producer(%q: !torch.vtensor<[4,64],si8>, %s: !torch.vtensor<[4,2],f32>) -> !torch.vtensor<[4,64],f32> attributes {torch.onnx_meta.producer_name = "quark.onnx"} {
  // CHECK: block_shape [1, 32]
  %y = "torch.operator"(%q, %s) <{name = "onnx.DequantizeLinear"}> : (!torch.vtensor<[4,64],si8>, !torch.vtensor<[4,2],f32>) -> !torch.vtensor<[4,64],f32>
  return %y : !torch.vtensor<[4,64],f32>
}

// -----

// A size that is given, or that the shapes give, stays.

// CHECK-LABEL: @given
module attributes {onnx.producer_name = "quark.onnx"} {
  func.func @given(%q: tensor<4x64xi8>, %r: tensor<4x7xi8>, %s: tensor<4x2xf32>, %t: tensor<4x4xf32>) -> (tensor<4x64xf32>, tensor<4x7xf32>) {
    // CHECK: block_shape [1, 40]
    %y = "onnx.DequantizeLinear"(%q, %s) {block_size = 40 : si64} : (tensor<4x64xi8>, tensor<4x2xf32>) -> tensor<4x64xf32>
    // CHECK: block_shape [1, 2]
    %z = "onnx.DequantizeLinear"(%r, %t) : (tensor<4x7xi8>, tensor<4x4xf32>) -> tensor<4x7xf32>
    return %y, %z : tensor<4x64xf32>, tensor<4x7xf32>
  }
}
