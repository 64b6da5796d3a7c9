// RUN: quant-opt %s --convert-qdq-to-linalg=block-form=map | FileCheck %s --check-prefix=MAP
// RUN: quant-opt %s --convert-qdq-to-linalg=block-form=expand | FileCheck %s --check-prefix=EXPAND
// RUN: quant-opt %s --convert-qdq-to-linalg=runtime-checks | FileCheck %s --check-prefix=ASSERT

// MAP-LABEL: func @dequantize_blocked_4x64
// MAP-NOT: tensor.expand_shape
// MAP: tensor.extract
// EXPAND-LABEL: func @dequantize_blocked_4x64
// EXPAND: tensor.expand_shape
func.func @dequantize_blocked_4x64(%q: tensor<4x64xi8>, %s: tensor<4x2xf32>) -> tensor<4x64xf32> {
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<4x64xi8>, tensor<4x2xf32>) -> tensor<4x64xf32>
  return %x : tensor<4x64xf32>
}

// Only what is not known statically is asserted.
// ASSERT-LABEL: func @dequantize_per_axis_dyn
// ASSERT-COUNT-1: cf.assert %{{.*}}, "qdq: dimension 0 of a scale or zero point does not match the value's shape"
// ASSERT-NOT: cf.assert
// ASSERT: linalg.generic
func.func @dequantize_per_axis_dyn(%q: tensor<4x?xi8>, %s: tensor<?xf32>, %z: i8) -> tensor<4x?xf32> {
  %x = qdq.dequantize %q scale %s zero_point %z axis 1 : (tensor<4x?xi8>, tensor<?xf32>, i8) -> tensor<4x?xf32>
  return %x : tensor<4x?xf32>
}
