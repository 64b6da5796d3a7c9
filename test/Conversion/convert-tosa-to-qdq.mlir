// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tosa.rescale becomes a requantization, and a cast from scaled blocks a dequantization.
// RUN: quant-opt %s --convert-tosa-to-qdq | FileCheck %s

// CHECK: #[[$B:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>

// CHECK-LABEL: @single
// CHECK: qdq.requantize %{{.*}} rescale <fixed31-single> multiplier %{{.*}} shift %{{.*}} zero_point %{{.*}} semantics {{.*}} : (tensor<?x4xi32>, i32, i8, i8) -> tensor<?x4xi8>
// CHECK-NOT: tosa
func.func @single(%x: tensor<?x4xi32>) -> tensor<?x4xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %t = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zo = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.rescale %x, %m, %t, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
    : (tensor<?x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x4xi8>
  return %y : tensor<?x4xi8>
}

// Unsigned codes, on both sides.
// CHECK-LABEL: @unsigned
// CHECK-DAG: %[[ZERO:.*]] = {{(arith.constant dense<200> :|tensor.bitcast .* to)}} tensor<ui8>
// CHECK: arith.extui
// CHECK: %[[CODES:.*]] = qdq.requantize {{.*}} rescale <fixed31-double> {{.*}} zero_point %[[ZERO]] axis 1 {{.*}} -> tensor<4x2xui8>
// CHECK: tensor.bitcast %[[CODES]] : tensor<4x2xui8> to tensor<4x2xi8>
func.func @unsigned(%x: tensor<4x2xi8>) -> tensor<4x2xi8> {
  %m = "tosa.const"() <{values = dense<[1073741824, 1200000000]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %t = "tosa.const"() <{values = dense<[33, 34]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %zi = "tosa.const"() <{values = dense<200> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zo = "tosa.const"() <{values = dense<200> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.rescale %x, %m, %t, %zi, %zo {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = true, input_unsigned = true, output_unsigned = true}
    : (tensor<4x2xi8>, tensor<2xi32>, tensor<2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x2xi8>
  return %y : tensor<4x2xi8>
}

// 48 bits are read as 64. The multiplier is a value.
// CHECK-LABEL: @wide
// CHECK: arith.extsi %{{.*}} : i48 to i64
// CHECK: qdq.requantize {{.*}} rescale <fixed15> {{.*}} : (tensor<4xi64>, tensor<i16>, i8) -> tensor<4xi16>
func.func @wide(%x: tensor<4xi48>, %m: tensor<1xi16>) -> tensor<4xi16> {
  %t = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %y = tosa.rescale %x, %m, %t, %zi, %zo {scale32 = false, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
    : (tensor<4xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<4xi16>
  return %y : tensor<4xi16>
}

// CHECK-LABEL: @cast_from_block_scaled
// CHECK: qdq.dequantize %{{.*}} scale %{{.*}} block_shape [1, 32] {{.*}} : (tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU>) -> tensor<?x64xbf16>
func.func @cast_from_block_scaled(%x: tensor<?x64xf4E2M1FN>, %s: tensor<?x2xf8E8M0FNU>) -> tensor<?x64xbf16> {
  %y = tosa.cast_from_block_scaled %x, %s {block_size = #tosa.block_size<BLOCK_SIZE_32>} : (tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU>) -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// The scale of a block with a NaN or an infinity is NaN: marked by the largest scale.
// CHECK-LABEL: @cast_to_block_scaled
// CHECK: arith.cmpf uno
// CHECK: %[[CHOSEN:.*]] = qdq.choose_params %{{.*}} mode <symmetric> storage f4E2M1FN power_of_two <fit> block_shape [1, 32] {{.*}} : (tensor<?x64xbf16>) -> tensor<?x2xf8E8M0FNU>
// CHECK: %[[SCALE:.*]] = linalg.generic {{.*}} ins(%[[CHOSEN]]
// CHECK: qdq.quantize %{{.*}} scale %[[SCALE]] block_shape [1, 32] {{.*}} : (tensor<?x64xbf16>, tensor<?x2xf8E8M0FNU>) -> tensor<?x64xf4E2M1FN>
// CHECK-NOT: tosa
func.func @cast_to_block_scaled(%x: tensor<?x64xbf16>) -> (tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU>) {
  %y, %s = tosa.cast_to_block_scaled %x {block_size = #tosa.block_size<BLOCK_SIZE_32>} : (tensor<?x64xbf16>) -> (tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU>)
  return %y, %s : tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU>
}

// One matrix for all of a is a map of two dimensions.
// CHECK-LABEL: @matmul_t_block_scaled
// CHECK-COUNT-2: qdq.dequantize
// CHECK: linalg.contract indexing_maps = [{{.*}}, #[[$B]], {{.*}}] ins(%{{.*}}, %{{.*}} : tensor<3x5x64xf32>, tensor<4x64xf32>)
// CHECK-NOT: tosa
func.func @matmul_t_block_scaled(%p: tensor<3x5x64xf8E4M3FN>, %s: tensor<3x5x2xf8E8M0FNU>, %q: tensor<1x4x64xf8E4M3FN>, %t: tensor<1x4x2xf8E8M0FNU>) -> tensor<3x5x4xf32> {
  %y = tosa.matmul_t_block_scaled %p, %s, %q, %t {block_size = #tosa.block_size<BLOCK_SIZE_32>}
    : (tensor<3x5x64xf8E4M3FN>, tensor<3x5x2xf8E8M0FNU>, tensor<1x4x64xf8E4M3FN>, tensor<1x4x2xf8E8M0FNU>) -> tensor<3x5x4xf32>
  return %y : tensor<3x5x4xf32>
}
