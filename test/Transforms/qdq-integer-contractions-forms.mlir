// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to write a contraction, its scales and its bias. In the order of the RUN lines.
// RUN: split-file %s %t
// RUN: quant-opt %t/real.mlir --qdq-integer-contractions | FileCheck %t/real.mlir
// RUN: quant-opt %t/f64.mlir --qdq-integer-contractions=rescale=f64 | FileCheck %t/f64.mlir
// RUN: quant-opt %t/f32.mlir --qdq-integer-contractions=rescale=f32 | FileCheck %t/f32.mlir
// RUN: quant-opt %t/separate.mlir --qdq-integer-contractions=rescale=separate | FileCheck %t/separate.mlir
// RUN: quant-opt %t/exact.mlir --qdq-integer-contractions=rescale=exact | FileCheck %t/exact.mlir
// RUN: quant-opt %t/difference.mlir "--qdq-integer-contractions=rescale=f32 max-code-diff=1" --verify-diagnostics | FileCheck %t/difference.mlir

//--- real.mlir
#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// The product stands on either side of the sum.
// CHECK-LABEL: func @product_first(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x4xi8>, tensor<4x2xi8>) outs(%{{.*}} : tensor<3x2xi32>)
func.func @product_first(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>, %s: f32) -> tensor<3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %product, %out : f32
    linalg.yield %sum : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// Bodies that are no sums of products of both operands stay.
// CHECK-LABEL: func @no_contractions(
// CHECK-COUNT-2: qdq.dequantize
// CHECK-NOT: xi32
// CHECK: return
func.func @no_contractions(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>, %s: f32, %c: f32) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %p = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %a : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<3x2xf32>
  %q = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<3x2xf32>
  %t = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %difference = arith.subf %a, %b : f32
    %sum = arith.addf %out, %difference : f32
    linalg.yield %sum : f32
  } -> tensor<3x2xf32>
  %u = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %c : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<3x2xf32>
  return %p, %q, %t, %u : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}

