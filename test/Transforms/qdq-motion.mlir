// RUN: quant-opt %s --qdq-motion | FileCheck %s
// RUN: quant-opt %s --qdq-motion=moved=reals | FileCheck %s --check-prefix=REALS

// REALS-DAG: #[[PLUS:.*]] = affine_map<()[s0] -> (s0 + 3)>
// CHECK-DAG: #[[BLOCK:.*]] = affine_map<()[s0] -> (s0 * 2)>
// CHECK-DAG: #[[HALF:.*]] = affine_map<()[s0] -> (s0 ceildiv 2)>
// CHECK-DAG: #[[WITHIN:.*]] = affine_map<()[s0] -> (s0 floordiv 4)>

#onnx = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                       overflow = saturate, nan = highest, fusion = none, float_overflow = saturate>

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

// One factor that is not 1: the axis stays an axis, and the scale as it is.
// CHECK-LABEL: func @dequantize_axis_expand
// CHECK-SAME: %[[Q:.*]]: tensor<4x8xi8>, %[[S:.*]]: tensor<8xf32>
func.func @dequantize_axis_expand(%q: tensor<4x8xi8>, %s: tensor<8xf32>) -> tensor<2x2x8x1xf32> {
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[Q]] {{.*}} into tensor<2x2x8x1xi8>
  // CHECK: qdq.dequantize %[[E]] scale %[[S]] axis 2
  // REALS: qdq.dequantize
  // REALS: tensor.expand_shape
  %x = qdq.dequantize %q scale %s axis 1 : (tensor<4x8xi8>, tensor<8xf32>) -> tensor<4x8xf32>
  %y = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [2, 2, 8, 1] : tensor<4x8xf32> into tensor<2x2x8x1xf32>
  return %y : tensor<2x2x8x1xf32>
}

// Blocks of 4 rows of 8 are blocks of 32 of the collapsed dimension; stochastic draws follow the row-major position, which stays.
// CHECK-LABEL: func @quantize_blocked_expand
// CHECK-SAME: %[[X:.*]]: tensor<2x128xf32>, %[[S:.*]]: tensor<2x4x1xf32>
func.func @quantize_blocked_expand(%x: tensor<2x128xf32>, %s: tensor<2x4x1xf32>) -> tensor<2x16x8xi8> {
  // CHECK: %[[C:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0], [1, 2]] : tensor<2x4x1xf32> into tensor<2x4xf32>
  // CHECK: %[[Q:.*]] = qdq.quantize %[[X]] scale %[[C]] block_shape [1, 32] semantics <rounding = stochastic> {mine, seed = 1 : i64}
  // CHECK: tensor.expand_shape %[[Q]]
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [2, 16, 8] : tensor<2x128xf32> into tensor<2x16x8xf32>
  %q = qdq.quantize %e scale %s block_shape [1, 4, 0] semantics <rounding = stochastic> {mine, seed = 1 : i64}
     : (tensor<2x16x8xf32>, tensor<2x4x1xf32>) -> tensor<2x16x8xi8>
  return %q : tensor<2x16x8xi8>
}

