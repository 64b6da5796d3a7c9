// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a node spells stays under every profile, but `precision` under `ort`, which ignores it; an option of the pass wins over both.
// RUN: quant-opt %s --convert-onnx-to-qdq | FileCheck %s --check-prefixes=CHECK,ONNX
// RUN: quant-opt %s --convert-onnx-to-qdq=profile=onnx | FileCheck %s --check-prefixes=CHECK,ONNX
// RUN: quant-opt %s --convert-onnx-to-qdq=profile=torch | FileCheck %s --check-prefixes=CHECK,TORCH
// RUN: quant-opt %s --convert-onnx-to-qdq=profile=ort | FileCheck %s --check-prefix=ORT
// RUN: quant-opt %s --convert-onnx-to-qdq="profile=ort compute=f16" | FileCheck %s --check-prefix=ORT-OPTION
// RUN: quant-opt %s --convert-onnx-to-qdq="profile=torch compute=bf16 float-overflow=saturate" | FileCheck %s --check-prefix=OPTION

// CHECK-LABEL: func @precision(
// ONNX: qdq.quantize {{.*}} semantics <{{.*}}division = exact, compute = f16, {{.*}}nan = lowest
// TORCH: qdq.quantize {{.*}} semantics <{{.*}}division = reciprocal, compute = f16, {{.*}}nan = highest
// ORT-LABEL: func @precision(
// ORT: qdq.quantize {{.*}} semantics <{{.*}}compute = f32,
// ORT-OPTION-LABEL: func @precision(
// ORT-OPTION: qdq.quantize {{.*}} semantics <{{.*}}compute = f16,
// OPTION-LABEL: func @precision(
// OPTION: qdq.quantize {{.*}} semantics <{{.*}}division = reciprocal, compute = bf16
func.func @precision(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xui8> {
  %q = "onnx.QuantizeLinear"(%x, %s) {precision = 10 : si64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>
  return %q : tensor<4xui8>
}

// CHECK-LABEL: func @saturate(
// ONNX: qdq.quantize {{.*}} semantics <{{.*}}order = round-then-add, {{.*}}float_overflow = ieee>
// TORCH: qdq.quantize {{.*}} semantics <{{.*}}order = add-then-round, {{.*}}float_overflow = ieee>
// ORT-LABEL: func @saturate(
// ORT: qdq.quantize {{.*}}float_overflow = ieee>
// OPTION-LABEL: func @saturate(
// OPTION: qdq.quantize {{.*}}float_overflow = saturate>
func.func @saturate(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf8E4M3FN> {
  %q = "onnx.QuantizeLinear"(%x, %s) {saturate = 0 : si64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E4M3FN>
  return %q : tensor<4xf8E4M3FN>
}

// CHECK-LABEL: func @torch_spelling(
// CHECK: qdq.quantize {{.*}}compute = f16, {{.*}}float_overflow = ieee>
// ORT-LABEL: func @torch_spelling(
// ORT: qdq.quantize {{.*}}compute = f32, {{.*}}float_overflow = ieee>
func.func @torch_spelling(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f8E4M3FN> {
  %q = "torch.operator"(%x, %s) {name = "onnx.QuantizeLinear", torch.onnx.precision = 10 : si64, torch.onnx.saturate = 0 : si64} : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f8E4M3FN>
  return %q : !torch.vtensor<[4],f8E4M3FN>
}
