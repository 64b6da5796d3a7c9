// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants through the conversion and the exact folders. The numbers come from the text of the quant dialect, with ties to even and
// saturation: round(x / scale + zero point), and (q - zero point) * scale.
// RUN: quant-opt %s --convert-quant-to-qdq --canonicalize | FileCheck %s

// CHECK-LABEL: func @qcast_per_layer_saturates(
// CHECK: dense<[3, 127, -128, 2, 4, -128]> : tensor<6xi8>
func.func @qcast_per_layer_saturates() -> tensor<6x!quant.uniform<i8:f32, 1.0>> {
  %x = arith.constant dense<[2.9, 300.0, -1.0e30, 2.5, 3.5, 0x7FC00000]> : tensor<6xf32>
  %q = quant.qcast %x : tensor<6xf32> to tensor<6x!quant.uniform<i8:f32, 1.0>>
  return %q : tensor<6x!quant.uniform<i8:f32, 1.0>>
}

// CHECK-LABEL: func @qcast_per_layer_narrowed(
// CHECK: dense<[7, -8, 1]> : tensor<3xi8>
func.func @qcast_per_layer_narrowed() -> tensor<3x!quant.uniform<i8<-8:7>:f32, 1.0>> {
  %x = arith.constant dense<[1000.0, -1000.0, 1.0]> : tensor<3xf32>
  %q = quant.qcast %x : tensor<3xf32> to tensor<3x!quant.uniform<i8<-8:7>:f32, 1.0>>
  return %q : tensor<3x!quant.uniform<i8<-8:7>:f32, 1.0>>
}

// CHECK-LABEL: func @dcast_sub_channel_unlisted_dimension(
// CHECK: dense<{{\[}}[-2.000000e+00, -2.000000e+00], [3.500000e+00, 3.500000e+00]]> : tensor<2x2xf32>
func.func @dcast_sub_channel_unlisted_dimension() -> tensor<2x2xf32> {
  %i = arith.constant dense<7> : tensor<2x2xi8>
  %q = quant.scast %i : tensor<2x2xi8> to tensor<2x2x!quant.uniform<i8:f32:{0:1}, {{2.0:8}, {0.5}}>>
  %x = quant.dcast %q : tensor<2x2x!quant.uniform<i8:f32:{0:1}, {{2.0:8}, {0.5}}>> to tensor<2x2xf32>
  return %x : tensor<2x2xf32>
}
