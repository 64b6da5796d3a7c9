// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantized results that stay: parameters, biases and bounds, in the order of the RUN lines.
// RUN: split-file %s %t
// RUN: quant-opt %t/floats.mlir --qdq-integer-contractions=rescale=f32 --split-input-file --verify-diagnostics | FileCheck %s --implicit-check-not=qdq.requantize
// RUN: quant-opt %t/integers.mlir --qdq-integer-contractions=rescale=exact --split-input-file --verify-diagnostics | FileCheck %s --implicit-check-not=qdq.requantize
// RUN: quant-opt %t/separate.mlir --qdq-integer-contractions=rescale=separate --split-input-file --verify-diagnostics | FileCheck %s --implicit-check-not=qdq.requantize
// RUN: quant-opt %t/blocks.mlir --qdq-integer-contractions=rescale=fixed15 --split-input-file --verify-diagnostics | FileCheck %s --implicit-check-not=qdq.requantize
// RUN: quant-opt %t/blocks.mlir --qdq-integer-contractions=rescale=fixed31-single --split-input-file --verify-diagnostics | FileCheck %s --implicit-check-not=qdq.requantize

//--- floats.mlir
func.func @zero_point_of_reals(%x: tensor<2xi8>, %s: f32, %z: f32) -> tensor<i8> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{the zero point of the result is no integer}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s zero_point %z : (tensor<f32>, f32, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @blocks_of_the_result(%x: tensor<4x2xi8>, %w: tensor<2x4xi8>, %s: f32, %t: tensor<2x4xf32>) -> tensor<4x4xi8> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<2x4xi8>, f32) -> tensor<2x4xf32>
  // expected-remark @below {{of the result: its blocks lie along a dimension that is not summed}}
  %r = linalg.matmul ins(%xd, %wd : tensor<4x2xf32>, tensor<2x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = qdq.quantize %r scale %t block_shape [2, 1] : (tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<4x4xi8>
  return %q : tensor<4x4xi8>
}

// -----

func.func @wide_scale_of_an_operand(%x: tensor<2xi8>, %s: f64, %t: f32) -> tensor<i8> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f64) -> tensor<2xf64>
  // expected-remark @below {{a scale is f64, and the result is computed in f32}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf64>, tensor<2xf64>) outs(%zero : tensor<f64>) -> tensor<f64>
  %q = qdq.quantize %r scale %t : (tensor<f64>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @in_a_loop(%x: tensor<2xi8>, %s: f32, %start: tensor<i8>, %n: index) -> tensor<i8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{the quantize stands in another block, such as that of a loop}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %start) -> tensor<i8> {
    %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
    scf.yield %q : tensor<i8>
  }
  return %last : tensor<i8>
}

// -----

func.func @bias_with_zero_point(%x: tensor<2xi8>, %c: tensor<i32>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant 0.25 : f32
  %z = arith.constant 3 : i32
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %cd = qdq.dequantize %c scale %t zero_point %z : (tensor<i32>, f32, i32) -> tensor<f32>
  // expected-remark @below {{the bias has a zero point}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%cd : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @bias_in_blocks(%x: tensor<4x2xi8>, %w: tensor<2x4xi8>, %c: tensor<4x4xi32>, %t: tensor<2x4xf32>) -> tensor<4x4xi8> {
  %s = arith.constant 0.5 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<2x4xi8>, f32) -> tensor<2x4xf32>
  %cd = qdq.dequantize %c scale %t block_shape [2, 1] : (tensor<4x4xi32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{of the bias: its blocks lie along a dimension that is not summed}}
  %r = linalg.matmul ins(%xd, %wd : tensor<4x2xf32>, tensor<2x4xf32>) outs(%cd : tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = qdq.quantize %r scale %s : (tensor<4x4xf32>, f32) -> tensor<4x4xi8>
  return %q : tensor<4x4xi8>
}

// -----

