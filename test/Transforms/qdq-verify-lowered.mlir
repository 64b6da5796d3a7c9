// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-verify-lowered -split-input-file -verify-diagnostics

// Nothing to say.
func.func @clean(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = "onnx.Add"(%x, %x) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %1 = "onnx.Custom"(%0) {domain_name = "com.example", function_name = "DequantizeLinear"} : (tensor<4xi8>) -> tensor<4xi8>
  %2 = "torch.operator"(%1) {name = "onnx.Add"} : (tensor<4xi8>) -> tensor<4xi8>
  return %2 : tensor<4xi8>
}

// -----

// All of them, not only the first.
func.func @left(%x: tensor<4xf32>, %s: tensor<f32>, %q: tensor<4xi8>) {
  %0 = arith.constant 2.0 : f32
  // expected-error@+1 {{'qdq.quantize' op is not lowered}}
  %1 = qdq.quantize %x scale %0 : (tensor<4xf32>, f32) -> tensor<4xi8>
  // expected-error@+1 {{'quant.qcast' op is not lowered}}
  %2 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 2.0>>
  // expected-error@+1 {{'onnx.QuantizeLinear' op is not lowered}}
  %3 = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>
  // expected-error@+1 {{'onnx.DequantizeLinear' op is not lowered}}
  %4 = "onnx.DequantizeLinear"(%q, %s) : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{'onnx.DynamicQuantizeLinear' op is not lowered}}
  %5:3 = "onnx.DynamicQuantizeLinear"(%x) : (tensor<4xf32>) -> (tensor<4xui8>, tensor<f32>, tensor<ui8>)
  // expected-error@+1 {{'onnx.Custom' op is not lowered}}
  %6 = "onnx.Custom"(%q, %s) {domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"} : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{'torch.operator' op is not lowered}}
  %7 = "torch.operator"(%q, %s) {name = "onnx.DequantizeLinear"} : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{'torch.operator' op is not lowered}}
  %8 = "torch.operator"(%q, %s) {name = "onnx.com.microsoft.DequantizeLinear"} : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{'onednn_graph.dequantize' op is not lowered}}
  %10 = "onednn_graph.dequantize"(%q) : (tensor<4xi8>) -> tensor<4xf32>
  return
}

// -----

// What convert-onnx-to-qdq matches, in torch-mlir's spelling with a domain.
func.func @left_torch(%q: tensor<4xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'torch.operator' op is not lowered}}
  %0 = "torch.operator"(%q, %s) {name = "onnx.com.microsoft.QuantizeLinear"} : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{'torch.operator' op is not lowered}}
  %1 = "torch.operator"(%q, %s) {name = "onnx.com.amd.quark.ExtendedDequantizeLinear"} : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{'torch.operator' op is not lowered}}
  %2 = "torch.operator"(%q, %s) {name = "onnx.pmx.DequantizeLinear"} : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{'func.func' op still has the quantized type '!quant.uniform<i8:f32, 2.000000e+00>'}}
func.func private @type_on_declaration(tensor<4x!quant.uniform<i8:f32, 2.0>>)
// expected-error@+1 {{'foo.op' op still has the quantized type '!quant.any<i8:f32>'}}
"foo.op"() {type = !quant.any<i8:f32>} : () -> ()

// -----

// expected-error@+1 {{2 more ops are not lowered}}
module {
  func.func @more_than_ten(%x: tensor<4xf32>, %s: f32) {
    // expected-error@+1 {{is not lowered}}
    %0 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    // expected-error@+1 {{is not lowered}}
    %1 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    // expected-error@+1 {{is not lowered}}
    %2 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    // expected-error@+1 {{is not lowered}}
    %3 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    // expected-error@+1 {{is not lowered}}
    %4 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    // expected-error@+1 {{is not lowered}}
    %5 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    // expected-error@+1 {{is not lowered}}
    %6 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    // expected-error@+1 {{is not lowered}}
    %7 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    // expected-error@+1 {{is not lowered}}
    %8 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    // expected-error@+1 {{is not lowered}}
    %9 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    %10 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    %11 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
    return
  }
}
