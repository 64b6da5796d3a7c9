// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on blocks that MLIR 23 adds are refused by name.
// REQUIRES: mlir-23
// RUN: quant-opt %s --convert-tosa-to-qdq --verify-diagnostics
// RUN: quant-opt %s --lower-quant --verify-diagnostics

func.func @reshape(%d: tensor<4x64xf8E4M3FN>, %s: tensor<4x2xf8E8M0FNU>) -> (tensor<2x128xf8E4M3FN>, tensor<2x4xf8E8M0FNU>) {
  %n = tosa.const_shape {values = dense<[2, 128]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+1 {{'tosa.reshape_block_scaled' op was not converted}}
  %a, %b = tosa.reshape_block_scaled %d, %s, %n {block_size = #tosa.block_size<BLOCK_SIZE_32>, operandSegmentSizes = array<i32: 2, 1>}
    : (tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>, !tosa.shape<2>) -> (tensor<2x128xf8E4M3FN>, tensor<2x4xf8E8M0FNU>)
  return %a, %b : tensor<2x128xf8E4M3FN>, tensor<2x4xf8E8M0FNU>
}
