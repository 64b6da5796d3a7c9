// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes that other dialects put on a node, and its location, go to the
// qdq ops that stand for it; the node's own attributes do not.
// RUN: quant-opt %s --convert-onnx-to-qdq --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func @quantize(
// CHECK: qdq.quantize {{.*}} {mydialect.tag = "first", other.flag} : {{.*}} loc("q.onnx":3:7)
func.func @quantize(%x: tensor<2x4xf32>, %s: tensor<4xf32>) -> tensor<2x4xui8> {
  %q = "onnx.QuantizeLinear"(%x, %s) {axis = 1 : si64, onnx_node_name = "q", onnx.own = 1 : i64, mydialect.tag = "first", other.flag} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xui8> loc("q.onnx":3:7)
  return %q : tensor<2x4xui8>
}

// CHECK-LABEL: func @dynamic_quantize(
// CHECK: qdq.choose_params {{.*}} {mydialect.tag = 1 : i64} : {{.*}} loc("d")
// CHECK: qdq.quantize {{.*}} {mydialect.tag = 1 : i64} : {{.*}} loc("d")
func.func @dynamic_quantize(%x: tensor<4xf32>) -> tensor<4xui8> {
  %q, %s, %z = "onnx.DynamicQuantizeLinear"(%x) {mydialect.tag = 1 : i64} : (tensor<4xf32>) -> (tensor<4xui8>, tensor<f32>, tensor<ui8>) loc("d")
  return %q : tensor<4xui8>
}

// CHECK-LABEL: func @pmx_int4(
// CHECK: qdq.unpack {{.*}} {mydialect.tag} : {{.*}} loc("p")
// CHECK: qdq.dequantize {{.*}} {mydialect.tag} : {{.*}} loc("p")
func.func @pmx_int4(%q: tensor<2x4xi16>, %s: tensor<f32>) -> tensor<8x4xf32> {
  %y = "onnx.Custom"(%q, %s) {domain_name = "pmx", function_name = "DequantizeLinear", quant_data_type = "int4", mydialect.tag} : (tensor<2x4xi16>, tensor<f32>) -> tensor<8x4xf32> loc("p")
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @torch_spelling(
// CHECK: qdq.dequantize {{.*}} {mydialect.tag} : {{.*}} loc("t")
func.func @torch_spelling(%q: !torch.vtensor<[4],si8>, %s: !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32> {
  %y = "torch.operator"(%q, %s) {name = "onnx.DequantizeLinear", torch.onnx.axis = 0 : si64, mydialect.tag} : (!torch.vtensor<[4],si8>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32> loc("t")
  return %y : !torch.vtensor<[4],f32>
}
