// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-verify-lowered -split-input-file -verify-diagnostics
// RUN: not quant-opt %s --qdq-verify-lowered=unconverted=keep -split-input-file 2>&1 | FileCheck %s

// Nothing to say.
func.func @clean(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = "onnx.Add"(%x, %x) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %1 = "onnx.Custom"(%0) {domain_name = "com.microsoft", function_name = "QuickGelu"} : (tensor<4xi8>) -> tensor<4xi8>
  %2 = "onnx.Custom"(%1) {domain_name = "pmx", function_name = "RMSNorm"} : (tensor<4xi8>) -> tensor<4xi8>
  %3 = "torch.operator"(%2) {name = "onnx.Add"} : (tensor<4xi8>) -> tensor<4xi8>
  %4 = "torch.aten.relu"(%3) : (tensor<4xi8>) -> tensor<4xi8>
  return %4 : tensor<4xi8>
}

// -----

// Of a domain that is not known, the name may mean anything.
func.func @unknown_domain(%x: tensor<4xi8>) {
  // expected-remark@+1 {{quantized ops are not lowered: 2 com.example.DequantizeLinear}}
  %0 = "onnx.Custom"(%x) {domain_name = "com.example", function_name = "DequantizeLinear"} : (tensor<4xi8>) -> tensor<4xi8>
  %1 = "onnx.Custom"(%x) {domain_name = "com.example", function_name = "DequantizeLinear"} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

// Every spelling, by name and number; the note on the second kind, no line for each op.
// CHECK: remark: quantized ops are not lowered: 3 onnx.QLinearReduceMean, 1 onnx.MatMulInteger16, 2 com.microsoft.QMoE,
// CHECK-SAME: 1 com.amd.quark.ExtendedLSTM, 1 com.vai.quantize.VitisLSTM, 1 onnx.FixNeuron,
// CHECK-SAME: 1 torch.quantized_decomposed.fake_quant_per_channel, 1 torch.aten.quantize_per_tensor, 1 onnx.DequantizeLinear, 1 onednn_graph.dequantize
func.func @unconverted(%x: tensor<4xf32>, %q: tensor<4xi8>) {
  // expected-error@+1 {{quantized ops are not lowered: 3 onnx.QLinearReduceMean, 1 onnx.MatMulInteger16, 2 com.microsoft.QMoE, 1 com.amd.quark.ExtendedLSTM, 1 com.vai.quantize.VitisLSTM, 1 onnx.FixNeuron, 1 torch.quantized_decomposed.fake_quant_per_channel, 1 torch.aten.quantize_per_tensor; unconverted=keep leaves them as they are}}
  %0 = "onnx.QLinearReduceMean"(%q) : (tensor<4xi8>) -> tensor<4xi8>
  %1 = "onnx.QLinearReduceMean"(%q) : (tensor<4xi8>) -> tensor<4xi8>
  %2 = "torch.operator"(%q) {name = "onnx.QLinearReduceMean"} : (tensor<4xi8>) -> tensor<4xi8>
  // expected-note@+1 {{the first onnx.MatMulInteger16}}
  %3 = "onnx.MatMulInteger16"(%q, %q) : (tensor<4xi8>, tensor<4xi8>) -> tensor<i32>
  // expected-note@+1 {{the first com.microsoft.QMoE}}
  %4 = "onnx.Custom"(%x) {domain_name = "com.microsoft", function_name = "QMoE"} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "torch.operator"(%x) {name = "onnx.com.microsoft.QMoE"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@+1 {{the first com.amd.quark.ExtendedLSTM}}
  %6 = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "ExtendedLSTM"} : (tensor<4xf32>) -> tensor<4xf32>
  // A quantizer's own domain holds nothing else.
  // expected-note@+1 {{the first com.vai.quantize.VitisLSTM}}
  %7 = "onnx.Custom"(%x) {domain_name = "com.vai.quantize", function_name = "VitisLSTM"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@+1 {{the first onnx.FixNeuron}}
  %8 = "torch.operator"(%x) {name = "onnx.FixNeuron"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@+1 {{the first torch.quantized_decomposed.fake_quant_per_channel}}
  %9 = "torch.operator"(%x) {name = "torch.quantized_decomposed.fake_quant_per_channel"} : (tensor<4xf32>) -> tensor<4xi8>
  // expected-note@+1 {{the first torch.aten.quantize_per_tensor}}
  %10 = "torch.aten.quantize_per_tensor"(%x) : (tensor<4xf32>) -> tensor<4xi8>
  // expected-error@+1 {{'onnx.DequantizeLinear' op is not lowered}}
  %11 = "onnx.DequantizeLinear"(%q, %x) : (tensor<4xi8>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'onednn_graph.dequantize' op is not lowered}}
  %12 = "onednn_graph.dequantize"(%q) : (tensor<4xi8>) -> tensor<4xf32>
  return
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
