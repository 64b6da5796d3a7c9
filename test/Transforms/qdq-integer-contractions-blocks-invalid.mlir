// Sums in blocks that stay: in the order of the RUN lines.
// RUN: split-file %s %t
// RUN: quant-opt %t/exact.mlir --qdq-integer-contractions=rescale=exact --split-input-file --verify-diagnostics | FileCheck %s
// RUN: quant-opt %t/fixed.mlir --qdq-integer-contractions=rescale=fixed31-double --split-input-file --verify-diagnostics | FileCheck %s
// RUN: quant-opt %t/difference.mlir "--qdq-integer-contractions=rescale=f32 max-code-diff=1" --split-input-file --verify-diagnostics | FileCheck %s
// RUN: quant-opt %t/floats.mlir --qdq-integer-contractions=rescale=f32 --split-input-file --verify-diagnostics | FileCheck %s
// RUN: quant-opt %t/reals.mlir "--qdq-integer-contractions=rescale=qdq max-code-diff=1" --split-input-file --verify-diagnostics | FileCheck %s
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

//--- floats.mlir
func.func @window(%x: tensor<1x8x8x2xi8>, %w: tensor<4x3x2x5xi8>, %s: tensor<2x1x1x1xf32>, %t: f32) -> tensor<1x5x6x5xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x5x6x5xf32>
  %a = qdq.dequantize %x scale %t : (tensor<1x8x8x2xi8>, f32) -> tensor<1x8x8x2xf32>
  %b = qdq.dequantize %w scale %s block_shape [2, 0, 0, 0] : (tensor<4x3x2x5xi8>, tensor<2x1x1x1xf32>) -> tensor<4x3x2x5xf32>
  // expected-remark @below {{its blocks lie along a window}}
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x8x8x2xf32>, tensor<4x3x2x5xf32>) outs(%zero : tensor<1x5x6x5xf32>) -> tensor<1x5x6x5xf32>
  return %r : tensor<1x5x6x5xf32>
}

// -----

func.func @two_dimensions(%x: tensor<3x4x4xi8>, %w: tensor<4x4x2xi8>, %s: tensor<1x2x1xf32>, %t: tensor<1x2x1xf32>) -> tensor<3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %a = qdq.dequantize %x scale %s block_shape [0, 2, 0] : (tensor<3x4x4xi8>, tensor<1x2x1xf32>) -> tensor<3x4x4xf32>
  %b = qdq.dequantize %w scale %t block_shape [0, 2, 0] : (tensor<4x4x2xi8>, tensor<1x2x1xf32>) -> tensor<4x4x2xf32>
  // expected-remark @below {{the blocks of its operands lie along two dimensions}}
  %r = linalg.contract
      indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>, affine_map<(m, n, k, l) -> (m, n)>]
      ins(%a, %b : tensor<3x4x4xf32>, tensor<4x4x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

func.func @sums_of_others(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>, %t: f32, %other: tensor<3x2xf32>) -> tensor<3x2xi8> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %a = qdq.dequantize %x scale %t : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %b = qdq.dequantize %w scale %t : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %p = arith.constant dense<1.0> : tensor<3x4xf32>
  %q = arith.constant dense<1.0> : tensor<4x2xf32>
  %first = linalg.matmul ins(%p, %q : tensor<3x4xf32>, tensor<4x2xf32>) outs(%other : tensor<3x2xf32>) -> tensor<3x2xf32>
  // expected-remark @below {{the sums begin with what is not dequantized}}
  %r = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x2xf32>) outs(%first : tensor<3x2xf32>) -> tensor<3x2xf32>
  %c = qdq.quantize %r scale %t : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %c : tensor<3x2xi8>
}

//--- reals.mlir
func.func @blocks(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>, %s: tensor<2x1xf32>, %t: f32) -> tensor<3x2xi8> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %a = qdq.dequantize %x scale %t : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %b = qdq.dequantize %w scale %s block_shape [2, 0] : (tensor<4x2xi8>, tensor<2x1xf32>) -> tensor<4x2xf32>
  // expected-remark @below {{its sums are reals: blocks along a dimension that is summed have scales of their own}}
  %r = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %c = qdq.quantize %r scale %t : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %c : tensor<3x2xi8>
}
