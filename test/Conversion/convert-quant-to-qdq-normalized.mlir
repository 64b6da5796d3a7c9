// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After upstream's normalize-quant-types: sub-channel types that were per-axis or per-layer types in disguise.
// RUN: quant-opt %s --pass-pipeline="builtin.module(func.func(normalize-quant-types),convert-quant-to-qdq)" -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @qcast_sub_channel_to_per_axis(
// CHECK: arith.constant dense<[3, -7]> : tensor<2xi8>
// CHECK: qdq.quantize {{.*}} axis 0
func.func @qcast_sub_channel_to_per_axis(%x: tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32:{0:1, 1:4}, {{0.5:3}, {2.0:-7}}>> {
  %q = quant.qcast %x : tensor<2x4xf32> to tensor<2x4x!quant.uniform<i8:f32:{0:1, 1:4}, {{0.5:3}, {2.0:-7}}>>
  return %q : tensor<2x4x!quant.uniform<i8:f32:{0:1, 1:4}, {{0.5:3}, {2.0:-7}}>>
}

// -----

// CHECK-LABEL: func @dcast_sub_channel_stays(
// CHECK: qdq.dequantize {{.*}} block_shape [1, 2]
func.func @dcast_sub_channel_stays(%q: tensor<2x4x!quant.uniform<u8:f32:{0:1, 1:2}, {{0.5:200, 1.0}, {2.0:7, 1.0}}>>) -> tensor<2x4xf32> {
  %x = quant.dcast %q : tensor<2x4x!quant.uniform<u8:f32:{0:1, 1:2}, {{0.5:200, 1.0}, {2.0:7, 1.0}}>> to tensor<2x4xf32>
  return %x : tensor<2x4xf32>
}

// -----

// Upstream reads the unsigned 200 as -56; nothing tells what it was.
func.func @qcast_sub_channel_zero_point_lost(%x: tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<u8:f32:{0:1, 1:4}, {{0.5:200}, {2.0:7}}>> {
  // expected-error@+1 {{'quant.qcast' op zero point element 0 is -56, outside of the storage type 'ui8', which holds 0 to 255}}
  %q = quant.qcast %x : tensor<2x4xf32> to tensor<2x4x!quant.uniform<u8:f32:{0:1, 1:4}, {{0.5:200}, {2.0:7}}>>
  return %q : tensor<2x4x!quant.uniform<u8:f32:{0:1, 1:4}, {{0.5:200}, {2.0:7}}>>
}