// An axis that is collapsed with what lies within it becomes blocks.
// CHECK-LABEL: func @dequantize_axis_collapse
// CHECK-SAME: %[[Q:.*]]: tensor<?x4x8xi8>, %[[S:.*]]: tensor<4xf32>
func.func @dequantize_axis_collapse(%q: tensor<?x4x8xi8>, %s: tensor<4xf32>) -> tensor<?x32xf32> {
  // CHECK: %[[C:.*]] = tensor.collapse_shape %[[Q]]
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[S]] {{\[\[}}0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
  // CHECK: qdq.dequantize %[[C]] scale %[[E]] block_shape [0, 8]
  %x = qdq.dequantize %q scale %s axis 1 : (tensor<?x4x8xi8>, tensor<4xf32>) -> tensor<?x4x8xf32>
  %y = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x4x8xf32> into tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// A dynamic axis in two dimensions: the size of the scale follows that of the codes.
// CHECK-LABEL: func @dequantize_axis_expand_dynamic
// CHECK-SAME: %[[Q:.*]]: tensor<?xi8>, %[[S:.*]]: tensor<?xf32>, %[[N:.*]]: index
func.func @dequantize_axis_expand_dynamic(%q: tensor<?xi8>, %s: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  // CHECK: %[[C:.*]] = tensor.expand_shape %[[Q]] {{.*}} output_shape [%[[N]], 4]
  // CHECK: %[[D:.*]] = tensor.dim %[[C]]
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[S]] {{.*}} output_shape [%[[D]], 4]
  // CHECK: qdq.dequantize %[[C]] scale %[[E]] block_shape [1, 1]
  %x = qdq.dequantize %q scale %s axis 0 : (tensor<?xi8>, tensor<?xf32>) -> tensor<?xf32>
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Blocks of 3 end within rows of 4; an outer axis would have to be repeated.
// CHECK-LABEL: func @reshapes_that_stay
func.func @reshapes_that_stay(%q: tensor<12xi8>, %s: tensor<4xf32>, %r: tensor<2x4xi8>) -> (tensor<3x4xf32>, tensor<8xf32>) {
  // CHECK: qdq.dequantize {{.*}} block_shape [3]
  // CHECK: tensor.expand_shape
  // CHECK: qdq.dequantize {{.*}} axis 1
  // CHECK: tensor.collapse_shape
  %x = qdq.dequantize %q scale %s block_shape [3] : (tensor<12xi8>, tensor<4xf32>) -> tensor<12xf32>
  %y = tensor.expand_shape %x [[0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
  %z = qdq.dequantize %r scale %s axis 1 : (tensor<2x4xi8>, tensor<4xf32>) -> tensor<2x4xf32>
  %w = tensor.collapse_shape %z [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  return %y, %w : tensor<3x4xf32>, tensor<8xf32>
}

//===----------------------------------------------------------------------===//
// Transpositions
//===----------------------------------------------------------------------===//

// Constant scales stay constant; unsigned codes pass linalg without a sign.
// CHECK-LABEL: func @dequantize_blocked_transpose
// CHECK-SAME: %[[Q:.*]]: tensor<2x64xui8>
func.func @dequantize_blocked_transpose(%q: tensor<2x64xui8>) -> tensor<64x2xf32> {
  // CHECK-DAG: %[[B:.*]] = tensor.bitcast %[[Q]] : tensor<2x64xui8> to tensor<2x64xi8>
  // CHECK-DAG: %[[T:.*]] = linalg.transpose ins(%[[B]] : tensor<2x64xi8>) {{.*}} permutation = [1, 0]
  // CHECK-DAG: %[[C:.*]] = tensor.bitcast %[[T]] : tensor<64x2xi8> to tensor<64x2xui8>
  // CHECK-DAG: %[[S:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
  // CHECK: qdq.dequantize %[[C]] scale %[[S]] block_shape [32, 1]
  %s = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<2x64xui8>, tensor<2x2xf32>) -> tensor<2x64xf32>
  %e = tensor.empty() : tensor<64x2xf32>
  %y = linalg.transpose ins(%x : tensor<2x64xf32>) outs(%e : tensor<64x2xf32>) permutation = [1, 0]
  return %y : tensor<64x2xf32>
}

// A generic that transposes. A quantize whose rounding is open, or stochastic, does not pass it.
// CHECK-LABEL: func @quantize_axis_generic
func.func @quantize_axis_generic(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>) -> (tensor<4x2x3xi8>, tensor<4x2x3xi8>, tensor<4x2x3xi8>) {
  // CHECK-NOT: linalg.generic
  // CHECK: qdq.quantize {{.*}} axis 2 semantics <rounding = floor> : (tensor<2x3x4xf32>, tensor<4xf32>)
  // CHECK: linalg.transpose {{.*}} permutation = [2, 0, 1]
  // CHECK: qdq.quantize {{.*}} axis 0 : (tensor<4x2x3xf32>
  // CHECK: qdq.quantize {{.*}} axis 0 semantics <rounding = stochastic> : (tensor<4x2x3xf32>
  %e = tensor.empty() : tensor<4x2x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (b, c, a)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<4x2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<4x2x3xf32>
  %u = linalg.transpose ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<4x2x3xf32>) permutation = [2, 0, 1]
  %v = linalg.transpose ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<4x2x3xf32>) permutation = [2, 0, 1]
  %p = qdq.quantize %t scale %s axis 0 semantics <rounding = floor> : (tensor<4x2x3xf32>, tensor<4xf32>) -> tensor<4x2x3xi8>
  %q = qdq.quantize %u scale %s axis 0 : (tensor<4x2x3xf32>, tensor<4xf32>) -> tensor<4x2x3xi8>
  %r = qdq.quantize %v scale %s axis 0 semantics <rounding = stochastic> : (tensor<4x2x3xf32>, tensor<4xf32>) -> tensor<4x2x3xi8>
  return %p, %q, %r : tensor<4x2x3xi8>, tensor<4x2x3xi8>, tensor<4x2x3xi8>
}

// The position of a part, which tiling sets, has the dimensions of the whole.
// CHECK-LABEL: func @quantize_part_of_a_whole
func.func @quantize_part_of_a_whole(%x: tensor<8xf32>, %s: f32) -> tensor<2x4xi8> {
  // CHECK: tensor.expand_shape
  // CHECK: qdq.quantize {{.*}} at [2, 0] of [8, 4]
  %e = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %q = qdq.quantize %e scale %s semantics <rounding = stochastic> at [2, 0] of [8, 4] : (tensor<2x4xf32>, f32) -> tensor<2x4xi8>
  return %q : tensor<2x4xi8>
}

// Rounding that draws nothing needs no position.
// CHECK-LABEL: func @quantize_part_that_draws_nothing
func.func @quantize_part_that_draws_nothing(%x: tensor<2x4xf32>, %s: f32) -> tensor<4x2xi8> {
  // CHECK: qdq.quantize %{{.*}} semantics <rounding = floor> : (tensor<2x4xf32>, f32) -> tensor<2x4xi8>
  // CHECK: linalg.transpose
  %e = tensor.empty() : tensor<4x2xf32>
  %t = linalg.transpose ins(%x : tensor<2x4xf32>) outs(%e : tensor<4x2xf32>) permutation = [1, 0]
  %q = qdq.quantize %t scale %s semantics <rounding = floor> at [2, 0] of [8, 4] : (tensor<4x2xf32>, f32) -> tensor<4x2xi8>
  return %q : tensor<4x2xi8>
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

// What may draw says where in the whole its part lies.
// REALS-LABEL: func @quantize_slice_that_may_draw
// REALS-SAME: %[[I:[^ ]*]]: index
func.func @quantize_slice_that_may_draw(%x: tensor<4x8xf32>, %s: f32, %i: index) -> (tensor<2x4xi8>, tensor<8xi8>, tensor<2x4xi8>) {
  // REALS: qdq.quantize %{{.*}} semantics <rounding = stochastic> at [1, %[[I]]] of [4, 8] : (tensor<2x4xf32>, f32, index)
  // REALS: qdq.quantize %{{.*}} at [3, 0] of [4, 8] : (tensor<8xf32>, f32)
  // REALS: %[[AT:.*]] = affine.apply #[[PLUS]]()[%[[I]]]
  // REALS: qdq.quantize %{{.*}} at [7, 3, %[[AT]]] of [9, 20, 30] : (tensor<2x4xf32>, f32, index)
  %p = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  %q = qdq.quantize %x scale %s : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  %r = qdq.quantize %x scale %s at [7, 2, 3] of [9, 20, 30] : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  %a = tensor.extract_slice %p[1, %i] [2, 4] [1, 1] : tensor<4x8xi8> to tensor<2x4xi8>
  %b = tensor.extract_slice %q[3, 0] [1, 8] [1, 1] : tensor<4x8xi8> to tensor<8xi8>
  %c = tensor.extract_slice %r[1, %i] [2, 4] [1, 1] : tensor<4x8xi8> to tensor<2x4xi8>
  return %a, %b, %c : tensor<2x4xi8>, tensor<8xi8>, tensor<2x4xi8>
}

// A position has no strides, and the last dimensions of the whole.
// REALS-LABEL: func @quantize_slice_without_position
func.func @quantize_slice_without_position(%x: tensor<4x8xf32>, %s: f32) -> (tensor<2x8xi8>, tensor<4xi8>) {
  // REALS: qdq.quantize
  // REALS: qdq.quantize
  // REALS: tensor.extract_slice
  // REALS: tensor.extract_slice
  %p = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  %q = qdq.quantize %x scale %s : (tensor<4x8xf32>, f32) -> tensor<4x8xi8>
  %a = tensor.extract_slice %p[0, 0] [2, 8] [2, 1] : tensor<4x8xi8> to tensor<2x8xi8>
  %b = tensor.extract_slice %q[0, 3] [4, 1] [1, 1] : tensor<4x8xi8> to tensor<4xi8>
  return %a, %b : tensor<2x8xi8>, tensor<4xi8>
}

// Offsets that are known to begin a block, or to stay in one.
// CHECK-LABEL: func @dequantize_slice_dynamic
// CHECK-SAME: %[[S:[^ ]*]]: tensor<8xf32>, %[[I:[^ ]*]]: index
func.func @dequantize_slice_dynamic(%q: tensor<256xi8>, %s: tensor<8xf32>, %i: index, %n: index) -> (tensor<?xf32>, tensor<8xf32>, tensor<9xf32>) {
  // CHECK: %[[FIRST:.*]] = affine.apply #[[BLOCK]]()[%[[I]]]
  // CHECK: tensor.extract_slice %[[S]][%[[FIRST]]] [%{{.*}}] [1]
  // CHECK: qdq.dequantize %{{.*}} block_shape [32] : (tensor<?xi8>, tensor<?xf32>)
  // CHECK: %[[B:.*]] = affine.apply #[[WITHIN]]()[%[[I]]]
  // CHECK: tensor.extract_slice %[[S]][%[[B]]] [1] [1]
  // CHECK: qdq.dequantize %{{.*}} block_shape [0] : (tensor<8xi8>, tensor<1xf32>)
  // CHECK: tensor.extract_slice %{{.*}} : tensor<256xf32> to tensor<9xf32>
  %x = qdq.dequantize %q scale %s block_shape [32] : (tensor<256xi8>, tensor<8xf32>) -> tensor<256xf32>
  %o = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%i]
  %p = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%i]
  %a = tensor.extract_slice %x[%o] [%n] [1] : tensor<256xf32> to tensor<?xf32>
  %b = tensor.extract_slice %x[%p] [8] [1] : tensor<256xf32> to tensor<8xf32>
  %c = tensor.extract_slice %x[%p] [9] [1] : tensor<256xf32> to tensor<9xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<8xf32>, tensor<9xf32>
}

// Whole blocks, and a part of one; a dropped axis leaves one scale.
// CHECK-LABEL: func @dequantize_slice
// CHECK-SAME: %[[Q:.*]]: tensor<4x128xi8>, %[[S:.*]]: tensor<4x4xf32>, %[[A:.*]]: tensor<4xf32>
func.func @dequantize_slice(%q: tensor<4x128xi8>, %s: tensor<4x4xf32>, %a: tensor<4xf32>) -> (tensor<2x40xf32>, tensor<2x8xf32>, tensor<128xf32>) {
  // CHECK: %[[T:.*]] = tensor.extract_slice %[[S]][1, 2] [2, 2] [1, 1]
  // CHECK: qdq.dequantize %{{.*}} scale %[[T]] block_shape [1, 32] : (tensor<2x40xi8>, tensor<2x2xf32>)
  // CHECK: %[[U:.*]] = tensor.extract_slice %[[S]][0, 1] [2, 1] [2, 1]
  // CHECK: qdq.dequantize %{{.*}} scale %[[U]] block_shape [1, 0] : (tensor<2x8xi8>, tensor<2x1xf32>)
  // CHECK: %[[V:.*]] = tensor.extract_slice %[[A]][3] [1] [1] : tensor<4xf32> to tensor<f32>
  // CHECK: qdq.dequantize %{{.*}} scale %[[V]] : (tensor<128xi8>, tensor<f32>)
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<4x128xi8>, tensor<4x4xf32>) -> tensor<4x128xf32>
  %b = tensor.extract_slice %x[1, 64] [2, 40] [1, 1] : tensor<4x128xf32> to tensor<2x40xf32>
  %c = tensor.extract_slice %x[0, 50] [2, 8] [2, 1] : tensor<4x128xf32> to tensor<2x8xf32>
  %y = qdq.dequantize %q scale %a axis 0 : (tensor<4x128xi8>, tensor<4xf32>) -> tensor<4x128xf32>
  %d = tensor.extract_slice %y[3, 0] [1, 128] [1, 1] : tensor<4x128xf32> to tensor<128xf32>
  return %b, %c, %d : tensor<2x40xf32>, tensor<2x8xf32>, tensor<128xf32>
}

