// RUN: quant-opt %s --convert-qdq-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @quantize_per_tensor_4xdyn
// CHECK-SAME: %[[X:.*]]: tensor<4x?xf32>
func.func @quantize_per_tensor_4xdyn(%x: tensor<4x?xf32>) -> tensor<4x?xi8> {
  // CHECK: %[[DIM:.*]] = tensor.dim %[[X]]
  // CHECK: %[[INIT:.*]] = tensor.empty(%[[DIM]]) : tensor<4x?xi8>
  // CHECK: %[[Q:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
  // CHECK-SAME: ins(%[[X]] : tensor<4x?xf32>) outs(%[[INIT]] : tensor<4x?xi8>)
  // CHECK: ^bb0(%[[IN:.*]]: f32,
  // CHECK-DAG: %[[SCALE:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK-DAG: %[[ZP:.*]] = arith.constant 3 : i8
  // CHECK: %[[R:.*]] = arith.divf %[[IN]], %[[SCALE]] : f32
  // CHECK: arith.cmpf ogt, %[[R]]
  // CHECK: arith.select
  // CHECK: arith.cmpf olt
  // CHECK: %[[BOUNDED:.*]] = arith.select
  // CHECK: %[[ROUNDED:.*]] = math.roundeven %[[BOUNDED]]
  // CHECK: arith.fptosi %[[ROUNDED]]
  // CHECK: %[[Z:.*]] = arith.extsi %[[ZP]]
  // CHECK: arith.addi %{{.*}}, %[[Z]] : i32
  // CHECK: arith.trunci
  // CHECK: return %[[Q]]
  %s = arith.constant 0.5 : f32
  %z = arith.constant 3 : i8
  %q = qdq.quantize %x scale %s zero_point %z : (tensor<4x?xf32>, f32, i8) -> tensor<4x?xi8>
  return %q : tensor<4x?xi8>
}

// -----

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[AXIS:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @quantize_per_axis_unsigned
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<8xf32>, %[[Z:.*]]: tensor<8xui8>
func.func @quantize_per_axis_unsigned(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %z: tensor<8xui8>) -> tensor<4x8xui8> {
  // CHECK: %[[ZI:.*]] = tensor.bitcast %[[Z]] : tensor<8xui8> to tensor<8xi8>
  // CHECK: %[[Q:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[AXIS]], #[[AXIS]], #[[ID]]]
  // CHECK-SAME: ins(%[[X]], %[[S]], %[[ZI]] :
  // CHECK: arith.extui
  // CHECK: tensor.bitcast %[[Q]] : tensor<4x8xi8> to tensor<4x8xui8>
  %q = qdq.quantize %x scale %s zero_point %z axis -1 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xui8>) -> tensor<4x8xui8>
  return %q : tensor<4x8xui8>
}

// -----

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[BLOCK:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @dequantize_blocked_dynx64
func.func @dequantize_blocked_dynx64(%q: tensor<?x64xi4>, %s: tensor<?x2xf32>) -> tensor<?x64xf16> {
  // CHECK: %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [%{{.*}}, 2, 32] : tensor<?x64xi4> into tensor<?x2x32xi4>
  // CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[BLOCK]], #[[ID]]], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[E]],
  // CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : tensor<?x2x32xf16> into tensor<?x64xf16>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<?x64xi4>, tensor<?x2xf32>) -> tensor<?x64xf16>
  return %x : tensor<?x64xf16>
}

// -----

// Dimensions that share one parameter leave the operand: its map is a projected permutation.
// CHECK-DAG: #[[COL:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @dequantize_blocked_whole_dims
func.func @dequantize_blocked_whole_dims(%q: tensor<4x64xi8>, %s: tensor<1x64xf32>, %z: tensor<1x64xi8>) -> tensor<4x64xf32> {
  // CHECK-COUNT-2: tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<1x64x
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[COL]], #[[COL]], #{{.*}}]
  %x = qdq.dequantize %q scale %s zero_point %z block_shape [0, 1] : (tensor<4x64xi8>, tensor<1x64xf32>, tensor<1x64xi8>) -> tensor<4x64xf32>
  return %x : tensor<4x64xf32>
}

// -----

