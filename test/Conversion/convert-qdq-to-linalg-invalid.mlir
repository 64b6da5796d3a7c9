// RUN: quant-opt %s --convert-qdq-to-linalg=block-form=expand --split-input-file --verify-diagnostics

func.func @dequantize_blocked_short_tail(%q: tensor<4x100xi8>, %s: tensor<4x4xf32>) {
  // expected-error @+1 {{block-form=expand needs blocks that divide a static dimension, but dimension 1 of tensor<4x100xi8> has blocks of 32}}
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<4x100xi8>, tensor<4x4xf32>) -> tensor<4x100xf32>
  return
}

// -----

func.func @dequantize_blocked_dynamic(%q: tensor<4x?xi8>, %s: tensor<4x?xf32>) {
  // expected-error @+1 {{dimension 1 of tensor<4x?xi8> has blocks of 32}}
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<4x?xi8>, tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}
