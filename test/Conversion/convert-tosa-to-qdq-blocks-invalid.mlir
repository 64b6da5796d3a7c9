// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of MLIR 23 that are refused, with the reason.
// REQUIRES: mlir-23
// RUN: quant-opt %s --convert-tosa-to-qdq --split-input-file --verify-diagnostics
// RUN: quant-opt %s --lower-quant --split-input-file --verify-diagnostics

func.func @reshape(%d: tensor<?x64xf8E4M3FN>, %s: tensor<?x2xf8E8M0FNU>) -> (tensor<2x128xf8E4M3FN>, tensor<2x4xf8E8M0FNU>) {
  %n = tosa.const_shape {values = dense<[2, 128]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+1 {{'tosa.reshape_block_scaled' op makes 'tensor<2x128xf8E4M3FN>' of 'tensor<?x64xf8E4M3FN>': expected static shapes}}
  %a, %b = tosa.reshape_block_scaled %d, %s, %n {block_size = #tosa.block_size<BLOCK_SIZE_32>, operandSegmentSizes = array<i32: 2, 1>}
    : (tensor<?x64xf8E4M3FN>, tensor<?x2xf8E8M0FNU>, !tosa.shape<2>) -> (tensor<2x128xf8E4M3FN>, tensor<2x4xf8E8M0FNU>)
  return %a, %b : tensor<2x128xf8E4M3FN>, tensor<2x4xf8E8M0FNU>
}

// -----

func.func @row_gather(%d: tensor<4x6x64xf8E4M3FN>, %s: tensor<4x6x2xf8E8M0FNU>, %i: tensor<4x3xi32>, %n: tensor<1xi32>) -> (tensor<4x6x64xf8E4M3FN>, tensor<4x6x2xf8E8M0FNU>) {
  // expected-error@+1 {{'tosa.row_gather_block_scaled' op has a row count that is no constant}}
  %a, %b = tosa.row_gather_block_scaled %d, %s, %i, %n {block_size = #tosa.block_size<BLOCK_SIZE_32>}
    : (tensor<4x6x64xf8E4M3FN>, tensor<4x6x2xf8E8M0FNU>, tensor<4x3xi32>, tensor<1xi32>) -> (tensor<4x6x64xf8E4M3FN>, tensor<4x6x2xf8E8M0FNU>)
  return %a, %b : tensor<4x6x64xf8E4M3FN>, tensor<4x6x2xf8E8M0FNU>
}

// -----

!b = !tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E4M3FN>
func.func @type_of_argument(%x: tensor<4x64x!b>) -> tensor<4x64xf32> {
  // expected-error@+1 {{'tosa.cast' op reads 'tensor<4x64x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E4M3FN>>': expected floats, of what a 'tosa.cast' made of ranked floats}}
  %a = tosa.cast %x : (tensor<4x64x!b>) -> tensor<4x64xf32>
  return %a : tensor<4x64xf32>
}

// -----

!b = !tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E4M3FN>
func.func @type_of_reshape(%x: tensor<1x4x64xf32>) -> tensor<1x8x32x!b> {
  // expected-error@+1 {{'tosa.cast' op makes 'tensor<1x4x64x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E4M3FN>>', which is read by something else than a 'tosa.cast'}}
  %a = tosa.cast %x : (tensor<1x4x64xf32>) -> tensor<1x4x64x!b>
  %n = tosa.const_shape {values = dense<[1, 8, 32]> : tensor<3xindex>} : () -> !tosa.shape<3>
  // expected-error@+1 {{'tosa.reshape' op was not converted}}
  %b = tosa.reshape %a, %n : (tensor<1x4x64x!b>, !tosa.shape<3>) -> tensor<1x8x32x!b>
  return %b : tensor<1x8x32x!b>
}
