// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be a requantization is refused by name.
// RUN: quant-opt %s --convert-tosa-to-qdq --split-input-file --verify-diagnostics

func.func @unranked(%x: tensor<*xi32>, %m: tensor<1xi32>, %t: tensor<1xi8>, %zi: tensor<1xi32>, %zo: tensor<1xi8>) -> tensor<*xi8> {
  // expected-error@+1 {{'tosa.rescale' op has the input 'tensor<*xi32>' and the output 'tensor<*xi8>': expected ranked tensors}}
  %y = tosa.rescale %x, %m, %t, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
    : (tensor<*xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<*xi8>
  return %y : tensor<*xi8>
}
