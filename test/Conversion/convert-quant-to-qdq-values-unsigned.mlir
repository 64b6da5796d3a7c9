// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As convert-quant-to-qdq-values.mlir, of unsigned codes. MLIR 23 has no unsigned constants to fold to.
// REQUIRES: mlir-22
// RUN: quant-opt %s --convert-quant-to-qdq --canonicalize | FileCheck %s

// CHECK-LABEL: func @qcast_per_layer_unsigned(
// CHECK: dense<[200, 202, 255, 0]> : tensor<4xui8>
func.func @qcast_per_layer_unsigned() -> tensor<4x!quant.uniform<u8:f32, 0.5:200>> {
  %x = arith.constant dense<[0.0, 1.0, 100.0, -200.0]> : tensor<4xf32>
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 0.5:200>>
  return %q : tensor<4x!quant.uniform<u8:f32, 0.5:200>>
}

// CHECK-LABEL: func @qcast_per_axis_2x2(
// CHECK: dense<{{\[}}[1, 204], [2, 208]]> : tensor<2x2xui8>
func.func @qcast_per_axis_2x2() -> tensor<2x2x!quant.uniform<u8:f32:1, {2.0, 0.5:200}>> {
  %x = arith.constant dense<[[2.0, 2.0], [4.0, 4.0]]> : tensor<2x2xf32>
  %q = quant.qcast %x : tensor<2x2xf32> to tensor<2x2x!quant.uniform<u8:f32:1, {2.0, 0.5:200}>>
  return %q : tensor<2x2x!quant.uniform<u8:f32:1, {2.0, 0.5:200}>>
}

// CHECK-LABEL: func @qcast_sub_channel_2x4(
// CHECK: dense<{{\[}}[202, 202, 4, 4], [1, 1, 10, 10]]> : tensor<2x4xui8>
func.func @qcast_sub_channel_2x4() -> tensor<2x4x!quant.uniform<u8:f32:{0:1, 1:2}, {{2.0:200, 1.0}, {4.0, 0.5:2}}>> {
  %x = arith.constant dense<4.0> : tensor<2x4xf32>
  %q = quant.qcast %x : tensor<2x4xf32> to tensor<2x4x!quant.uniform<u8:f32:{0:1, 1:2}, {{2.0:200, 1.0}, {4.0, 0.5:2}}>>
  return %q : tensor<2x4x!quant.uniform<u8:f32:{0:1, 1:2}, {{2.0:200, 1.0}, {4.0, 0.5:2}}>>
}