// The scale of the sums is 0.5 * 0.25, in the wider of the types.
// CHECK-LABEL: func @scales_of_two_types(
// CHECK: %[[F32:.*]] = arith.constant 1.250000e-01 : f32
// CHECK: qdq.dequantize %{{.*}} scale %[[F32]] {{.*}} : (tensor<i32>, f32) -> tensor<f32>
func.func @scales_of_two_types(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %half = arith.constant 0.5 : f16
  %quarter = arith.constant 0.25 : f32
  %xd = qdq.dequantize %x scale %half : (tensor<4xi8>, f16) -> tensor<4xf32>
  %yd = qdq.dequantize %y scale %quarter : (tensor<4xi8>, f32) -> tensor<4xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @wide_scale(
// CHECK: qdq.dequantize %{{.*}} semantics <compute = f64> : (tensor<i32>, f64) -> tensor<f64>
// CHECK: qdq.dequantize %{{.*}} semantics <compute = f64> : (tensor<i32>, f64) -> tensor<f64>
func.func @wide_scale(%x: tensor<4xi8>, %y: tensor<4xi8>, %s: f64, %t: f32) -> (tensor<f64>, tensor<f64>) {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %xd = qdq.dequantize %x scale %s : (tensor<4xi8>, f64) -> tensor<4xf64>
  %yd = qdq.dequantize %y scale %t : (tensor<4xi8>, f32) -> tensor<4xf64>
  %p = linalg.dot ins(%xd, %yd : tensor<4xf64>, tensor<4xf64>) outs(%zero : tensor<f64>) -> tensor<f64>
  %q = linalg.dot ins(%yd, %xd : tensor<4xf64>, tensor<4xf64>) outs(%zero : tensor<f64>) -> tensor<f64>
  return %p, %q : tensor<f64>, tensor<f64>
}

// A result of f64 with scales of f32.
// CHECK-LABEL: func @wide_result(
// CHECK: qdq.dequantize %{{.*}} semantics <compute = f64> : (tensor<i32>, f32) -> tensor<f64>
func.func @wide_result(%x: tensor<4xi8>, %t: f32) -> tensor<f64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %xd = qdq.dequantize %x scale %t : (tensor<4xi8>, f32) -> tensor<4xf64>
  %r = linalg.dot ins(%xd, %xd : tensor<4xf64>, tensor<4xf64>) outs(%zero : tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}

// The scales of rows and of columns that the result has in another order.
// CHECK-LABEL: func @transposed_result(
// CHECK: %[[PRODUCT:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3xf32>)
// CHECK: qdq.dequantize %{{.*}} scale %[[PRODUCT]] block_shape [1, 1]
func.func @transposed_result(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>, %s: tensor<3xf32>, %t: tensor<2xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x3xf32>
  %xd = qdq.dequantize %x scale %s axis 0 : (tensor<3x4xi8>, tensor<3xf32>) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %t axis 1 : (tensor<4x2xi8>, tensor<2xf32>) -> tensor<4x2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, affine_map<(i, j, k) -> (j, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<2x3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// Codes whose type says less than that of the reals.
// CHECK-LABEL: func @open_codes(
// CHECK: tensor.cast %{{.*}} : tensor<?xi8> to tensor<4xi8>
func.func @open_codes(%x: tensor<?xi8>, %s: f32) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<?xi8>, f32) -> tensor<4xf32>
  %r = linalg.dot ins(%xd, %xd : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

//--- f64.mlir
// M = 0.5 * 0.25 / 2, in f64 as soon as one scale is.
// CHECK-LABEL: func @one_wide_scale(
// CHECK-DAG: %[[M:.*]] = arith.constant 6.250000e-02 : f64
// CHECK-COUNT-3: qdq.requantize %{{.*}} multiplier %[[M]]
func.func @one_wide_scale(%x: tensor<4xi8>) -> (tensor<i8>, tensor<i8>, tensor<i8>) {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %a64 = arith.constant 0.5 : f64
  %c64 = arith.constant 0.25 : f64
  %y64 = arith.constant 2.0 : f64
  %a = arith.constant 0.5 : f32
  %c = arith.constant 0.25 : f32
  %y = arith.constant 2.0 : f32
  %xa64 = qdq.dequantize %x scale %a64 : (tensor<4xi8>, f64) -> tensor<4xf64>
  %xc64 = qdq.dequantize %x scale %c64 : (tensor<4xi8>, f64) -> tensor<4xf64>
  %xa = qdq.dequantize %x scale %a : (tensor<4xi8>, f32) -> tensor<4xf64>
  %xc = qdq.dequantize %x scale %c : (tensor<4xi8>, f32) -> tensor<4xf64>
  %0 = linalg.dot ins(%xa64, %xc : tensor<4xf64>, tensor<4xf64>) outs(%zero : tensor<f64>) -> tensor<f64>
  %1 = linalg.dot ins(%xa, %xc64 : tensor<4xf64>, tensor<4xf64>) outs(%zero : tensor<f64>) -> tensor<f64>
  %2 = linalg.dot ins(%xa, %xc : tensor<4xf64>, tensor<4xf64>) outs(%zero : tensor<f64>) -> tensor<f64>
  %p = qdq.quantize %0 scale %y : (tensor<f64>, f32) -> tensor<i8>
  %q = qdq.quantize %1 scale %y : (tensor<f64>, f32) -> tensor<i8>
  %r = qdq.quantize %2 scale %y64 : (tensor<f64>, f64) -> tensor<i8>
  return %p, %q, %r : tensor<i8>, tensor<i8>, tensor<i8>
}

// Of f16 and f32, in f32.
// CHECK-LABEL: func @one_narrow_scale(
// CHECK: %[[M:.*]] = arith.constant 6.250000e-02 : f32
// CHECK: qdq.requantize %{{.*}} multiplier %[[M]]
func.func @one_narrow_scale(%x: tensor<4xi8>) -> tensor<i8> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %a = arith.constant 0.5 : f32
  %c = arith.constant 0.25 : f32
  %y = arith.constant 2.0 : f16
  %xa = qdq.dequantize %x scale %a : (tensor<4xi8>, f32) -> tensor<4xf32>
  %xc = qdq.dequantize %x scale %c : (tensor<4xi8>, f32) -> tensor<4xf32>
  %0 = linalg.dot ins(%xa, %xc : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %p = qdq.quantize %0 scale %y : (tensor<f32>, f16) -> tensor<i8>
  return %p : tensor<i8>
}

// A bias of integers through ops that repeat it.
// CHECK-LABEL: func @repeated_bias(
// CHECK-COUNT-3: qdq.requantize
// CHECK-NOT: qdq.quantize
// CHECK: return
func.func @repeated_bias(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>, %bias: tensor<2xi32>) -> (tensor<3x2xi8>, tensor<3x2xi8>, tensor<3x2xi8>) {
  %s = arith.constant 0.5 : f32
  %t = arith.constant 0.25 : f32
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %empty = tensor.empty() : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %bd = qdq.dequantize %bias scale %t : (tensor<2xi32>, f32) -> tensor<2xf32>
  %rows = linalg.broadcast ins(%bd : tensor<2xf32>) outs(%empty : tensor<3x2xf32>) dimensions = [0]
  %0 = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%rows : tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %sum = arith.addf %rows, %1 : tensor<3x2xf32>
  %one = tensor.expand_shape %bd [[0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
  %copies = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%one : tensor<1x2xf32>) outs(%empty : tensor<3x2xf32>) {
  ^bb0(%b: f32, %out: f32):
    linalg.yield %b : f32
  } -> tensor<3x2xf32>
  %2 = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%copies : tensor<3x2xf32>) -> tensor<3x2xf32>
  %p = qdq.quantize %0 scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  %q = qdq.quantize %sum scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  %r = qdq.quantize %2 scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %p, %q, %r : tensor<3x2xi8>, tensor<3x2xi8>, tensor<3x2xi8>
}

//--- f32.mlir
// Scales of rows and of columns stay two factors.
// CHECK-LABEL: func @rows_and_columns(
// CHECK: qdq.requantize %{{.*}} multiplier %{{.*}}, %{{.*}}, %{{.*}} block_shape [1, 1]
func.func @rows_and_columns(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>) -> tensor<3x2xi8> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %s = arith.constant dense<[0.5, 0.25, 1.0]> : tensor<3xf32>
  %t = arith.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %y = arith.constant 2.0 : f32
  %xd = qdq.dequantize %x scale %s axis 0 : (tensor<3x4xi8>, tensor<3xf32>) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %t axis 1 : (tensor<4x2xi8>, tensor<2xf32>) -> tensor<4x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = qdq.quantize %r scale %y : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}

// The number of channels is known of the scales alone: M = 0.5 * [2, 4] / 2.
// CHECK-LABEL: func @open_channels(
// CHECK: arith.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>
// CHECK: qdq.requantize
func.func @open_channels(%x: tensor<3x4xi8>, %w: tensor<4x?xi8>, %zero: tensor<3x?xf32>) -> tensor<3x?xi8> {
  %f0 = arith.constant 0.0 : f32
  %s = arith.constant 0.5 : f32
  %t = arith.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %y = arith.constant 2.0 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %t axis 1 : (tensor<4x?xi8>, tensor<2xf32>) -> tensor<4x?xf32>
  %init = linalg.fill ins(%f0 : f32) outs(%zero : tensor<3x?xf32>) -> tensor<3x?xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x?xf32>) outs(%init : tensor<3x?xf32>) -> tensor<3x?xf32>
  %q = qdq.quantize %r scale %y : (tensor<3x?xf32>, f32) -> tensor<3x?xi8>
  return %q : tensor<3x?xi8>
}

// The sums of blocks are multiplied before they are added: what is quantized has a scale of ones.
// CHECK-LABEL: func @blocks_and_scales_of_channels(
// CHECK: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK: qdq.quantize %{{.*}} scale %[[ONES]] axis 1
// CHECK-LABEL: func @blocks_and_open_scales(
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[ONES:.*]] = linalg.fill ins(%[[ONE]] : f32) outs(%{{.*}} : tensor<?xf32>)
// CHECK: qdq.quantize %{{.*}} scale %[[ONES]] axis 1
func.func @blocks_and_scales_of_channels(%x: tensor<3x8xi8>, %w: tensor<8x2xi8>, %s: tensor<3x2xf32>, %t: f32, %y: tensor<2xf32>) -> tensor<3x2xi8> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s block_shape [1, 4] : (tensor<3x8xi8>, tensor<3x2xf32>) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t : (tensor<8x2xi8>, f32) -> tensor<8x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = qdq.quantize %r scale %y axis 1 : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}
func.func @blocks_and_open_scales(%x: tensor<3x8xi8>, %w: tensor<8x2xi8>, %s: tensor<3x2xf32>, %t: f32, %y: tensor<?xf32>) -> tensor<3x2xi8> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s block_shape [1, 4] : (tensor<3x8xi8>, tensor<3x2xf32>) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t : (tensor<8x2xi8>, f32) -> tensor<8x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = qdq.quantize %r scale %y axis 1 : (tensor<3x2xf32>, tensor<?xf32>) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}

