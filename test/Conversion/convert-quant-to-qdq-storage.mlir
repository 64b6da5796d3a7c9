// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float and quantile storage, as MLIR 23 has it.
// REQUIRES: mlir-23
// RUN: quant-opt %s --convert-quant-to-qdq | FileCheck %s

// CHECK-LABEL: func @floats(
// CHECK-SAME: tensor<4xf32>) -> tensor<4xf8E5M2>
// CHECK: qdq.quantize %{{.*}} scale %{{.*}} semantics <{{.*}}float_overflow = saturate{{.*}}> : (tensor<4xf32>, f32) -> tensor<4xf8E5M2>
func.func @floats(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<f8E5M2:f32, 0.5>> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<f8E5M2:f32, 0.5>>
  return %q : tensor<4x!quant.uniform<f8E5M2:f32, 0.5>>
}

// CHECK-LABEL: func @floats_per_axis(
// CHECK-SAME: tensor<4x2xf4E2M1FN>)
// CHECK: qdq.dequantize %{{.*}} scale %{{.*}} axis 1 {{.*}} : (tensor<4x2xf4E2M1FN>, tensor<2xbf16>) -> tensor<4x2xbf16>
func.func @floats_per_axis(%q: tensor<4x2x!quant.uniform<f4E2M1FN:bf16:1, {0.5, 2.0}>>) -> tensor<4x2xbf16> {
  %x = quant.dcast %q : tensor<4x2x!quant.uniform<f4E2M1FN:bf16:1, {0.5, 2.0}>> to tensor<4x2xbf16>
  return %x : tensor<4x2xbf16>
}

// A code is the place of a value in a table.
!q = !quant.uniform<!quant.quantile<ui2:f16, {-1.0, -0.5, 0.0, 1.0}>:f32, 0.5>
// CHECK-LABEL: func @quantiles(
// CHECK-SAME: tensor<?xui2>)
// CHECK: %[[TABLE:.*]] = arith.constant dense<[-1.000000e+00, -5.000000e-01, 0.000000e+00, 1.000000e+00]> : tensor<4xf16>
// CHECK: %[[VALUES:.*]] = linalg.generic
// CHECK: %[[PLACE:.*]] = arith.index_castui %{{.*}} : i2 to index
// CHECK: tensor.extract %[[TABLE]][%[[PLACE]]] : tensor<4xf16>
// CHECK: qdq.dequantize %[[VALUES]] scale %{{.*}} : (tensor<?xf16>, f32) -> tensor<?xf32>
func.func @quantiles(%q: tensor<?x!q>) -> tensor<?xf32> {
  %x = quant.dcast %q : tensor<?x!q> to tensor<?xf32>
  return %x : tensor<?xf32>
}

// CHECK-LABEL: func @quantile(
// CHECK-NOT: linalg
// CHECK: tensor.extract
// CHECK: qdq.dequantize {{.*}} : (f16, f32) -> f32
func.func @quantile(%q: !q) -> f32 {
  %x = quant.dcast %q : !q to f32
  return %x : f32
}