// CHECK-LABEL: func @dequantize_blocked_short_tail
// CHECK-SAME: %[[Q:.*]]: tensor<4x100xi8>, %[[S:.*]]: tensor<4x4xf32>
func.func @dequantize_blocked_short_tail(%q: tensor<4x100xi8>, %s: tensor<4x4xf32>) -> tensor<4x100xf32> {
  // CHECK: linalg.generic {{.*}} ins(%[[Q]] : tensor<4x100xi8>)
  // CHECK-DAG: %[[ROW:.*]] = linalg.index 0
  // CHECK-DAG: %[[COL:.*]] = linalg.index 1
  // CHECK: %[[BLOCK:.*]] = arith.divui %[[COL]], %{{.*}}
  // CHECK: tensor.extract %[[S]][%[[ROW]], %[[BLOCK]]]
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<4x100xi8>, tensor<4x4xf32>) -> tensor<4x100xf32>
  return %x : tensor<4x100xf32>
}

// -----

// CHECK-LABEL: func @dequantize_rank0_and_empty
func.func @dequantize_rank0_and_empty(%q: tensor<i8>, %e: tensor<0x4xi8>, %s: tensor<f32>, %es: tensor<0x1xf32>) -> (tensor<f32>, tensor<0x4xf32>) {
  // CHECK: linalg.generic {{.*}}iterator_types = []
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
  %a = qdq.dequantize %q scale %s : (tensor<i8>, tensor<f32>) -> tensor<f32>
  %b = qdq.dequantize %e scale %es block_shape [2, 4] : (tensor<0x4xi8>, tensor<0x1xf32>) -> tensor<0x4xf32>
  return %a, %b : tensor<f32>, tensor<0x4xf32>
}

// -----

// All zeros emit nothing; neither do equal scales load anything.
// CHECK-LABEL: func @dequantize_per_axis_neutral
func.func @dequantize_per_axis_neutral(%q: tensor<4x2xi8>) -> tensor<4x2xf32> {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x2xi8>)
  // CHECK-NOT: arith.subi
  // CHECK: arith.mulf
  %s = arith.constant dense<0.5> : tensor<2xf32>
  %z = arith.constant dense<0> : tensor<2xi8>
  %x = qdq.dequantize %q scale %s zero_point %z axis 1 : (tensor<4x2xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<4x2xf32>
  return %x : tensor<4x2xf32>
}

// -----