// Parameters of two dimensions, which the result has in another order.
// CHECK-LABEL: func @transposed_parameters(
// CHECK: %[[SCALES:.*]] = linalg.transpose ins(%{{.*}} : tensor<2x3xf32>) outs(%{{.*}} : tensor<3x2xf32>) permutation = [1, 0]
// CHECK: %[[PLACED:.*]] = tensor.expand_shape %[[SCALES]] {{.*}} into tensor<3x2x1xf32>
// CHECK: qdq.requantize %{{.*}} multiplier %[[PLACED]], %{{.*}}, %{{.*}} block_shape [1, 1, 0]
func.func @transposed_parameters(%x: tensor<2x3x4xi8>, %w: tensor<2x4x5xi8>, %s: tensor<2x3x1xf32>, %t: f32) -> tensor<3x2x5xi8> {
  %zero = arith.constant dense<0.0> : tensor<3x2x5xf32>
  %xd = qdq.dequantize %x scale %s block_shape [1, 1, 0] : (tensor<2x3x4xi8>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %wd = qdq.dequantize %w scale %t : (tensor<2x4x5xi8>, f32) -> tensor<2x4x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, affine_map<(b, i, j, k) -> (i, b, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%xd, %wd : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%zero : tensor<3x2x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<3x2x5xf32>
  %q = qdq.quantize %r scale %t : (tensor<3x2x5xf32>, f32) -> tensor<3x2x5xi8>
  return %q : tensor<3x2x5xi8>
}

// No channels have no scales.
// CHECK-LABEL: func @no_channels(
// CHECK: qdq.requantize {{.*}} -> tensor<3x0xi8>
func.func @no_channels(%x: tensor<3x4xi8>, %w: tensor<4x0xi8>, %s: f32) -> tensor<3x0xi8> {
  %zero = arith.constant dense<0.0> : tensor<3x0xf32>
  %t = arith.constant dense<> : tensor<0xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %t axis 1 : (tensor<4x0xi8>, tensor<0xf32>) -> tensor<4x0xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x0xf32>) outs(%zero : tensor<3x0xf32>) -> tensor<3x0xf32>
  %q = qdq.quantize %r scale %s : (tensor<3x0xf32>, f32) -> tensor<3x0xi8>
  return %q : tensor<3x0xi8>
}

//--- separate.mlir
// A bias of another scale is added as reals.
// CHECK-LABEL: func @bias_of_another_scale(
// CHECK: qdq.dequantize
// CHECK-NOT: qdq.requantize
// CHECK: qdq.quantize
func.func @bias_of_another_scale(%x: tensor<2xi8>, %c: tensor<i32>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %cd = qdq.dequantize %c scale %s : (tensor<i32>, f32) -> tensor<f32>
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%cd : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

//--- exact.mlir
// 0.5 * 0.5 / 0.5 is 2^-1: of every sum, whatever the codes do beyond their ends.
// CHECK-LABEL: func @codes_that_wrap(
// CHECK: qdq.requantize %{{.*}} rescale <exact>
// CHECK-LABEL: func @zero_points(
// CHECK-COUNT-2: qdq.requantize %{{.*}} rescale <exact>
func.func @codes_that_wrap(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s semantics <overflow = wrap> : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}
func.func @zero_points(%x: tensor<2xi8>, %z: i8) -> (tensor<i8>, tensor<i8>) {
  %s = arith.constant 0.5 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %t = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %p = qdq.quantize %r scale %s zero_point %z : (tensor<f32>, f32, i8) -> tensor<i8>
  %q = qdq.quantize %t scale %s zero_point %three : (tensor<f32>, f32, i8) -> tensor<i8>
  return %p, %q : tensor<i8>, tensor<i8>
}

// Scales 0.5 and 1.5 of blocks are 1 and 3 times 0.5, also of the left operand, and beside a zero point.
// CHECK-LABEL: func @blocks_of_the_left_operand(
// CHECK: arith.constant dense<[{{\[1\], \[3\]|1, 3}}]> : tensor<2{{(x1)?}}xi64>
// CHECK: qdq.requantize %{{.*}} rescale <exact>
func.func @blocks_of_the_left_operand(%x: tensor<1x8xi8>, %w: tensor<8x2xi8>) -> tensor<1x2xi8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant dense<[[0.5, 1.5]]> : tensor<1x2xf32>
  %z = arith.constant dense<[[2, -3]]> : tensor<1x2xi8>
  %zero = arith.constant dense<0.0> : tensor<1x2xf32>
  %xd = qdq.dequantize %x scale %t zero_point %z block_shape [1, 4] : (tensor<1x8xi8>, tensor<1x2xf32>, tensor<1x2xi8>) -> tensor<1x8xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<8x2xi8>, f32) -> tensor<8x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<1x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  %q = qdq.quantize %r scale %s : (tensor<1x2xf32>, f32) -> tensor<1x2xi8>
  return %q : tensor<1x2xi8>
}