// From the middle of one block to the next; an offset that nobody knows; a quantize, which would do more.
// CHECK-LABEL: func @slices_that_stay
func.func @slices_that_stay(%q: tensor<128xi8>, %s: tensor<4xf32>, %i: index, %x: tensor<8xf32>, %z: f32) -> (tensor<40xf32>, tensor<8xf32>, tensor<2xi8>) {
  // CHECK: qdq.dequantize
  // CHECK: tensor.extract_slice
  // CHECK: tensor.extract_slice
  // CHECK: tensor.extract_slice
  // CHECK: qdq.quantize
  // REALS-LABEL: func @slices_that_stay
  // REALS: tensor.extract_slice
  // REALS: tensor.extract_slice
  // REALS: tensor.extract_slice
  // REALS: qdq.quantize
  %y = qdq.dequantize %q scale %s block_shape [32] : (tensor<128xi8>, tensor<4xf32>) -> tensor<128xf32>
  %a = tensor.extract_slice %y[16] [40] [1] : tensor<128xf32> to tensor<40xf32>
  %b = tensor.extract_slice %y[%i] [8] [1] : tensor<128xf32> to tensor<8xf32>
  %t = tensor.extract_slice %x[2] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %p = qdq.quantize %t scale %z semantics <rounding = floor> : (tensor<2xf32>, f32) -> tensor<2xi8>
  return %a, %b, %p : tensor<40xf32>, tensor<8xf32>, tensor<2xi8>
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

// 0.0 is the zero point, of every channel.
// CHECK-LABEL: func @dequantize_axis_pad
// CHECK-SAME: %[[Q:.*]]: tensor<2x6xui8>
func.func @dequantize_axis_pad(%q: tensor<2x6xui8>) -> tensor<2x8xf32> {
  // CHECK: %[[B:.*]] = tensor.bitcast %[[Q]]
  // CHECK: %[[Z:.*]] = arith.constant -56 : i8
  // CHECK: tensor.pad %[[B]] low[0, 1] high[0, 1]
  // CHECK: tensor.yield %[[Z]] : i8
  // CHECK: qdq.dequantize {{.*}} : (tensor<2x8xui8>
  %s = arith.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %z_bits = arith.constant dense<200> : tensor<i8>
  %z = tensor.bitcast %z_bits : tensor<i8> to tensor<ui8>
  %zero = arith.constant 0.0 : f32
  %x = qdq.dequantize %q scale %s zero_point %z axis 0 semantics #onnx : (tensor<2x6xui8>, tensor<2xf32>, tensor<ui8>) -> tensor<2x6xf32>
  %y = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x6xf32> to tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// A NaN has a code.
// CHECK-LABEL: func @quantize_pad
func.func @quantize_pad(%x: tensor<?xf32>) -> tensor<?xi4> {
  // CHECK: %[[Q:.*]] = qdq.quantize
  // CHECK: %[[V:.*]] = arith.constant 7 : i4
  // CHECK: tensor.pad %[[Q]] nofold
  // CHECK: tensor.yield %[[V]] : i4
  %s = arith.constant 0.5 : f32
  %nan = arith.constant 0x7fc00000 : f32
  %p = tensor.pad %x nofold low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %nan : f32
  } : tensor<?xf32> to tensor<?xf32>
  %q = qdq.quantize %p scale %s semantics #onnx : (tensor<?xf32>, f32) -> tensor<?xi4>
  return %q : tensor<?xi4>
}

// No code is -0.0, nor 0.3; the axis itself is padded; channels have several zero points; semantics are open.
// CHECK-LABEL: func @pads_that_stay
func.func @pads_that_stay(%q: tensor<2x6xi8>) -> (tensor<2x7xf32>, tensor<2x7xf32>, tensor<3x6xf32>, tensor<2x7xf32>, tensor<2x7xf32>) {
  // CHECK-COUNT-5: tensor.pad {{.*}}
  // CHECK-NOT: qdq
  %s = arith.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %z = arith.constant dense<[1, 2]> : tensor<2xi8>
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %odd = arith.constant 0.3 : f32
  %x = qdq.dequantize %q scale %s axis 0 semantics #onnx : (tensor<2x6xi8>, tensor<2xf32>) -> tensor<2x6xf32>
  %y = qdq.dequantize %q scale %s zero_point %z axis 0 semantics #onnx : (tensor<2x6xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<2x6xf32>
  %w = qdq.dequantize %q scale %s axis 0 : (tensor<2x6xi8>, tensor<2xf32>) -> tensor<2x6xf32>
  %a = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %minus : f32
  } : tensor<2x6xf32> to tensor<2x7xf32>
  %b = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %odd : f32
  } : tensor<2x6xf32> to tensor<2x7xf32>
  %c = tensor.pad %x low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x6xf32> to tensor<3x6xf32>
  %d = tensor.pad %y low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x6xf32> to tensor<2x7xf32>
  %e = tensor.pad %w low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x6xf32> to tensor<2x7xf32>
  return %a, %b, %c, %d, %e : tensor<2x7xf32>, tensor<2x7xf32>, tensor<3x6xf32>, tensor<2x7xf32>, tensor<2x7xf32>
}