// Modulo 2^32 a zero still changes codes of 2^31 and more: it stays.
// CHECK-LABEL: func @dequantize_wrap32_unsigned_zero
func.func @dequantize_wrap32_unsigned_zero(%q: tensor<4xui32>, %s: f32) -> tensor<4xf32> {
  // CHECK: arith.subi
  %z_bits = arith.constant dense<0> : tensor<i32>
  %z = tensor.bitcast %z_bits : tensor<i32> to tensor<ui32>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = wrap32> : (tensor<4xui32>, f32, tensor<ui32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @quantize_unranked_axis_from_the_back
// CHECK-SAME: %[[X:.*]]: tensor<*xf32>
func.func @quantize_unranked_axis_from_the_back(%x: tensor<*xf32>, %s: tensor<?xf32>) -> tensor<*xi8> {
  // CHECK: %[[SHAPE:.*]] = tensor.generate
  // CHECK: %[[FLAT:.*]] = tensor.reshape %[[X]](%{{.*}}) : (tensor<*xf32>, tensor<3xindex>) -> tensor<?x?x?xf32>
  // CHECK: %[[Q:.*]] = linalg.generic {{.*}}ins(%[[FLAT]],
  // CHECK: tensor.reshape %[[Q]](%[[SHAPE]]) : (tensor<?x?x?xi8>, tensor<?xindex>) -> tensor<*xi8>
  %q = qdq.quantize %x scale %s axis -1 : (tensor<*xf32>, tensor<?xf32>) -> tensor<*xi8>
  return %q : tensor<*xi8>
}

// -----

// CHECK-LABEL: func @choose_params_per_tensor
func.func @choose_params_per_tensor(%x: tensor<?x?xf32>) -> (tensor<f32>, tensor<ui8>) {
  // CHECK: %[[RANGE:.*]]:2 = linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]
  // CHECK: arith.cmpf olt
  // CHECK: arith.cmpf ogt
  // CHECK: linalg.generic {{.*}} ins(%[[RANGE]]#0, %[[RANGE]]#1 :
  // CHECK: arith.divf
  %s, %z = qdq.choose_params %x : (tensor<?x?xf32>) -> (tensor<f32>, tensor<ui8>)
  return %s, %z : tensor<f32>, tensor<ui8>
}

// -----

// Zero is in every range, so a short block may be padded with it.
// CHECK-LABEL: func @choose_params_blocked_short_tail
func.func @choose_params_blocked_short_tail(%x: tensor<3x100xf32>) -> (tensor<1x4xf32>, tensor<1x4xi8>) {
  // CHECK: tensor.pad %{{.*}} low[0, 0] high[0, 28]
  // CHECK: tensor.expand_shape %{{.*}} : tensor<3x128xf32> into tensor<3x4x32xf32>
  // CHECK: iterator_types = ["reduction", "parallel", "reduction"]
  // CHECK: tensor.expand_shape %{{.*}} : tensor<4xf32> into tensor<1x4xf32>
  %s, %z = qdq.choose_params %x mode <symmetric> block_shape [0, 32] : (tensor<3x100xf32>) -> (tensor<1x4xf32>, tensor<1x4xi8>)
  return %s, %z : tensor<1x4xf32>, tensor<1x4xi8>
}

// -----

// How short the last block is, is known at run time.
// CHECK: #[[PAD:.*]] = affine_map<()[s0] -> (-s0 + (s0 ceildiv 32) * 32)>
// CHECK-LABEL: func @choose_params_blocked_dynamic
func.func @choose_params_blocked_dynamic(%x: tensor<3x?xf32>) -> (tensor<1x?xf32>, tensor<1x?xi8>) {
  // CHECK: %[[HIGH:.*]] = affine.apply #[[PAD]]()
  // CHECK: tensor.pad %{{.*}} low[0, 0] high[0, %[[HIGH]]]
  // The lowest number is kept, and the highest one.
  // CHECK: ^bb0(%[[X:.*]]: f32, %[[LOWEST:.*]]: f32, %[[HIGHEST:.*]]: f32):
  // CHECK: arith.cmpf olt, %[[X]], %[[LOWEST]]
  // CHECK: arith.cmpf ogt, %[[X]], %[[HIGHEST]]
  %s, %z = qdq.choose_params %x mode <symmetric> block_shape [0, 32] : (tensor<3x?xf32>) -> (tensor<1x?xf32>, tensor<1x?xi8>)
  return %s, %z : tensor<1x?xf32>, tensor<1x?xi8>
}

// -----

// OCP MX: the exponent of the range less that of the largest element, as the bits of an f8E8M0FNU.
// CHECK-LABEL: func @choose_params_blocked_power_of_two
func.func @choose_params_blocked_power_of_two(%x: tensor<4x64xf32>) -> tensor<4x2xf8E8M0FNU> {
  // CHECK: linalg.generic
  // CHECK: %[[SCALE:.*]] = linalg.generic
  // CHECK-NOT: arith.divf
  // CHECK: arith.bitcast %{{.*}} : f32 to i32
  // CHECK: arith.shrui
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E8M0FNU
  // CHECK: linalg.yield %{{.*}} : f8E8M0FNU
  // CHECK: return %[[SCALE]]
  %s = qdq.choose_params %x mode <symmetric> storage f8E4M3FN power_of_two <floor> block_shape [1, 32] : (tensor<4x64xf32>) -> tensor<4x2xf8E8M0FNU>
  return %s : tensor<4x2xf8E8M0FNU>
}

// -----

// An 8-bit scale is bounded in f32, then truncated once.
// CHECK-LABEL: func @choose_params_blocked_f8_scale
func.func @choose_params_blocked_f8_scale(%x: tensor<4x64xf32>) -> tensor<4x4xf8E4M3FN> {
  // CHECK-DAG: arith.constant 4.480000e+02 : f32
  // CHECK-DAG: arith.constant 9.765625E-4 : f32
  // CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FN
  // CHECK-NEXT: linalg.yield
  %s = qdq.choose_params %x mode <symmetric> storage f4E2M1FN block_shape [1, 16] : (tensor<4x64xf32>) -> tensor<4x4xf8E4M3FN>
  return %s : tensor<4x4xf8E4M3FN>
}

// -----

// CHECK-LABEL: func @choose_params_axis_unranked
func.func @choose_params_axis_unranked(%x: tensor<*xf32>) -> (tensor<?xf32>, tensor<?xi8>) {
  // CHECK: %[[FLAT:.*]] = tensor.reshape {{.*}} -> tensor<?x?x?xf32>
  // CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "reduction"]} ins(%[[FLAT]]
  %s, %z = qdq.choose_params %x axis -1 : (tensor<*xf32>) -> (tensor<?xf32>, tensor<?xi8>)
  return %s, %z : tensor<?xf32>, tensor<?xi8>
}

// -----

// The key of the generator comes from the operand.
// CHECK-LABEL: func @quantize_per_tensor_runtime_seed
// CHECK-SAME: %[[SEED:[^:]*]]: i64
func.func @quantize_per_tensor_runtime_seed(%seed: i64, %x: tensor<4xf32>, %s: f32) -> tensor<4xi8> {
  // CHECK: linalg.generic
  // CHECK: arith.shrui %[[SEED]]
  // CHECK: arith.trunci %[[SEED]] : i64 to i32
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> seed %seed : (tensor<4xf32>, f32, i64) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// -----

// Element (i, 32 * b + j) of a slice at (2, 64) of 8 rows of 128.
// CHECK-LABEL: func @stochastic_slice_of_blocks
func.func @stochastic_slice_of_blocks(%x: tensor<4x64xf32>, %s: tensor<4x2xf32>) -> tensor<4x64xi8> {
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: %[[ROW:.*]] = arith.addi %c2
  // CHECK: %[[B:.*]] = linalg.index 1
  // CHECK: %[[BLOCK:.*]] = arith.muli %[[B]], %c32
  // CHECK: %[[FIRST:.*]] = arith.addi %c64, %[[BLOCK]]
  // CHECK: %[[J:.*]] = linalg.index 2
  // CHECK: %[[COLUMN:.*]] = arith.addi %[[FIRST]],
  // CHECK: arith.muli %{{.*}}, %c128
  // CHECK: arith.addi %{{.*}}, %[[COLUMN]]
  %q = qdq.quantize %x scale %s block_shape [1, 32] semantics <rounding = stochastic> at [2, 64] of [8, 128] : (tensor<4x64xf32>, tensor<4x2xf32>) -> tensor<4x64xi8>
  return %q : tensor<4x64xi8>
}

// -----

// One scale for all rows, in a dimension whose size the type does not tell.
// CHECK-LABEL: func @whole_of_open_size
// CHECK-SAME: %{{.*}}: tensor<8x4xf32>, %[[S:.*]]: tensor<?x4xf32>
func.func @whole_of_open_size(%x: tensor<8x4xf32>, %s: tensor<?x4xf32>) -> tensor<8x4xi8> {
  // CHECK: %[[ONE:.*]] = tensor.cast %[[S]] : tensor<?x4xf32> to tensor<1x4xf32>
  // CHECK: tensor.collapse_shape %[[ONE]] {{.*}} : tensor<1x4xf32> into tensor<4xf32>
  %q = qdq.quantize %x scale %s block_shape [0, 1] : (tensor<8x4xf32>, tensor<?x4xf32>) -> tensor<8x4xi8>
  return %q : tensor<8x4xi8>
}

// -----

// NaN, in the scale of each block too: not the infinity that folds make of it.
// CHECK-LABEL: func @nan_of_f8E8M0FNU
// CHECK: arith.constant 0x7FC00000 : f32
// CHECK-NOT: arith.extf
// CHECK: return
func.func @nan_of_f8E8M0FNU(%x: tensor<1x32xi8>) -> tensor<1x32xf32> {
  %s = arith.constant dense<[[0xFF]]> : tensor<1x1xf8E8M0FNU>
  %r = qdq.dequantize %x scale %s block_shape [1, 32] : (tensor<1x32xi8>, tensor<1x1xf8E8M0FNU>) -> tensor<1x32xf32>
  return %r : tensor<1x32xf32>
}

// The cast says what the sizes are, and the type of its result does not.
// CHECK-LABEL: func.func @choose_params_blocked_of_cast(
// CHECK: tensor.expand_shape
func.func @choose_params_blocked_of_cast(%x: tensor<4x16x32xf32>) -> (tensor<2x?x32xf32>, tensor<2x?x32xui8>) {
  %c = tensor.cast %x : tensor<4x16x32xf32> to tensor<4x?x32xf32>
  %s, %z = qdq.choose_params %c mode <asymmetric> block_shape [2, 4, 1] : (tensor<4x?x32xf32>) -> (tensor<2x?x32xf32>, tensor<2x?x32xui8>)
  return %s, %z : tensor<2x?x32xf32>, tensor<2x?x32xui8>
}
