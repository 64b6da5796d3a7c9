// What stays, and why.
// RUN: quant-opt %s --qdq-integer-contractions=rescale=f32 --split-input-file --verify-diagnostics | FileCheck %s
// CHECK-NOT: xi32>) ->

func.func @one_operand(%x: tensor<3x4xf32>, %w: tensor<4x2xi8>, %s: f32, %init: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  // expected-remark @below {{'linalg.matmul' op stays: of operand 0: is not dequantized}}
  %r = linalg.matmul ins(%x, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%init : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

func.func @float_codes(%x: tensor<4xi8>, %w: tensor<4xf8E4M3FN>, %s: f32, %init: tensor<f32>) -> tensor<f32> {
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4xf8E4M3FN>, f32) -> tensor<4xf32>
  // expected-remark @below {{of operand 1: its codes are floats}}
  %r = linalg.dot ins(%xd, %wd : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @float_zero_point(%x: tensor<4xi8>, %s: f32, %z: f32, %init: tensor<f32>) -> tensor<f32> {
  %xd = qdq.dequantize %x scale %s zero_point %z : (tensor<4xi8>, f32, f32) -> tensor<4xf32>
  // expected-remark @below {{of operand 0: its zero point is no integer}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// 40 - 255 does not fit the significand of bf16.
func.func @inexact_difference(%x: tensor<4xui8>, %s: bf16, %z: ui8, %init: tensor<bf16>) -> tensor<bf16> {
  %xd = qdq.dequantize %x scale %s zero_point %z semantics <compute = bf16, subtract = float> : (tensor<4xui8>, bf16, ui8) -> tensor<4xbf16>
  // expected-remark @below {{of operand 0: it does not subtract its zero point exactly}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xbf16>, tensor<4xbf16>) outs(%init : tensor<bf16>) -> tensor<bf16>
  return %r : tensor<bf16>
}

// -----

func.func @scales_within_sum(%x: tensor<3x4xi8>, %s: tensor<4xf32>, %w: tensor<4x2xi8>, %t: f32, %init: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %xd = qdq.dequantize %x scale %s axis 1 : (tensor<3x4xi8>, tensor<4xf32>) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %t : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  // expected-remark @below {{of operand 0: each element of a sum has parameters of its own}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%init : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

func.func @blocks_without_a_common_length(%x: tensor<3x12xi8>, %s: tensor<3x4xf32>, %w: tensor<12x2xi8>, %t: tensor<3x2xf32>, %init: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %xd = qdq.dequantize %x scale %s block_shape [1, 3] : (tensor<3x12xi8>, tensor<3x4xf32>) -> tensor<3x12xf32>
  %wd = qdq.dequantize %w scale %t block_shape [4, 1] : (tensor<12x2xi8>, tensor<3x2xf32>) -> tensor<12x2xf32>
  // expected-remark @below {{the lengths of its operands' blocks have no common divisor}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x12xf32>, tensor<12x2xf32>) outs(%init : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

func.func @wide_codes(%x: tensor<4xi32>, %s: f32, %init: tensor<f32>) -> tensor<f32> {
  %xd = qdq.dequantize %x scale %s : (tensor<4xi32>, f32) -> tensor<4xf32>
  // expected-remark @below {{sums may need more than 64 bits}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @channel_zero_points_padded(%x: tensor<1x2x8xi8>, %z: tensor<2xi8>, %w: tensor<4x2x3xi8>, %s: f32, %init: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %f0 = arith.constant 0.0 : f32
  %ss = tensor.from_elements %s, %s : tensor<2xf32>
  %xd = qdq.dequantize %x scale %ss zero_point %z axis 1 : (tensor<1x2x8xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<1x2x8xf32>
  %p = tensor.pad %xd low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %f0 : f32
  } : tensor<1x2x8xf32> to tensor<1x2x10xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2x3xi8>, f32) -> tensor<4x2x3xf32>
  // expected-remark @below {{of operand 0: each element of a sum has parameters of its own}}
  %r = linalg.conv_1d_ncw_fcw ins(%p, %wd : tensor<1x2x10xf32>, tensor<4x2x3xf32>) outs(%init : tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}

// -----

// Other padding than 0 is no code for sure.
func.func @padded_with_one(%x: tensor<1x2x8xi8>, %w: tensor<4x2x3xi8>, %s: f32, %init: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %f1 = arith.constant 1.0 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<1x2x8xi8>, f32) -> tensor<1x2x8xf32>
  %p = tensor.pad %xd low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %f1 : f32
  } : tensor<1x2x8xf32> to tensor<1x2x10xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2x3xi8>, f32) -> tensor<4x2x3xf32>
  // expected-remark @below {{of operand 0: is not dequantized}}
  %r = linalg.conv_1d_ncw_fcw ins(%p, %wd : tensor<1x2x10xf32>, tensor<4x2x3xf32>) outs(%init : tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}

// -----

// A bias of reals is no integer: with rescale = qdq alone it is added to the dequantized sums.
func.func @real_bias(%x: tensor<4xi8>, %s: f32, %init: tensor<f32>) -> tensor<i8> {
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @below {{what is added to its sums is not dequantized: separate and qdq alone add reals}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @bias_of_other_scale(%x: tensor<4xi8>, %c: tensor<i32>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  %cd = qdq.dequantize %c scale %s : (tensor<i32>, f32) -> tensor<f32>
  // expected-remark @below {{the scale of the bias is not known to be the product of the scales}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%cd : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @other_function(%x: tensor<4xi8>, %s: f32) -> tensor<i8> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @below {{an op that is no bias and no bound stands before the quantize}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %t = math.tanh %r : tensor<f32>
  %q = qdq.quantize %t scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

// qdq-motion would move the quantize.
func.func @reshaped(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>, %s: f32) -> tensor<6xi8> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  // expected-remark @below {{an op that is no bias and no bound stands before the quantize}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
  %q = qdq.quantize %c scale %s : (tensor<6xf32>, f32) -> tensor<6xi8>
  return %q : tensor<6xi8>
}

// -----

// Nothing is said of contractions without codes.
func.func @floats(%x: tensor<4xf32>, %init: tensor<f32>) -> tensor<f32> {
  %r = linalg.dot ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

#same = affine_map<(m, n) -> (m, n)>
// 6.0 has the codes 12 and 6.
func.func @bound_of_channels(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %sy = arith.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %f0 = arith.constant 0.0 : f32
  %f6 = arith.constant 6.0 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %init = linalg.fill ins(%f0 : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  // expected-remark @below {{the codes of the bounds differ between its channels}}
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%init : tensor<3x2xf32>) -> tensor<3x2xf32>
  %clip = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.minimumf %in, %f6 : f32
    linalg.yield %m : f32
  } -> tensor<3x2xf32>
  %y = qdq.quantize %clip scale %sy axis 1 : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xi8>
  return %y : tensor<3x2xi8>
}

// -----

func.func @bias_with_zero_point(%x: tensor<4xi8>, %c: tensor<i32>, %z: i32) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant 0.25 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  %cd = qdq.dequantize %c scale %t zero_point %z : (tensor<i32>, f32, i32) -> tensor<f32>
  // expected-remark @below {{the bias has a zero point}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%cd : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @bias_of_floats(%x: tensor<4xi8>, %c: tensor<f8E4M3FN>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant 0.25 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  %cd = qdq.dequantize %c scale %t : (tensor<f8E4M3FN>, f32) -> tensor<f32>
  // expected-remark @below {{the bias is no tensor of integers}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%cd : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

// The scale of the bias is known, those of the sum are not.
func.func @bias_of_known_scale(%x: tensor<4xi8>, %c: tensor<i32>, %s: f32) -> tensor<i8> {
  %t = arith.constant 0.25 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  %cd = qdq.dequantize %c scale %t : (tensor<i32>, f32) -> tensor<f32>
  // expected-remark @below {{the scale of the bias is not known to be the product of the scales}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%cd : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %t : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @float_result(%x: tensor<4xi8>, %s: f32) -> tensor<f8E4M3FN> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @below {{the codes of the result are floats}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<f8E4M3FN>
  return %q : tensor<f8E4M3FN>
}

// -----

func.func @real_zero_point(%x: tensor<4xi8>, %s: f32) -> tensor<i8> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @below {{the zero point of the result is no integer}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s zero_point %s in <expressed> : (tensor<f32>, f32, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @stochastic(%x: tensor<4xi8>, %s: f32) -> tensor<i8> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @below {{the result is rounded stochastically}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s semantics <rounding = stochastic> : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @wide_scale(%x: tensor<4xi8>, %s: f32, %t: f64) -> tensor<i8> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @below {{a scale is f64, and the result is computed in f32}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %t : (tensor<f32>, f64) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

#of = affine_map<() -> ()>
// A select that takes the smaller or the larger one is a bound; these are none.
func.func @no_bounds(%x: tensor<4xi8>, %i: i1) -> (tensor<i8>, tensor<i8>, tensor<i8>) {
  %s = arith.constant 0.5 : f32
  %f0 = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @below {{a select does not compare its operands}}
  %a = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %as = linalg.generic {indexing_maps = [#of, #of], iterator_types = []} ins(%a : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.select %i, %in, %f0 : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %aq = qdq.quantize %as scale %s : (tensor<f32>, f32) -> tensor<i8>
  // expected-remark @below {{a select does not compare its operands}}
  %b = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %bs = linalg.generic {indexing_maps = [#of, #of], iterator_types = []} ins(%b : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %g = arith.cmpf ogt, %in, %s : f32
    %m = arith.select %g, %in, %f0 : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %bq = qdq.quantize %bs scale %s : (tensor<f32>, f32) -> tensor<i8>
  // expected-remark @below {{a select does not take the larger or smaller operand}}
  %c = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %cs = linalg.generic {indexing_maps = [#of, #of], iterator_types = []} ins(%c : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %g = arith.cmpf oeq, %in, %f0 : f32
    %m = arith.select %g, %in, %f0 : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %cq = qdq.quantize %cs scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %aq, %bq, %cq : tensor<i8>, tensor<i8>, tensor<i8>
}

// -----

#of = affine_map<() -> ()>
func.func @bounds(%x: tensor<4xi8>, %t: f32) -> (tensor<i8>, tensor<i8>, tensor<i8>) {
  %s = arith.constant 0.5 : f32
  %f0 = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @below {{a bound of the result is no constant number}}
  %a = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %as = linalg.generic {indexing_maps = [#of, #of], iterator_types = []} ins(%a : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %t : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %aq = qdq.quantize %as scale %s : (tensor<f32>, f32) -> tensor<i8>
  // expected-remark @below {{the result is bounded, and its scale or zero point is not constant}}
  %b = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %bs = linalg.generic {indexing_maps = [#of, #of], iterator_types = []} ins(%b : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %f0 : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %bq = qdq.quantize %bs scale %t : (tensor<f32>, f32) -> tensor<i8>
  // expected-remark @below {{the result is bounded, and codes do not saturate}}
  %c = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %cs = linalg.generic {indexing_maps = [#of, #of], iterator_types = []} ins(%c : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %f0 : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %cq = qdq.quantize %cs scale %s semantics <overflow = wrap> : (tensor<f32>, f32) -> tensor<i8>
  return %aq, %bq, %cq : tensor<i8>, tensor<i8>, tensor<i8>
}

// -----

func.func @blocks_of_rows(%x: tensor<4x8xi8>, %s: tensor<2x1xf32>, %w: tensor<8x2xi8>, %t: f32, %init: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %xd = qdq.dequantize %x scale %s block_shape [2, 8] : (tensor<4x8xi8>, tensor<2x1xf32>) -> tensor<4x8xf32>
  %wd = qdq.dequantize %w scale %t : (tensor<8x2xi8>, f32) -> tensor<8x2xf32>
  // expected-remark @below {{of operand 0: its blocks lie along a dimension that is not summed}}
  %r = linalg.matmul ins(%xd, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%init : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

func.func @blocks_of_open_depth(%x: tensor<4x?xi8>, %s: tensor<4x?xf32>, %w: tensor<?x2xi8>, %t: f32, %init: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %xd = qdq.dequantize %x scale %s block_shape [1, 4] : (tensor<4x?xi8>, tensor<4x?xf32>) -> tensor<4x?xf32>
  %wd = qdq.dequantize %w scale %t : (tensor<?x2xi8>, f32) -> tensor<?x2xf32>
  // expected-remark @below {{of operand 0: the number of its blocks is dynamic}}
  %r = linalg.matmul ins(%xd, %wd : tensor<4x?xf32>, tensor<?x2xf32>) outs(%init : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

func.func @open_whole(%x: tensor<4x8xi8>, %s: tensor<4x?xf32>, %w: tensor<8x2xi8>, %t: f32, %init: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %xd = qdq.dequantize %x scale %s block_shape [1, 0] : (tensor<4x8xi8>, tensor<4x?xf32>) -> tensor<4x8xf32>
  %wd = qdq.dequantize %w scale %t : (tensor<8x2xi8>, f32) -> tensor<8x2xf32>
  // expected-remark @below {{of operand 0: the sizes of its parameters are not static}}
  %r = linalg.matmul ins(%xd, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%init : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

func.func @two_biases(%x: tensor<4xi8>, %c: tensor<i32>) -> tensor<i8> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %s = arith.constant 0.5 : f32
  %t = arith.constant 0.25 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  %cd = qdq.dequantize %c scale %t : (tensor<i32>, f32) -> tensor<f32>
  // expected-remark @below {{there are two biases}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %b = arith.addf %r, %cd : tensor<f32>
  %d = arith.addf %b, %cd : tensor<f32>
  %q = qdq.quantize %d scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @sum_of_sums(%x: tensor<4xi8>, %w: tensor<4xf32>, %s: f32) -> tensor<i8> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @below {{the bias is not dequantized}}
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %t = linalg.dot ins(%w, %w : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %d = arith.addf %r, %t : tensor<f32>
  %q = qdq.quantize %d scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @scales_along_padding(%x: tensor<1x2x8xi8>, %t: tensor<8xf32>, %w: tensor<4x2x3xi8>, %s: f32, %init: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %f0 = arith.constant 0.0 : f32
  %xd = qdq.dequantize %x scale %t axis 2 : (tensor<1x2x8xi8>, tensor<8xf32>) -> tensor<1x2x8xf32>
  %p = tensor.pad %xd low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %f0 : f32
  } : tensor<1x2x8xf32> to tensor<1x2x10xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2x3xi8>, f32) -> tensor<4x2x3xf32>
  // expected-remark @below {{of operand 0: a dimension that its parameters follow is padded}}
  %r = linalg.conv_1d_ncw_fcw ins(%p, %wd : tensor<1x2x10xf32>, tensor<4x2x3xf32>) outs(%init : tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}

// -----

func.func @scales_along_a_window(%x: tensor<1x2x8xi8>, %t: tensor<8xf32>, %w: tensor<4x2x3xi8>, %s: f32, %init: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  %xd = qdq.dequantize %x scale %t axis 2 : (tensor<1x2x8xi8>, tensor<8xf32>) -> tensor<1x2x8xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2x3xi8>, f32) -> tensor<4x2x3xf32>
  // expected-remark @below {{of operand 0: its parameters follow a dimension that a window moves along}}
  %r = linalg.conv_1d_ncw_fcw ins(%xd, %wd : tensor<1x2x8xf32>, tensor<4x2x3xf32>) outs(%init : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  return %r : tensor<1x4x6xf32>
}

// -----

func.func @blocks_along_two_dimensions(%x: tensor<1x4x8xi8>, %t: tensor<4x2x2xf32>, %w: tensor<4x4x4xi8>, %s: f32, %init: tensor<1x4x5xf32>) -> tensor<1x4x5xf32> {
  %xd = qdq.dequantize %x scale %s : (tensor<1x4x8xi8>, f32) -> tensor<1x4x8xf32>
  %wd = qdq.dequantize %w scale %t block_shape [1, 2, 2] : (tensor<4x4x4xi8>, tensor<4x2x2xf32>) -> tensor<4x4x4xf32>
  // expected-remark @below {{of operand 1: its blocks lie along two dimensions that are summed}}
  %r = linalg.conv_1d_ncw_fcw ins(%xd, %wd : tensor<1x4x8xf32>, tensor<4x4x4xf32>) outs(%init : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  return %r : tensor<1x4x5xf32>
}

// -----

func.func @padded(%x: tensor<1x4x4x2xi8>, %z: tensor<2xi8>, %k: tensor<3x3x2xi8>) -> tensor<1x4x4x2xf32> {
  %s = arith.constant 0.5 : f32
  %c = arith.constant 0.0 : f32
  %sv = arith.constant dense<0.5> : tensor<2xf32>
  %xd = qdq.dequantize %x scale %sv zero_point %z axis 3 : (tensor<1x4x4x2xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<1x4x4x2xf32>
  %p = tensor.pad %xd low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %d: index, %e: index):
    tensor.yield %c : f32
  } : tensor<1x4x4x2xf32> to tensor<1x6x6x2xf32>
  %kd = qdq.dequantize %k scale %s : (tensor<3x3x2xi8>, f32) -> tensor<3x3x2xf32>
  %i = arith.constant dense<0.0> : tensor<1x4x4x2xf32>
  // expected-remark @below {{of operand 0: what is padded has more than one zero point}}
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%p, %kd : tensor<1x6x6x2xf32>, tensor<3x3x2xf32>) outs(%i : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  return %r : tensor<1x4x4x2xf32>
}
