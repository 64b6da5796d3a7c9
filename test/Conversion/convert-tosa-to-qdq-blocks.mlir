// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on blocks, and the type of blocks, that MLIR 23 adds.
// REQUIRES: mlir-23
// RUN: quant-opt %s --convert-tosa-to-qdq | FileCheck %s

// CHECK-LABEL: @conv2d
// CHECK: %[[X:.*]] = qdq.dequantize {{.*}} block_shape [1, 1, 1, 32]
// CHECK: %[[PADDED:.*]] = tensor.pad %[[X]] low[0, 1, 2, 0] high[0, 0, 1, 0]
// CHECK: %[[W:.*]] = qdq.dequantize {{.*}} block_shape [1, 1, 1, 32]
// CHECK: linalg.conv_2d_nhwc_fhwc {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[3, 1]> : tensor<2xi64>} ins(%[[PADDED]], %[[W]] : tensor<?x6x7x64xf32>, tensor<8x3x2x64xf32>)
// CHECK: arith.addf
// CHECK-NOT: tosa
func.func @conv2d(%x: tensor<?x5x4x64xf4E2M1FN>, %s: tensor<?x5x4x2xf8E8M0FNU>, %w: tensor<8x3x2x64xf4E2M1FN>, %t: tensor<8x3x2x2xf8E8M0FNU>, %b: tensor<8xf32>) -> tensor<?x2x5x8xf32> {
  %0 = tosa.const_shape {values = dense<[1, 0, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %1 = tosa.const_shape {values = dense<[3, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %2 = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %3 = tosa.conv2d_block_scaled %x, %s, %w, %t, %b, %0, %1, %2 {block_size = BLOCK_SIZE_32}
    : (tensor<?x5x4x64xf4E2M1FN>, tensor<?x5x4x2xf8E8M0FNU>, tensor<8x3x2x64xf4E2M1FN>, tensor<8x3x2x2xf8E8M0FNU>, tensor<8xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x2x5x8xf32>
  return %3 : tensor<?x2x5x8xf32>
}

// Blocks stay together: codes and scales are reshaped alike.
// CHECK-LABEL: @reshape
// CHECK: tensor.expand_shape {{.*}} into tensor<2x128xf8E4M3FN>
// CHECK: tensor.expand_shape {{.*}} into tensor<2x4xf8E8M0FNU>
// CHECK-NOT: tosa
func.func @reshape(%d: tensor<4x64xf8E4M3FN>, %s: tensor<4x2xf8E8M0FNU>) -> (tensor<2x128xf8E4M3FN>, tensor<2x4xf8E8M0FNU>) {
  %n = tosa.const_shape {values = dense<[2, 128]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %a, %b = tosa.reshape_block_scaled %d, %s, %n {block_size = #tosa.block_size<BLOCK_SIZE_32>, operandSegmentSizes = array<i32: 2, 1>}
    : (tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>, !tosa.shape<2>) -> (tensor<2x128xf8E4M3FN>, tensor<2x4xf8E8M0FNU>)
  return %a, %b : tensor<2x128xf8E4M3FN>, tensor<2x4xf8E8M0FNU>
}

// CHECK-LABEL: @row_gather
// CHECK-COUNT-2: tensor.extract
// CHECK-NOT: tosa
func.func @row_gather(%d: tensor<4x6x64xf8E4M3FN>, %s: tensor<4x6x2xf8E8M0FNU>, %i: tensor<4x3xi32>) -> (tensor<4x6x64xf8E4M3FN>, tensor<4x6x2xf8E8M0FNU>) {
  %n = "tosa.const"() <{values = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
  %a, %b = tosa.row_gather_block_scaled %d, %s, %i, %n {block_size = #tosa.block_size<BLOCK_SIZE_32>}
    : (tensor<4x6x64xf8E4M3FN>, tensor<4x6x2xf8E8M0FNU>, tensor<4x3xi32>, tensor<1xi32>) -> (tensor<4x6x64xf8E4M3FN>, tensor<4x6x2xf8E8M0FNU>)
  return %a, %b : tensor<4x6x64xf8E4M3FN>, tensor<4x6x2xf8E8M0FNU>
}

// CHECK-LABEL: @block_scaled_type
// CHECK: qdq.choose_params {{.*}} storage f8E4M3FN power_of_two <fit> block_shape [1, 32]
// CHECK: qdq.quantize
// CHECK: qdq.dequantize {{.*}} : (tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>) -> tensor<4x64xbf16>
// CHECK-NOT: tosa
func.func @block_scaled_type(%x: tensor<4x64xf32>) -> tensor<4x64xbf16> {
  %b = tosa.cast %x : (tensor<4x64xf32>) -> tensor<4x64x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E4M3FN>>
  %y = tosa.cast %b : (tensor<4x64x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E4M3FN>>) -> tensor<4x64xbf16>
  return %y : tensor<4x64xbf16>
}
