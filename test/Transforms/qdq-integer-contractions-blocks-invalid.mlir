// Sums in blocks that stay: in the order of the RUN lines.
// RUN: split-file %s %t
// RUN: quant-opt %t/exact.mlir --qdq-integer-contractions=rescale=exact --split-input-file --verify-diagnostics | FileCheck %s
// RUN: quant-opt %t/fixed.mlir --qdq-integer-contractions=rescale=fixed31-double --split-input-file --verify-diagnostics | FileCheck %s
// RUN: quant-opt %t/difference.mlir "--qdq-integer-contractions=rescale=f32 max-code-diff=1" --split-input-file --verify-diagnostics | FileCheck %s
// CHECK-NOT: qdq.requantize

//--- exact.mlir
func.func @scales_at_run_time(%x: tensor<3x8xi8>, %w: tensor<8x2xi8>, %t: tensor<2x2xf32>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x8xi8>, f32) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t block_shape [4, 1] : (tensor<8x2xi8>, tensor<2x2xf32>) -> tensor<8x2xf32>
  // expected-remark @below {{an integer multiplier needs constant scales}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = qdq.quantize %r scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}

// -----

func.func @scales_far_apart(%x: tensor<3x8xi8>, %w: tensor<8x2xi8>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant dense<[[0.5, 1.0e-20], [1.5, 2.0]]> : tensor<2x2xf32>
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x8xi8>, f32) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t block_shape [4, 1] : (tensor<8x2xi8>, tensor<2x2xf32>) -> tensor<8x2xf32>
  // expected-remark @below {{the scales of its blocks are not positive multiples of one number whose sums fit 64 bits}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = qdq.quantize %r scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}

// -----

func.func @real_bias(%x: tensor<3x8xi8>, %w: tensor<8x2xi8>, %bias: tensor<3x2xf32>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant dense<[[0.5, 1.0], [1.5, 2.0]]> : tensor<2x2xf32>
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x8xi8>, f32) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t block_shape [4, 1] : (tensor<8x2xi8>, tensor<2x2xf32>) -> tensor<8x2xf32>
  // expected-remark @below {{what is added to its sums is not dequantized}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%bias : tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = qdq.quantize %r scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}

//--- fixed.mlir
func.func @integer_multiplier(%x: tensor<3x8xi8>, %w: tensor<8x2xi8>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant dense<[[0.5, 1.0], [1.5, 2.0]]> : tensor<2x2xf32>
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x8xi8>, f32) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t block_shape [4, 1] : (tensor<8x2xi8>, tensor<2x2xf32>) -> tensor<8x2xf32>
  // expected-remark @below {{an integer multiplier rescales a whole sum, and its blocks have scales of their own}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = qdq.quantize %r scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}

//--- difference.mlir
func.func @difference(%x: tensor<3x8xi8>, %w: tensor<8x2xi8>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant dense<[[0.5, 1.0], [1.5, 2.0]]> : tensor<2x2xf32>
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x8xi8>, f32) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t block_shape [4, 1] : (tensor<8x2xi8>, tensor<2x2xf32>) -> tensor<8x2xf32>
  // expected-remark @below {{the difference of its codes to exact ones cannot be measured}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = qdq.quantize %r scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}
