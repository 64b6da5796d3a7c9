// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be a requantization is refused by name.
// RUN: quant-opt %s --convert-tosa-to-qdq --split-input-file --verify-diagnostics

func.func @unranked(%x: tensor<*xi32>, %m: tensor<1xi32>, %t: tensor<1xi8>, %zi: tensor<1xi32>, %zo: tensor<1xi8>) -> tensor<*xi8> {
  // expected-error@+1 {{'tosa.rescale' op has the input 'tensor<*xi32>' and the output 'tensor<*xi8>': expected ranked tensors}}
  %y = tosa.rescale %x, %m, %t, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
    : (tensor<*xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<*xi8>
  return %y : tensor<*xi8>
}

// -----

func.func @two_shapes(%x: tensor<?x4xi32>, %m: tensor<1xi32>, %t: tensor<1xi8>, %zi: tensor<1xi32>, %zo: tensor<1xi8>) -> tensor<2x?x4xi8> {
  // expected-error-re@+1 {{'tosa.rescale' op {{has the input .* and the output .*: expected ranked tensors of one shape|expected output shape .*}}}}
  %y = tosa.rescale %x, %m, %t, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
    : (tensor<?x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x?x4xi8>
  return %y : tensor<2x?x4xi8>
}

// -----

func.func @unranked_zero_point(%x: tensor<4xi32>, %m: tensor<1xi32>, %t: tensor<1xi8>, %zi: tensor<1xi32>, %zo: tensor<*xi8>) -> tensor<4xi8> {
  // expected-error@+1 {{'tosa.rescale' op has a multiplier, shift or zero point of type 'tensor<*xi8>': expected ranked tensors}}
  %y = tosa.rescale %x, %m, %t, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
    : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<*xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @mxint8(%x: tensor<4x32xf32>) -> (tensor<4x32x!tosa.mxint8>, tensor<4x1xf8E8M0FNU>) {
  // expected-error@+1 {{'tosa.cast_to_block_scaled' op has data of type 'tensor<4x32x!tosa.mxint8>' and scales of type 'tensor<4x1xf8E8M0FNU>': expected floats, and scales of f8E8M0FNU}}
  %y, %s = tosa.cast_to_block_scaled %x {block_size = #tosa.block_size<BLOCK_SIZE_32>} : (tensor<4x32xf32>) -> (tensor<4x32x!tosa.mxint8>, tensor<4x1xf8E8M0FNU>)
  return %y, %s : tensor<4x32x!tosa.mxint8>, tensor<4x1xf8E8M0FNU>
}

// -----

func.func @integers(%x: tensor<4x32xi32>) -> (tensor<4x32xf8E5M2>, tensor<4x1xf8E8M0FNU>) {
  // expected-error@+1 {{'tosa.cast_to_block_scaled' op has the input 'tensor<4x32xi32>': expected a ranked tensor of f16, bf16 or f32}}
  %y, %s = tosa.cast_to_block_scaled %x {block_size = #tosa.block_size<BLOCK_SIZE_32>} : (tensor<4x32xi32>) -> (tensor<4x32xf8E5M2>, tensor<4x1xf8E8M0FNU>)
  return %y, %s : tensor<4x32xf8E5M2>, tensor<4x1xf8E8M0FNU>
}

// -----

func.func @open_batches(%p: tensor<3x5x64xf8E4M3FN>, %s: tensor<3x5x2xf8E8M0FNU>, %q: tensor<?x4x64xf8E4M3FN>, %t: tensor<?x4x2xf8E8M0FNU>) -> tensor<3x5x4xf32> {
  // expected-error@+1 {{'tosa.matmul_t_block_scaled' op has the operand b 'tensor<?x4x64xf8E4M3FN>', whose first dimension may be 1, which is broadcast, or that of a: expected a static size}}
  %y = tosa.matmul_t_block_scaled %p, %s, %q, %t {block_size = #tosa.block_size<BLOCK_SIZE_32>}
    : (tensor<3x5x64xf8E4M3FN>, tensor<3x5x2xf8E8M0FNU>, tensor<?x4x64xf8E4M3FN>, tensor<?x4x2xf8E8M0FNU>) -> tensor<3x5x4xf32>
  return %y : tensor<3x5x4xf32>
}
