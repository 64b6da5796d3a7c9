// Quantized results of sums in blocks, and of sums to which reals are added.
// RUN: quant-opt %s --qdq-integer-contractions=rescale=separate --split-input-file | FileCheck %s --check-prefixes=CHECK,SEPARATE
// RUN: quant-opt %s --qdq-integer-contractions=rescale=f32 --split-input-file | FileCheck %s --check-prefixes=CHECK,F32
// RUN: quant-opt %s --qdq-integer-contractions=rescale=f64 --split-input-file | FileCheck %s --check-prefixes=CHECK,F64
// RUN: quant-opt %s --qdq-integer-contractions=rescale=exact --split-input-file | FileCheck %s --check-prefixes=CHECK,EXACT

// CHECK-LABEL: func @matmul_constant_scales
// F32: arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// EXACT: %[[WEIGHTS:.*]] = arith.constant dense<{{\[\[}}1, 1], [3, 2]]> : tensor<2x2xi64>
// CHECK: %[[SUMS:.*]] = scf.for %[[BLOCK:[a-z0-9]+]] =
// CHECK: %[[ACC:.*]] = linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<3x4xi8>, tensor<4x2xi4>) outs(%{{.*}} : tensor<3x2xi32>)
// EXACT: tensor.extract_slice %[[WEIGHTS]][%[[BLOCK]], 0] [1, 2]
// CHECK: linalg.generic {{.*}} ins(%[[ACC]],
// SEPARATE: arith.sitofp
// SEPARATE-NEXT: arith.mulf
// SEPARATE-NEXT: arith.addf
// SEPARATE: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%[[SUMS]] : tensor<3x2xf32>)
// SEPARATE: arith.mulf
// F32: arith.sitofp
// F32-NEXT: arith.mulf
// F32-NEXT: arith.addf
// F64: arith.addf {{.*}} : f64
// EXACT: arith.muli
// EXACT-NEXT: arith.addi
// SEPARATE: qdq.quantize %[[SCALED]] scale %{{.*}} semantics <division = reciprocal, compute = f32> : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
// F32: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// F32: qdq.quantize %[[SUMS]] scale %[[ONE]] semantics <division = exact, compute = f32>
// F64: qdq.quantize %[[SUMS]] scale %{{.*}} semantics <division = exact, compute = f64> : (tensor<3x2xf64>, f64) -> tensor<3x2xi8>
// EXACT: qdq.requantize %[[SUMS]] rescale <exact> {{.*}} axis 1 limit {{.*}} : (tensor<3x2xi64>,
func.func @matmul_constant_scales(%x: tensor<3x8xi8>, %w: tensor<8x2xi4>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %sy = arith.constant 0.25 : f32
  %t = arith.constant dense<[[0.5, 1.0], [1.5, 2.0]]> : tensor<2x2xf32>
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x8xi8>, f32) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %t block_shape [4, 1] : (tensor<8x2xi4>, tensor<2x2xf32>) -> tensor<8x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = qdq.quantize %r scale %sy : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}

// -----

// A bias of reals is added before the scale of the result; relu is a bound of codes.
// CHECK-LABEL: func @matmul_real_bias
// SEPARATE-SAME: %[[BIAS:[a-z0-9]+]]: tensor<2xf32>
// SEPARATE: %[[ACC:.*]] = linalg.matmul {{.*}} -> tensor<3x2xi32>
// SEPARATE: %[[REAL:.*]] = linalg.generic {{.*}} ins(%[[ACC]]
// SEPARATE: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[REAL]], %{{.*}} : tensor<3x2xf32>,
// SEPARATE: arith.addf
// SEPARATE: qdq.quantize %[[SUM]] scale %{{.*}} clamp [0, 127] semantics <{{.*}}division = reciprocal, compute = f32
// F32: linalg.matmul {{.*}} -> tensor<3x2xf32>
// EXACT: linalg.matmul {{.*}} -> tensor<3x2xf32>
func.func @matmul_real_bias(%x: tensor<3x8xi8>, %w: tensor<8x2xi8>, %bias: tensor<2xf32>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x8xi8>, f32) -> tensor<3x8xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<8x2xi8>, f32) -> tensor<8x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %rows = linalg.broadcast ins(%bias : tensor<2xf32>) outs(%e : tensor<3x2xf32>) dimensions = [0]
  %b = arith.addf %r, %rows : tensor<3x2xf32>
  %relu = arith.maximumf %b, %zero : tensor<3x2xf32>
  %q = qdq.quantize %relu scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %q : tensor<3x2xi8>
}

// -----

// Blocks of 4 and of 6: the sums are of 2, and the scales those of the blocks around them.
// CHECK-LABEL: func @blocks_of_two_lengths
// CHECK: scf.for %[[BLOCK:[a-z0-9]+]] = %{{.*}} to %c6
// CHECK: %[[A:.*]] = affine.apply {{.*}}(%[[BLOCK]])
// CHECK: tensor.extract_slice %{{.*}}[0, %[[A]]] [3, 1] [1, 1] : tensor<3x3xf32>
// CHECK: %[[B:.*]] = affine.apply {{.*}}(%[[BLOCK]])
// CHECK: tensor.extract_slice %{{.*}}[%[[B]], 0] [1, 2] [1, 1] : tensor<2x2xf32>
// CHECK: linalg.matmul {{.*}} tensor<3x2xi8>, tensor<2x2xi8>
// CHECK: qdq.dequantize
func.func @blocks_of_two_lengths(%x: tensor<3x12xi8>, %s: tensor<3x3xf32>, %w: tensor<12x2xi8>, %t: tensor<2x2xf32>, %init: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %xd = qdq.dequantize %x scale %s block_shape [1, 4] : (tensor<3x12xi8>, tensor<3x3xf32>) -> tensor<3x12xf32>
  %wd = qdq.dequantize %w scale %t block_shape [6, 1] : (tensor<12x2xi8>, tensor<2x2xf32>) -> tensor<12x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x12xf32>, tensor<12x2xf32>) outs(%init : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

// Nothing is sliced where nothing is.
// CHECK-LABEL: func @no_rows
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @no_rows(%x: tensor<0x8xi8>, %w: tensor<8x2xi4>) -> tensor<0x2xi8> {
  %s = arith.constant 0.5 : f32
  %t = arith.constant dense<[[0.5, 1.0], [1.5, 2.0]]> : tensor<2x2xf32>
  %zero = arith.constant dense<0.0> : tensor<0x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<0x8xi8>, f32) -> tensor<0x8xf32>
  %wd = qdq.dequantize %w scale %t block_shape [4, 1] : (tensor<8x2xi4>, tensor<2x2xf32>) -> tensor<8x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<0x8xf32>, tensor<8x2xf32>) outs(%zero : tensor<0x2xf32>) -> tensor<0x2xf32>
  %q = qdq.quantize %r scale %s : (tensor<0x2xf32>, f32) -> tensor<0x2xi8>
  return %q : tensor<0x2xi8>
}