//===----------------------------------------------------------------------===//
// Max pooling
//===----------------------------------------------------------------------===//

// The lowest code takes the place of the lowest real; unsigned codes have an op of their own. One scale for each channel.
// CHECK-LABEL: func @dequantize_axis_pool
func.func @dequantize_axis_pool(%q: tensor<1x4x4x2xui8>) -> tensor<1x2x2x2xf32> {
  // CHECK: %[[LOW:.*]] = arith.constant 0 : i8
  // CHECK: linalg.fill ins(%[[LOW]] : i8)
  // CHECK: linalg.pooling_nhwc_max_unsigned {{.*}} -> tensor<1x2x2x2xi8>
  // CHECK: qdq.dequantize {{.*}} axis 3
  // REALS-LABEL: func @dequantize_axis_pool
  // REALS: qdq.dequantize
  // REALS: linalg.pooling_nhwc_max {
  %s = arith.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %z_bits = arith.constant dense<200> : tensor<i8>
  %z = tensor.bitcast %z_bits : tensor<i8> to tensor<ui8>
  %low = arith.constant 0xff7fffff : f32
  %x = qdq.dequantize %q scale %s zero_point %z axis 3 semantics #onnx
     : (tensor<1x4x4x2xui8>, tensor<2xf32>, tensor<ui8>) -> tensor<1x4x4x2xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x2x2x2xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %y = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : tensor<1x4x4x2xf32>, tensor<2x2xf32>) outs(%f : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// A NaN wins as a real, and has the highest code: it wins as a code. The initial value has a code of its own.
// CHECK-LABEL: func @quantize_pool
func.func @quantize_pool(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xi8> {
  // CHECK: %[[Q:.*]] = qdq.quantize
  // CHECK: %[[ONE:.*]] = arith.constant 2 : i8
  // CHECK: linalg.fill ins(%[[ONE]] : i8)
  // CHECK: linalg.pooling_nchw_max {{.*}} ins(%[[Q]],
  %s = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x2x2x2xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %y = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : tensor<1x2x4x4xf32>, tensor<2x2xf32>) outs(%f : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %q = qdq.quantize %y scale %s semantics #onnx : (tensor<1x2x2x2xf32>, f32) -> tensor<1x2x2x2xi8>
  return %q : tensor<1x2x2x2xi8>
}

// A negative scale falls; a pooled axis has several scales in a window; 1.0 is above the lowest code.
// CHECK-LABEL: func @pools_that_stay
func.func @pools_that_stay(%q: tensor<1x4x2xi8>) -> (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) {
  // CHECK-COUNT-3: linalg.pooling_nwc_max {{.*}} -> tensor<1x2x2xf32>
  %s = arith.constant dense<-0.5> : tensor<f32>
  %t = arith.constant dense<[0.5, 1.0, 2.0, 4.0]> : tensor<4xf32>
  %u = arith.constant dense<0.5> : tensor<f32>
  %low = arith.constant 0xff800000 : f32
  %one = arith.constant 1.0 : f32
  %w = tensor.empty() : tensor<2xf32>
  %e = tensor.empty() : tensor<1x2x2xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %g = linalg.fill ins(%one : f32) outs(%e : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %x = qdq.dequantize %q scale %s semantics #onnx : (tensor<1x4x2xi8>, tensor<f32>) -> tensor<1x4x2xf32>
  %y = qdq.dequantize %q scale %t axis 1 semantics #onnx : (tensor<1x4x2xi8>, tensor<4xf32>) -> tensor<1x4x2xf32>
  %z = qdq.dequantize %q scale %u semantics #onnx : (tensor<1x4x2xi8>, tensor<f32>) -> tensor<1x4x2xf32>
  %a = linalg.pooling_nwc_max {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
    ins(%x, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%f : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %b = linalg.pooling_nwc_max {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
    ins(%y, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%f : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %c = linalg.pooling_nwc_max {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
    ins(%z, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%g : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  return %a, %b, %c : tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>
}

// Padding with -inf wins in no window: it becomes the lowest code. No op of linalg pools unsigned codes in this layout.
// CHECK-LABEL: func @padded_pool
func.func @padded_pool(%q: tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xf32> {
  // CHECK: %[[LOW:.*]] = arith.constant 0 : i8
  // CHECK: tensor.pad
  // CHECK: tensor.yield %[[LOW]] : i8
  // CHECK: linalg.generic
  // CHECK: arith.maxui {{.*}} : i8
  // CHECK: qdq.dequantize
  // REALS-LABEL: func @padded_pool
  // REALS: qdq.dequantize
  // REALS: linalg.pooling_nchw_max {
  %s = arith.constant dense<0.5> : tensor<f32>
  %low = arith.constant 0xff800000 : f32
  %x = qdq.dequantize %q scale %s semantics #onnx : (tensor<1x2x4x4xui8>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %i: index, %j: index):
    tensor.yield %low : f32
  } : tensor<1x2x4x4xf32> to tensor<1x2x6x6xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x2x2x2xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %y = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%p, %w : tensor<1x2x6x6xf32>, tensor<3x3xf32>) outs(%f : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// Three of padding fill a window of two, and a window with gaps may lie beside the elements: it stays -inf. So does
// padding above the lowest code.
// CHECK-LABEL: func @windows_of_padding
func.func @windows_of_padding(%q: tensor<1x4x2xi8>) -> (tensor<1x6x2xf32>, tensor<1x4x2xf32>, tensor<1x5x2xf32>) {
  // CHECK-COUNT-3: } : tensor<1x4x2xf32> to tensor
  // CHECK: return
  %s = arith.constant dense<0.5> : tensor<f32>
  %low = arith.constant 0xff800000 : f32
  %some = arith.constant 0.3 : f32
  %x = qdq.dequantize %q scale %s semantics #onnx : (tensor<1x4x2xi8>, tensor<f32>) -> tensor<1x4x2xf32>
  %w = tensor.empty() : tensor<2xf32>
  %a = tensor.pad %x low[0, 3, 0] high[0, 0, 0] {
  ^bb0(%n: index, %i: index, %c: index):
    tensor.yield %low : f32
  } : tensor<1x4x2xf32> to tensor<1x7x2xf32>
  %b = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%n: index, %i: index, %c: index):
    tensor.yield %low : f32
  } : tensor<1x4x2xf32> to tensor<1x6x2xf32>
  %c = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%n: index, %i: index, %c: index):
    tensor.yield %some : f32
  } : tensor<1x4x2xf32> to tensor<1x6x2xf32>
  %e6 = tensor.empty() : tensor<1x6x2xf32>
  %f6 = linalg.fill ins(%low : f32) outs(%e6 : tensor<1x6x2xf32>) -> tensor<1x6x2xf32>
  %e4 = tensor.empty() : tensor<1x4x2xf32>
  %f4 = linalg.fill ins(%low : f32) outs(%e4 : tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %e5 = tensor.empty() : tensor<1x5x2xf32>
  %f5 = linalg.fill ins(%low : f32) outs(%e5 : tensor<1x5x2xf32>) -> tensor<1x5x2xf32>
  %p = linalg.pooling_nwc_max ins(%a, %w : tensor<1x7x2xf32>, tensor<2xf32>) outs(%f6 : tensor<1x6x2xf32>) -> tensor<1x6x2xf32>
  %r = linalg.pooling_nwc_max {dilations = dense<2> : tensor<1xi64>} ins(%b, %w : tensor<1x6x2xf32>, tensor<2xf32>) outs(%f4 : tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %t = linalg.pooling_nwc_max ins(%c, %w : tensor<1x6x2xf32>, tensor<2xf32>) outs(%f5 : tensor<1x5x2xf32>) -> tensor<1x5x2xf32>
  return %p, %r, %t : tensor<1x6x2xf32>, tensor<1x4x2xf32>, tensor<1x5x2xf32>
}

// Constants of i1 are bits: they are transposed at run time. Attributes of other dialects stay.
// CHECK-LABEL: func @transpose_bits
func.func @transpose_bits(%q: tensor<2x2xi1>, %s: tensor<1x2xf32>) -> tensor<2x2xf32> {
  // CHECK-DAG: %[[Z:.*]] = arith.constant dense<{{\[\[}}true, false]]> : tensor<1x2xi1>
  // CHECK-DAG: linalg.transpose ins(%{{.*}} : tensor<2x2xi1>) {{.*}} {other.tag = 1 : i64}
  // CHECK-DAG: linalg.transpose ins(%[[Z]] : tensor<1x2xi1>)
  // CHECK: qdq.dequantize
  %z = arith.constant dense<[[true, false]]> : tensor<1x2xi1>
  %x = qdq.dequantize %q scale %s zero_point %z block_shape [2, 1] : (tensor<2x2xi1>, tensor<1x2xf32>, tensor<1x2xi1>) -> tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %t = linalg.transpose ins(%x : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) permutation = [1, 0] {other.tag = 1}
  return %t : tensor<2x2xf32>
}

// The bias of a convolution in groups, and relu, go above the reshape of its result; the quantize follows.
// CHECK-LABEL: func @convolution_in_groups
// CHECK: %[[C:.*]] = linalg.conv_2d_ngchw_gfchw
// CHECK: %[[B:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [2, 3]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[C]], %[[B]] : tensor<1x2x3x4x4xf32>, tensor<2x3xf32>)
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<1x2x3x4x4xf32>)
// CHECK: %[[Q:.*]] = qdq.quantize %[[R]]
// CHECK: tensor.collapse_shape %[[Q]] {{.*}} : tensor<1x2x3x4x4xi8> into tensor<1x6x4x4xi8>
func.func @convolution_in_groups(%x: tensor<1x2x5x4x4xf32>, %w: tensor<2x3x5x1x1xf32>, %init: tensor<1x2x3x4x4xf32>, %b: tensor<6xf32>, %s: f32)
    -> tensor<1x6x4x4xi8> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<1x2x5x4x4xf32>, tensor<2x3x5x1x1xf32>) outs(%init : tensor<1x2x3x4x4xf32>) -> tensor<1x2x3x4x4xf32>
  %m = tensor.collapse_shape %c [[0], [1, 2], [3], [4]] : tensor<1x2x3x4x4xf32> into tensor<1x6x4x4xf32>
  %e = tensor.empty() : tensor<1x6x4x4xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(n, c, y, x) -> (n, c, y, x)>, affine_map<(n, c, y, x) -> (c)>, affine_map<(n, c, y, x) -> (n, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%m, %b : tensor<1x6x4x4xf32>, tensor<6xf32>) outs(%e : tensor<1x6x4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x6x4x4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, c, y, x) -> (n, c, y, x)>, affine_map<(n, c, y, x) -> (n, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<1x6x4x4xf32>) outs(%e : tensor<1x6x4x4xf32>) {
  ^bb0(%p: f32, %out: f32):
    %t = arith.maximumf %p, %zero : f32
    linalg.yield %t : f32
  } -> tensor<1x6x4x4xf32>
  %q = qdq.quantize %r scale %s : (tensor<1x6x4x4xf32>, f32) -> tensor<1x6x4x4xi8>
  return %q : tensor<1x6x4x4xi8>
}

// Not where nothing quantizes the result.
// CHECK-LABEL: func @convolution_in_groups_of_reals
// CHECK: %[[M:.*]] = tensor.collapse_shape
// CHECK: linalg.generic {{.*}} ins(%[[M]]
func.func @convolution_in_groups_of_reals(%x: tensor<1x2x5x4x4xf32>, %w: tensor<2x3x5x1x1xf32>, %init: tensor<1x2x3x4x4xf32>) -> tensor<1x6x4x4xf32> {
  %c = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<1x2x5x4x4xf32>, tensor<2x3x5x1x1xf32>) outs(%init : tensor<1x2x3x4x4xf32>) -> tensor<1x2x3x4x4xf32>
  %m = tensor.collapse_shape %c [[0], [1, 2], [3], [4]] : tensor<1x2x3x4x4xf32> into tensor<1x6x4x4xf32>
  %e = tensor.empty() : tensor<1x6x4x4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, c, y, x) -> (n, c, y, x)>, affine_map<(n, c, y, x) -> (n, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%m : tensor<1x6x4x4xf32>) outs(%e : tensor<1x6x4x4xf32>) {
  ^bb0(%p: f32, %out: f32):
    %t = arith.negf %p : f32
    linalg.yield %t : f32
  } -> tensor<1x6x4x4xf32>
  return %r : tensor<1x6x4x4xf32>
}

// Blocks of 8 of 16 are 2 rows of 4, after a dimension of 1.
// CHECK-LABEL: func @dequantize_blocked_expand_unit
// CHECK-SAME: %[[Q:.*]]: tensor<16xi8>, %[[S:.*]]: tensor<2xf32>
func.func @dequantize_blocked_expand_unit(%q: tensor<16xi8>, %s: tensor<2xf32>) -> tensor<1x4x4xf32> {
  // CHECK: %[[C:.*]] = tensor.expand_shape %[[Q]]
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[S]] {{.*}} into tensor<1x2x1xf32>
  // CHECK: qdq.dequantize %[[C]] scale %[[E]] block_shape [1, 2, 0]
  %x = qdq.dequantize %q scale %s block_shape [8] : (tensor<16xi8>, tensor<2xf32>) -> tensor<16xf32>
  %y = tensor.expand_shape %x [[0, 1, 2]] output_shape [1, 4, 4] : tensor<16xf32> into tensor<1x4x4xf32>
  return %y : tensor<1x4x4xf32>
}

// Of n rows of 8, blocks of 16 are ceil(n / 2).
// CHECK-LABEL: func @dequantize_blocked_expand_dynamic
// CHECK-SAME: %[[Q:.*]]: tensor<?xi8>, %[[S:.*]]: tensor<?xf32>
func.func @dequantize_blocked_expand_dynamic(%q: tensor<?xi8>, %s: tensor<?xf32>, %n: index) -> tensor<?x8xf32> {
  // CHECK: %[[C:.*]] = tensor.expand_shape %[[Q]]
  // CHECK: %[[D:.*]] = tensor.dim %[[C]]
  // CHECK: %[[N:.*]] = affine.apply #[[HALF]]()[%[[D]]]
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[S]] {{.*}} output_shape [%[[N]], 1]
  // CHECK: qdq.dequantize %[[C]] scale %[[E]] block_shape [2, 0]
  %x = qdq.dequantize %q scale %s block_shape [16] : (tensor<?xi8>, tensor<?xf32>) -> tensor<?xf32>
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%n, 8] : tensor<?xf32> into tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// 0.0 has one code in all channels of the first, and two codes in those of the second.
// CHECK-LABEL: func @quantize_axis_pad
func.func @quantize_axis_pad(%x: tensor<2x6xf32>) -> (tensor<2x7xi8>, tensor<2x7xi8>) {
  // CHECK: %[[Q:.*]] = qdq.quantize %{{.*}} -> tensor<2x6xi8>
  // CHECK: %[[V:.*]] = arith.constant 3 : i8
  // CHECK: tensor.pad %[[Q]]
  // CHECK: tensor.yield %[[V]] : i8
  // CHECK: } : tensor<2x6xf32> to tensor<2x7xf32>
  // CHECK: qdq.quantize %{{.*}} -> tensor<2x7xi8>
  %s = arith.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %same = arith.constant dense<[3, 3]> : tensor<2xi8>
  %others = arith.constant dense<[3, 4]> : tensor<2xi8>
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x6xf32> to tensor<2x7xf32>
  %a = qdq.quantize %p scale %s zero_point %same axis 0 semantics #onnx : (tensor<2x7xf32>, tensor<2xf32>, tensor<2xi8>) -> tensor<2x7xi8>
  %r = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x6xf32> to tensor<2x7xf32>
  %b = qdq.quantize %r scale %s zero_point %others axis 0 semantics #onnx : (tensor<2x7xf32>, tensor<2xf32>, tensor<2xi8>) -> tensor<2x7xi8>
  return %a, %b : tensor<2x7xi8>, tensor<2x7xi8>
}

// The initial value is not known.
// CHECK-LABEL: func @quantize_pool_from_argument
func.func @quantize_pool_from_argument(%x: tensor<1x2x4x4xf32>, %init: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xi8> {
  // CHECK: linalg.pooling_nchw_max {{.*}} -> tensor<1x2x2x2xf32>
  // CHECK: qdq.quantize
  %s = arith.constant 0.5 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %y = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : tensor<1x2x4x4xf32>, tensor<2x2xf32>) outs(%init : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %q = qdq.quantize %y scale %s semantics #onnx : (tensor<1x2x2x2xf32>, f32) -> tensor<1x2x2x2xi8>
  return %q : tensor<1x2x2x2xi8>
}

// The last index has more than 64 bits: wrong at run time only.
// CHECK-LABEL: func @slice_beyond_64_bits
// CHECK: qdq.dequantize
// CHECK: tensor.extract_slice
func.func @slice_beyond_64_bits(%q: tensor<?xi8>, %s: tensor<?xf32>) -> tensor<2xf32> {
  %x = qdq.dequantize %q scale %s block_shape [32] : (tensor<?xi8>, tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.extract_slice %x[9223372036854775807] [2] [1] : tensor<?xf32> to tensor<2xf32>
  return %r : tensor<2xf32>
}

// MLIR accepts a slice of an open size that it refuses of the parameter: an
// empty one, and one that would be wrong at run time.
// CHECK-LABEL: func @slices_outside_the_parameter
func.func @slices_outside_the_parameter(%q: tensor<?x?xi8>, %s: tensor<0xf32>, %t: tensor<3xf32>) -> (tensor<1x0xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  // CHECK: qdq.dequantize {{.*}} axis 1
  // CHECK: qdq.dequantize {{.*}} axis 1
  // CHECK: tensor.extract_slice {{.*}} : tensor<?x?xf32> to tensor<1x0xf32>
  // CHECK: tensor.extract_slice {{.*}} : tensor<?x?xf32> to tensor<1x2xf32>
  // CHECK: qdq.dequantize {{.*}} axis 1 {{.*}} -> tensor<1x2xf32>
  %x = qdq.dequantize %q scale %s axis 1 : (tensor<?x?xi8>, tensor<0xf32>) -> tensor<?x?xf32>
  %y = qdq.dequantize %q scale %t axis 1 : (tensor<?x?xi8>, tensor<3xf32>) -> tensor<?x?xf32>
  %a = tensor.extract_slice %x[0, 0] [1, 0] [1, 1] : tensor<?x?xf32> to tensor<1x0xf32>
  %b = tensor.extract_slice %y[0, 2] [1, 2] [1, 1] : tensor<?x?xf32> to tensor<1x2xf32>
  %c = tensor.extract_slice %y[0, 1] [1, 2] [1, 1] : tensor<?x?xf32> to tensor<1x2xf32>
  return %a, %b, %c : tensor<1x0xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

// A scalar of blocks, a dimension before the axis, one block of all, and a
// dropped block.
// CHECK-LABEL: func @slices_without_dimensions
func.func @slices_without_dimensions(%q: tensor<4x8xi8>, %s: tensor<2x2xf32>, %t: tensor<8xf32>, %u: tensor<4x1xf32>) -> (tensor<f32>, tensor<8xf32>, tensor<4x3xf32>, tensor<8xf32>) {
  // CHECK: %[[A:.*]] = tensor.extract_slice %{{.*}}[1, 1] [1, 1] [1, 1] : tensor<2x2xf32> to tensor<f32>
  // CHECK: qdq.dequantize %{{.*}} scale %[[A]] : (tensor<i8>, tensor<f32>) -> tensor<f32>
  // CHECK: qdq.dequantize %{{.*}} axis 0 : (tensor<8xi8>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: qdq.dequantize %{{.*}} block_shape [1, 0] : (tensor<4x3xi8>, tensor<4x1xf32>) -> tensor<4x3xf32>
  // CHECK: qdq.dequantize %{{.*}} block_shape [4] : (tensor<8xi8>, tensor<2xf32>) -> tensor<8xf32>
  %x = qdq.dequantize %q scale %s block_shape [2, 4] : (tensor<4x8xi8>, tensor<2x2xf32>) -> tensor<4x8xf32>
  %y = qdq.dequantize %q scale %t axis 1 : (tensor<4x8xi8>, tensor<8xf32>) -> tensor<4x8xf32>
  %z = qdq.dequantize %q scale %u block_shape [1, 0] : (tensor<4x8xi8>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %a = tensor.extract_slice %x[2, 5] [1, 1] [1, 1] : tensor<4x8xf32> to tensor<f32>
  %b = tensor.extract_slice %y[2, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
  %c = tensor.extract_slice %z[0, 2] [4, 3] [1, 2] : tensor<4x8xf32> to tensor<4x3xf32>
  %d = tensor.extract_slice %x[3, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
  return %a, %b, %c, %d : tensor<f32>, tensor<8xf32>, tensor<4x3xf32>, tensor<8xf32>
}

// Steps over blocks, an open size and an open step: who knows where they end.
// CHECK-LABEL: func @slices_of_blocks_that_stay
func.func @slices_of_blocks_that_stay(%q: tensor<128xi8>, %s: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<?xf32>, tensor<8xf32>, tensor<0xf32>) {
  // CHECK: qdq.dequantize
  // CHECK-COUNT-4: tensor.extract_slice {{.*}} : tensor<128xf32>
  %x = qdq.dequantize %q scale %s block_shape [32] : (tensor<128xi8>, tensor<4xf32>) -> tensor<128xf32>
  %a = tensor.extract_slice %x[0] [4] [32] : tensor<128xf32> to tensor<4xf32>
  %b = tensor.extract_slice %x[8] [%n] [1] : tensor<128xf32> to tensor<?xf32>
  %c = tensor.extract_slice %x[0] [8] [%n] : tensor<128xf32> to tensor<8xf32>
  %d = tensor.extract_slice %x[8] [0] [1] : tensor<128xf32> to tensor<0xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<?xf32>, tensor<8xf32>, tensor<0xf32>
}

// From NaN on; too many codes; codes of floats; another type of result; a
// window that may be empty.
// CHECK-LABEL: func @pools_of_codes_that_stay
func.func @pools_of_codes_that_stay(%q: tensor<1x4x2xi8>, %i: tensor<1x4x2xi32>, %f: tensor<1x4x2xf8E4M3FN>, %open: tensor<?xf32>)
    -> (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf64>, tensor<1x?x2xf32>) {
  // CHECK-COUNT-4: linalg.pooling_nwc_max {{.*}} -> tensor<1x2x2xf{{[36]}}
  // CHECK: linalg.pooling_nwc_max {{.*}} -> tensor<1x?x2xf32>
  %s = arith.constant 0.5 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %lowest64 = arith.constant 0xFFF0000000000000 : f64
  %n = arith.constant 2 : index
  %w = tensor.empty() : tensor<2xf32>
  %e = tensor.empty() : tensor<1x2x2xf32>
  %e64 = tensor.empty() : tensor<1x2x2xf64>
  %eopen = tensor.empty(%n) : tensor<1x?x2xf32>
  %from = linalg.fill ins(%lowest : f32) outs(%e : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %fromnan = linalg.fill ins(%nan : f32) outs(%e : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %from64 = linalg.fill ins(%lowest64 : f64) outs(%e64 : tensor<1x2x2xf64>) -> tensor<1x2x2xf64>
  %fromopen = linalg.fill ins(%lowest : f32) outs(%eopen : tensor<1x?x2xf32>) -> tensor<1x?x2xf32>
  %x = qdq.dequantize %q scale %s semantics #onnx : (tensor<1x4x2xi8>, f32) -> tensor<1x4x2xf32>
  %y = qdq.dequantize %i scale %s semantics #onnx : (tensor<1x4x2xi32>, f32) -> tensor<1x4x2xf32>
  %z = qdq.dequantize %f scale %s semantics #onnx : (tensor<1x4x2xf8E4M3FN>, f32) -> tensor<1x4x2xf32>
  %a = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%fromnan : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %b = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%y, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%from : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %c = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%z, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%from : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %d = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%from64 : tensor<1x2x2xf64>) -> tensor<1x2x2xf64>
  %g = linalg.pooling_nwc_max ins(%x, %open : tensor<1x4x2xf32>, tensor<?xf32>) outs(%fromopen : tensor<1x?x2xf32>) -> tensor<1x?x2xf32>
  return %a, %b, %c, %d, %g : tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf64>, tensor<1x?x2xf32>
}

// Padding that is no constant, that others read, or that fills a window.
// CHECK-LABEL: func @padded_pools_that_stay
func.func @padded_pools_that_stay(%q: tensor<1x4x2xi8>, %p: f32, %h: index) -> (tensor<1x4x2xf32>, tensor<1x4x2xf32>, tensor<1x5x2xf32>, tensor<1x4x2xf32>, tensor<1x5x2xf32>) {
  // CHECK-COUNT-2: linalg.pooling_nwc_max {{.*}} -> tensor<1x4x2xf32>
  // CHECK: linalg.pooling_nwc_max {{.*}} -> tensor<1x5x2xf32>
  // CHECK: linalg.pooling_nwc_max {{.*}} -> tensor<1x4x2xf32>
  %s = arith.constant 0.5 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<2xf32>
  %e4 = tensor.empty() : tensor<1x4x2xf32>
  %e5 = tensor.empty() : tensor<1x5x2xf32>
  %f4 = linalg.fill ins(%lowest : f32) outs(%e4 : tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %f5 = linalg.fill ins(%lowest : f32) outs(%e5 : tensor<1x5x2xf32>) -> tensor<1x5x2xf32>
  %x = qdq.dequantize %q scale %s semantics #onnx : (tensor<1x4x2xi8>, f32) -> tensor<1x4x2xf32>
  %a = tensor.pad %x low[0, 0, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %p : f32
  } : tensor<1x4x2xf32> to tensor<1x5x2xf32>
  %b = tensor.pad %x low[0, 1, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %lowest : f32
  } : tensor<1x4x2xf32> to tensor<1x5x2xf32>
  %c = tensor.pad %x low[0, 0, 0] high[0, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %lowest : f32
  } : tensor<1x4x2xf32> to tensor<1x6x2xf32>
  %d = tensor.pad %x low[0, 0, 0] high[0, %h, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %lowest : f32
  } : tensor<1x4x2xf32> to tensor<1x5x2xf32>
  %ya = linalg.pooling_nwc_max ins(%a, %w : tensor<1x5x2xf32>, tensor<2xf32>) outs(%f4 : tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %yb = linalg.pooling_nwc_max ins(%b, %w : tensor<1x5x2xf32>, tensor<2xf32>) outs(%f4 : tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %yc = linalg.pooling_nwc_max ins(%c, %w : tensor<1x6x2xf32>, tensor<2xf32>) outs(%f5 : tensor<1x5x2xf32>) -> tensor<1x5x2xf32>
  %yd = linalg.pooling_nwc_max ins(%d, %w : tensor<1x5x2xf32>, tensor<2xf32>) outs(%f4 : tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  return %ya, %yb, %yc, %yd, %b : tensor<1x4x2xf32>, tensor<1x4x2xf32>, tensor<1x5x2xf32>, tensor<1x4x2xf32>, tensor<1x5x2xf32>
}

// A falling scale; one whose reciprocal is infinite; codes that wrap; NaN that
// is not the highest; an infinite zero point.
// CHECK-LABEL: func @quantized_pools_that_stay
func.func @quantized_pools_that_stay(%x: tensor<1x4x2xf32>) -> (tensor<1x2x2xi8>, tensor<1x2x2xi8>, tensor<1x2x2xi8>, tensor<1x2x2xi8>, tensor<1x2x2xi8>) {
  // CHECK-COUNT-5: linalg.pooling_nwc_max {{.*}} -> tensor<1x2x2xf32>
  %s = arith.constant 0.5 : f32
  %falling = arith.constant -0.5 : f32
  %tiny = arith.constant 1.0e-40 : f32
  %inf = arith.constant 0x7F800000 : f32
  %w = tensor.empty() : tensor<2xf32>
  %e = tensor.empty() : tensor<1x2x2xf32>
  %from = linalg.fill ins(%falling : f32) outs(%e : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %ya = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%from : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %yb = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%from : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %yc = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%from : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %yd = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%from : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %ye = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<1x4x2xf32>, tensor<2xf32>) outs(%from : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %a = qdq.quantize %ya scale %falling semantics #onnx : (tensor<1x2x2xf32>, f32) -> tensor<1x2x2xi8>
  %b = qdq.quantize %yb scale %tiny semantics <rounding = nearest-even, order = round-then-add, division = reciprocal, compute = f32, subtract = wide, overflow = saturate, nan = highest, fusion = none, float_overflow = saturate> : (tensor<1x2x2xf32>, f32) -> tensor<1x2x2xi8>
  %c = qdq.quantize %yc scale %s semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = wrap, nan = highest, fusion = none, float_overflow = saturate> : (tensor<1x2x2xf32>, f32) -> tensor<1x2x2xi8>
  %d = qdq.quantize %yd scale %s semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate> : (tensor<1x2x2xf32>, f32) -> tensor<1x2x2xi8>
  %f = qdq.quantize %ye scale %s zero_point %inf semantics #onnx : (tensor<1x2x2xf32>, f32, f32) -> tensor<1x2x2xi8>
  return %a, %b, %c, %d, %f : tensor<1x2x2xi8>, tensor<1x2x2xi8>, tensor<1x2x2xi8>, tensor<1x2x2xi8>, tensor<1x2x2xi8>
}
