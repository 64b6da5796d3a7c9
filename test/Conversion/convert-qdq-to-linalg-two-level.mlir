// RUN: quant-opt %s --convert-qdq-to-linalg --split-input-file | FileCheck %s

// NVFP4: the block scales are f8E4M3FN codes with one f32 of their own. One loop, no tensor of scales.
// CHECK-DAG: #[[BLOCK:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @dequantize_nvfp4
// CHECK-SAME: %[[Q:.*]]: tensor<4x64xf4E2M1FN>, %[[S8:.*]]: tensor<4x4xf8E4M3FN>, %[[S32:.*]]: f32
func.func @dequantize_nvfp4(%q: tensor<4x64xf4E2M1FN>, %s8: tensor<4x4xf8E4M3FN>, %s32: f32) -> tensor<4x64xf32> {
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[BLOCK]], #{{.*}}], {{.*}} ins(%{{.*}}, %[[S8]] : tensor<4x4x16xf4E2M1FN>, tensor<4x4xf8E4M3FN>)
  // CHECK: ^bb0(%[[IN:.*]]: f4E2M1FN, %[[CODE:.*]]: f8E4M3FN,
  // CHECK: %[[WIDE:.*]] = arith.extf %[[CODE]] : f8E4M3FN to f32
  // CHECK: %[[SCALE:.*]] = arith.mulf %[[WIDE]], %[[S32]]
  // CHECK: %[[X:.*]] = arith.extf %[[IN]]
  // CHECK: arith.mulf %[[X]], %[[SCALE]]
  // CHECK-NOT: linalg.generic
  // CHECK-NOT: qdq.
  %s = qdq.dequantize %s8 scale %s32 : (tensor<4x4xf8E4M3FN>, f32) -> tensor<4x4xf32>
  %x = qdq.dequantize %q scale %s block_shape [1, 16] : (tensor<4x64xf4E2M1FN>, tensor<4x4xf32>) -> tensor<4x64xf32>
  return %x : tensor<4x64xf32>
}

// -----

// The same on the way in, packed.
// CHECK-LABEL: func @quantize_nvfp4_packed
func.func @quantize_nvfp4_packed(%x: tensor<4x64xf32>, %s8: tensor<4x4xf8E4M3FN>, %s32: tensor<f32>) -> tensor<128xi8> {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x4x8x2xf32>, tensor<4x4xf8E4M3FN>, tensor<f32>) outs(%{{.*}} : tensor<4x4x8xi8>)
  // CHECK-NOT: linalg.generic
  %s = qdq.dequantize %s8 scale %s32 : (tensor<4x4xf8E4M3FN>, tensor<f32>) -> tensor<4x4xf32>
  %q = qdq.quantize %x scale %s block_shape [1, 16] : (tensor<4x64xf32>, tensor<4x4xf32>) -> tensor<4x64xf4E2M1FN>
  %c = qdq.pack %q packing <onnx> : (tensor<4x64xf4E2M1FN>) -> tensor<128xi8>
  return %c : tensor<128xi8>
}

// -----

// MX INT8: the scale of a block is 2^(e - 127) * 2^-6.
// CHECK-LABEL: func @dequantize_mxint8
func.func @dequantize_mxint8(%q: tensor<4x64xi8>, %e: tensor<4x2xf8E8M0FNU>) -> tensor<4x64xf32> {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x2x32xi8>, tensor<4x2xf8E8M0FNU>)
  // CHECK-DAG: arith.constant 1.562500e-02 : f32
  // CHECK-DAG: arith.extf %{{.*}} : f8E8M0FNU to f32
  // CHECK-NOT: linalg.generic
  %c = arith.constant 0.015625 : f32
  %s = qdq.dequantize %e scale %c : (tensor<4x2xf8E8M0FNU>, f32) -> tensor<4x2xf32>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<4x64xi8>, tensor<4x2xf32>) -> tensor<4x64xf32>
  return %x : tensor<4x64xf32>
}

// -----

// Scales of scales in blocks: a loop for blocks of blocks (Q4_K).
// CHECK-LABEL: func @dequantize_super_blocks
func.func @dequantize_super_blocks(%q: tensor<4x512xi4>, %codes: tensor<4x16xui8>, %d: tensor<4x2xf16>) -> tensor<4x512xf32> {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x2x8x32xi4>, tensor<4x2x8xi8>, tensor<4x2xf16>)
  // CHECK-NOT: linalg.generic
  %s = qdq.dequantize %codes scale %d block_shape [1, 8] : (tensor<4x16xui8>, tensor<4x2xf16>) -> tensor<4x16xf32>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<4x512xi4>, tensor<4x16xf32>) -> tensor<4x512xf32>
  return %x : tensor<4x512xf32>
}

// -----

// Computed once where it would be computed for each element, for short blocks, and where another op reads it.
// CHECK-LABEL: func @scales_of_their_own
func.func @scales_of_their_own(%q: tensor<4x64xi8>, %codes: tensor<64xi8>, %short: tensor<4x3xi8>, %shared: tensor<4x2xi8>, %d: f32)
    -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x2xf32>) {
  // CHECK-COUNT-6: linalg.generic
  %s0 = qdq.dequantize %codes scale %d : (tensor<64xi8>, f32) -> tensor<64xf32>
  %0 = qdq.dequantize %q scale %s0 axis 1 : (tensor<4x64xi8>, tensor<64xf32>) -> tensor<4x64xf32>
  %s1 = qdq.dequantize %short scale %d : (tensor<4x3xi8>, f32) -> tensor<4x3xf32>
  %1 = qdq.dequantize %q scale %s1 block_shape [1, 24] : (tensor<4x64xi8>, tensor<4x3xf32>) -> tensor<4x64xf32>
  %s2 = qdq.dequantize %shared scale %d : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %2 = qdq.dequantize %q scale %s2 block_shape [1, 32] : (tensor<4x64xi8>, tensor<4x2xf32>) -> tensor<4x64xf32>
  return %0, %1, %2, %s2 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x2xf32>
}
