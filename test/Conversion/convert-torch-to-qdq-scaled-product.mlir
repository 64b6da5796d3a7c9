// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// aten._scaled_mm: two dequantizes in f32, a product, and the bias.
// RUN: quant-opt %s --convert-torch-to-qdq --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @one_scale(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf8E4M3FN>, %[[B:.*]]: tensor<8x16xf8E5M2>, %[[SA:.*]]: tensor<f32>, %[[SB:.*]]: tensor<f32>, %[[BIAS:.*]]: tensor<16xbf16>)
// CHECK-DAG: %[[X:.*]] = qdq.dequantize %[[A]] scale %[[SA]] semantics {{.*}} -> tensor<4x8xf32>
// CHECK-DAG: %[[Y:.*]] = qdq.dequantize %[[B]] scale %[[SB]] semantics {{.*}} -> tensor<8x16xf32>
// CHECK: %[[SUM:.*]] = linalg.matmul ins(%[[X]], %[[Y]] : tensor<4x8xf32>, tensor<8x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[BIAS]] : tensor<4x16xf32>, tensor<16xbf16>)
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.addf %{{.*}}, %[[WIDE]] : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @one_scale(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x16xf8E5M2>, %sa: tensor<f32>, %sb: tensor<f32>, %bias: tensor<16xbf16>) -> tensor<4x16xbf16> {
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 15 : i64}> : () -> !torch.int
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %y = "torch.operator"(%a, %b, %sa, %sb, %bias, %none, %dtype, %false) <{name = "torch.aten._scaled_mm"}>
     : (tensor<4x8xf8E4M3FN>, tensor<8x16xf8E5M2>, tensor<f32>, tensor<f32>, tensor<16xbf16>, !torch.none, !torch.int, !torch.bool) -> tensor<4x16xbf16>
  return %y : tensor<4x16xbf16>
}

// -----

// CHECK-LABEL: func.func @rows_and_columns(
// CHECK-DAG: %[[SA:.*]] = tensor.collapse_shape %{{.*}} {{.*}} : tensor<4x1xf32> into tensor<4xf32>
// CHECK-DAG: %[[SB:.*]] = tensor.collapse_shape %{{.*}} {{.*}} : tensor<1x16xf32> into tensor<16xf32>
// CHECK-DAG: qdq.dequantize %{{.*}} scale %[[SA]] axis 0
// CHECK-DAG: qdq.dequantize %{{.*}} scale %[[SB]] axis 1
// CHECK: linalg.matmul
// CHECK-NOT: linalg.generic
func.func @rows_and_columns(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x16xf8E4M3FN>, %sa: tensor<4x1xf32>, %sb: tensor<1x16xf32>) -> tensor<4x16xf32> {
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %y = "torch.operator"(%a, %b, %sa, %sb, %none, %none, %dtype, %false) <{name = "torch.aten._scaled_mm"}>
     : (tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN>, tensor<4x1xf32>, tensor<1x16xf32>, !torch.none, !torch.none, !torch.int, !torch.bool) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

// One row has one scale, which may be that of a row.
// CHECK-LABEL: func.func @one_row(
// CHECK-DAG: qdq.dequantize %{{.*}} scale %{{.*}} semantics {{.*}} : (tensor<1x8xf8E4M3FN>, tensor<f32>)
// CHECK-DAG: qdq.dequantize %{{.*}} scale %{{.*}} axis 1
// CHECK: linalg.matmul
func.func @one_row(%a: tensor<1x8xf8E4M3FN>, %b: tensor<8x16xf8E4M3FN>, %sa: tensor<1x1xf32>, %sb: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %y = "torch.operator"(%a, %b, %sa, %sb, %none, %none, %dtype, %false) <{name = "torch.aten._scaled_mm"}>
     : (tensor<1x8xf8E4M3FN>, tensor<8x16xf8E4M3FN>, tensor<1x1xf32>, tensor<1x16xf32>, !torch.none, !torch.none, !torch.int, !torch.bool) -> tensor<1x16xf32>
  return %y : tensor<1x16xf32>
}