// The scale of the operands is constant, that of the bias is not.
func.func @bias_of_open_scale(%x: tensor<2xi8>, %c: tensor<i32>, %t: f32) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %cd = qdq.dequantize %c scale %t : (tensor<i32>, f32) -> tensor<f32>
  // expected-remark @below {{the scale of the bias is not known to be the product of the scales}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%cd : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @bias_beside_an_open_scale(%x: tensor<2xi8>, %y: tensor<2xi8>, %c: tensor<i32>, %t: f32) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %t : (tensor<2xi8>, f32) -> tensor<2xf32>
  %cd = qdq.dequantize %c scale %s : (tensor<i32>, f32) -> tensor<f32>
  // expected-remark @below {{the scale of the bias is not known to be the product of the scales}}
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%cd : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @two_biases(%x: tensor<2xi8>, %c: tensor<i32>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant 0.25 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %cd = qdq.dequantize %c scale %t : (tensor<i32>, f32) -> tensor<f32>
  // expected-remark @below {{there are two biases}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%cd : tensor<f32>) -> tensor<f32>
  %sum = arith.addf %r, %cd : tensor<f32>
  %q = qdq.quantize %sum scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

// No clamp of codes bounds what a bias is added to.
func.func @bound_before_the_bias(%x: tensor<2xi8>, %c: tensor<i32>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant 0.25 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %cd = qdq.dequantize %c scale %t : (tensor<i32>, f32) -> tensor<f32>
  // expected-remark @below {{a bound stands before the bias}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %relu = arith.maximumf %r, %zero : tensor<f32>
  %sum = arith.addf %cd, %relu : tensor<f32>
  %q = qdq.quantize %sum scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @bound_that_is_nan(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %nan = arith.constant dense<0x7FC00000> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{a bound of the result is no constant number}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %relu = arith.maxnumf %r, %nan : tensor<f32>
  %q = qdq.quantize %relu scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @select_by_another(%x: tensor<2xi8>, %other: tensor<f32>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{a select does not compare its operands}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %c = arith.cmpf ogt, %other, %zero : tensor<f32>
  %relu = arith.select %c, %r, %zero : tensor<i1>, tensor<f32>
  %q = qdq.quantize %relu scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @select_against_another(%x: tensor<2xi8>, %other: tensor<f32>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{a select does not compare its operands}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %c = arith.cmpf ogt, %zero, %other : tensor<f32>
  %relu = arith.select %c, %r, %zero : tensor<i1>, tensor<f32>
  %q = qdq.quantize %relu scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @bounded_with_scale_zero(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %none = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{the result is bounded, and its scale is not positive}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %relu = arith.maximumf %r, %zero : tensor<f32>
  %q = qdq.quantize %relu scale %none : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @bounded_with_one_negative_scale(%x: tensor<1x2xi8>, %w: tensor<2x2xi8>) -> tensor<1x2xi8> {
  %s = arith.constant 0.5 : f32
  %scales = arith.constant dense<[0.5, -0.5]> : tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<1x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<1x2xi8>, f32) -> tensor<1x2xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<2x2xi8>, f32) -> tensor<2x2xf32>
  // expected-remark @below {{the result is bounded, and its scale is not positive}}
  %r = linalg.matmul ins(%xd, %wd : tensor<1x2xf32>, tensor<2x2xf32>) outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  %relu = arith.maximumf %r, %zero : tensor<1x2xf32>
  %q = qdq.quantize %relu scale %scales axis 1 : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xi8>
  return %q : tensor<1x2xi8>
}

// -----

func.func @bounded_with_an_open_zero_point(%x: tensor<2xi8>, %z: i8) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{the result is bounded, and its scale or zero point is not constant}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %relu = arith.maximumf %r, %zero : tensor<f32>
  %q = qdq.quantize %relu scale %s zero_point %z : (tensor<f32>, f32, i8) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @blocks_of_wide_codes(%x: tensor<3x8xi32>, %w: tensor<8x2xi8>, %s: f32, %t: tensor<2x2xf32>) -> tensor<3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x8xi32>, f32) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t block_shape [4, 1] : (tensor<8x2xi8>, tensor<2x2xf32>) -> tensor<8x2xf32>
  // expected-remark @below {{codes or zero points beside blocks have more than 16 bits}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

func.func @blocks_beside_wide_zero_points(%x: tensor<3x8xi8>, %w: tensor<8x2xi8>, %s: f32, %t: tensor<2x2xf32>, %z: tensor<2x2xi32>) -> tensor<3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x8xi8>, f32) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t zero_point %z block_shape [4, 1] semantics <subtract = wide> : (tensor<8x2xi8>, tensor<2x2xf32>, tensor<2x2xi32>) -> tensor<8x2xf32>
  // expected-remark @below {{codes or zero points beside blocks have more than 16 bits}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

// 31 bits hold the difference of i8 and i8, not of i32 and i8.
func.func @difference_that_wraps(%x: tensor<4xi32>, %s: f32, %z: i8) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s zero_point %z semantics <subtract = wrap32> : (tensor<4xi32>, f32, i8) -> tensor<4xf32>
  // expected-remark @below {{of operand 0: it does not subtract its zero point exactly}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// 8 bits of bf16 do not hold the difference of two bytes.
func.func @difference_in_the_output(%x: tensor<4xi8>, %s: bf16, %z: i8) -> tensor<bf16> {
  %zero = arith.constant dense<0.0> : tensor<bf16>
  %xd = qdq.dequantize %x scale %s zero_point %z semantics <subtract = output> : (tensor<4xi8>, bf16, i8) -> tensor<4xbf16>
  // expected-remark @below {{of operand 0: it does not subtract its zero point exactly}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xbf16>, tensor<4xbf16>) outs(%zero : tensor<bf16>) -> tensor<bf16>
  return %r : tensor<bf16>
}

// -----

func.func @zero_point_expressed(%x: tensor<4xi8>, %s: f32, %z: f32) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s zero_point %z in <expressed> : (tensor<4xi8>, f32, f32) -> tensor<4xf32>
  // expected-remark @below {{of operand 0: its zero point is no integer}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @zero_points_within_sum(%x: tensor<3x4xi8>, %s: f32, %z: tensor<4xi8>, %w: tensor<4x2xi8>) -> tensor<3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %xd = qdq.dequantize %x scale %ones zero_point %z axis 1 : (tensor<3x4xi8>, tensor<4xf32>, tensor<4xi8>) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  // expected-remark @below {{of operand 0: each element of a sum has parameters of its own}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

func.func @scalar_codes_padded(%x: tensor<1x2x8xi8>, %w: tensor<4x2x3xi8>, %s: f32, %z: i32) -> tensor<1x4x8xf32> {
  %f0 = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : tensor<1x4x8xf32>
  %xd = qdq.dequantize %x scale %s zero_point %z semantics <subtract = wide> : (tensor<1x2x8xi8>, f32, i32) -> tensor<1x2x8xf32>
  %p = tensor.pad %xd low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %f0 : f32
  } : tensor<1x2x8xf32> to tensor<1x2x10xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2x3xi8>, f32) -> tensor<4x2x3xf32>
  // expected-remark @below {{of operand 0: the zero point of what is padded has not the type of the codes}}
  %r = linalg.conv_1d_ncw_fcw ins(%p, %wd : tensor<1x2x10xf32>, tensor<4x2x3xf32>) outs(%zero : tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}

// -----

func.func @loop_of_one_operand(%x: tensor<3x4xi8>, %w: tensor<2xi8>, %s: f32) -> tensor<3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{a reduced dimension is one of a single operand}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xd, %wd : tensor<3x4xf32>, tensor<2xf32>) outs(%zero : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

func.func @loop_of_the_other_operand(%x: tensor<3xi8>, %w: tensor<4x2xi8>, %s: f32) -> tensor<3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3xi8>, f32) -> tensor<3xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  // expected-remark @below {{a reduced dimension is one of a single operand}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xd, %wd : tensor<3xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