//--- difference.mlir
// Powers of two make no difference, also where bounds clamp the codes.
// CHECK-LABEL: func @bounded(
// CHECK: qdq.requantize {{.*}} clamp [0, 12]
func.func @bounded(%x: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %six = arith.constant dense<6.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %low = arith.maximumf %r, %zero : tensor<f32>
  %high = arith.minimumf %six, %low : tensor<f32>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %q = qdq.quantize %high scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// CHECK-LABEL: func @open_zero_point(
// CHECK-NOT: qdq.requantize
// CHECK: return
func.func @open_zero_point(%x: tensor<2xi8>, %z: i8) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{cannot be measured: parameters are not constant, or codes do not saturate}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s zero_point %z : (tensor<f32>, f32, i8) -> tensor<i8>
  return %q : tensor<i8>
}

// The first channel cannot be measured, the second one could be.
// CHECK-LABEL: func @one_channel(
// CHECK-NOT: qdq.requantize
// CHECK: return
func.func @one_channel(%x: tensor<1x2xi8>, %w: tensor<2x2xi8>) -> tensor<1x2xi8> {
  %s = arith.constant 0.5 : f32
  %y = arith.constant dense<[-0.5, 0.5]> : tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<1x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<1x2xi8>, f32) -> tensor<1x2xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<2x2xi8>, f32) -> tensor<2x2xf32>
  // expected-remark @below {{cannot be measured: parameters are not constant, or codes do not saturate}}
  %r = linalg.matmul ins(%xd, %wd : tensor<1x2xf32>, tensor<2x2xf32>) outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  %q = qdq.quantize %r scale %y axis 1 : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xi8>
  return %q : tensor<1x2xi8>
}
