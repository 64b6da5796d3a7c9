// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix product with int4 weights in blocks of 32, and a quantized result. The script tiles the quantize, fuses the product and the dequantize into
// its loops, tiles the sum by one block, lowers what is left, and makes vectors of the quantize: no more than 32 x 64 weights are real numbers at a time.
//
//   quant-opt --transform-interpreter examples/transform/tile-and-fuse.mlir

module attributes {transform.with_named_sequence} {
  func.func @layer(%x: tensor<64x512xf32>, %w: tensor<512x256xi4>, %sw: tensor<16x256xf32>, %sy: f32, %zy: i8) -> tensor<64x256xi8> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<64x256xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x256xf32>) -> tensor<64x256xf32>
    %weights = qdq.dequantize %w scale %sw block_shape [32, 1] : (tensor<512x256xi4>, tensor<16x256xf32>) -> tensor<512x256xf32>
    %product = linalg.matmul ins(%x, %weights : tensor<64x512xf32>, tensor<512x256xf32>) outs(%init : tensor<64x256xf32>) -> tensor<64x256xf32>
    %codes = qdq.quantize %product scale %sy zero_point %zy : (tensor<64x256xf32>, f32, i8) -> tensor<64x256xi8>
    return %codes : tensor<64x256xi8>
  }

  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    %quantize = transform.structured.match ops{["qdq.quantize"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.structured.fuse %quantize tile_sizes [16, 64] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.apply_dce to %function : !transform.any_op

    %product = transform.structured.match ops{["linalg.matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %block, %blocks = transform.structured.tile_using_for %product tile_sizes [0, 0, 32] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %dequantize = transform.structured.match ops{["qdq.dequantize"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.structured.fuse_into_containing_op %dequantize into %blocks : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)

    transform.apply_patterns to %function {
      transform.apply_patterns.qdq.convert_qdq_to_linalg {profile = "ort"}
      transform.apply_patterns.qdq.fuse
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.qdq.vectorize %function : !transform.any_op
    transform.yield
  }
}