// The last of the columns alone is left in the result.
func.func @loop_without_a_result(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>, %s: f32) -> tensor<3xf32> {
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  // expected-remark @below {{the result does not have all loops that are not reduced}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

func.func @result_with_a_constant_index(%x: tensor<3x4xi8>, %w: tensor<4xi8>, %s: f32) -> tensor<3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @below {{the result does not have all loops that are not reduced}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i, 1)>], iterator_types = ["parallel", "reduction"]} ins(%xd, %wd : tensor<3x4xf32>, tensor<4xf32>) outs(%zero : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

func.func @codes_of_64_bits(%x: tensor<4xi64>, %s: f32) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<4xi64>, f32) -> tensor<4xf32>
  // expected-remark @below {{codes are no ranked tensor of integers of up to 32 bits}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @bias_of_64_bits(%x: tensor<2xi8>, %c: tensor<i64>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant 0.25 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %cd = qdq.dequantize %c scale %t : (tensor<i64>, f32) -> tensor<f32>
  // expected-remark @below {{the bias is no tensor of integers of up to 32 bits along dimensions of the result}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%cd : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

//--- integers.mlir
func.func @codes_that_wrap(%x: tensor<2xi8>, %z: i8) -> tensor<i8> {
  %s = arith.constant 0x5F800000 : f32
  %t = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{no multiplier of 64 bits is exact for accumulators of up to}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %t zero_point %z semantics <overflow = wrap> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @bias_beside_blocks(%x: tensor<3x8xi8>, %w: tensor<8x2xi8>, %c: tensor<3x2xi32>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant dense<[[0.5, 1.0], [1.5, 2.0]]> : tensor<2x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x8xi8>, f32) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t block_shape [4, 1] : (tensor<8x2xi8>, tensor<2x2xf32>) -> tensor<8x2xf32>
  %cd = qdq.dequantize %c scale %s : (tensor<3x2xi32>, f32) -> tensor<3x2xf32>
  // expected-remark @below {{a bias stands beside blocks, which have scales of their own}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%cd : tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = qdq.quantize %r scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}

//--- separate.mlir
func.func @wide_bias(%x: tensor<2xi8>, %s: f32, %bias: tensor<f64>) -> tensor<i8> {
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf64>
  // expected-remark @below {{the bias is f64, and the result is computed in f32}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf64>, tensor<2xf64>) outs(%bias : tensor<f64>) -> tensor<f64>
  %q = qdq.quantize %r scale %s : (tensor<f64>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

//--- blocks.mlir
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
