// Constants of unsigned elements, which MLIR 23 does not have.
// REQUIRES: mlir-22
// RUN: quant-opt %s --canonicalize | FileCheck %s

// The stored nibble is z - 1: 0xF is 0.
// CHECK-LABEL: func @fold_gptq_zero_points
func.func @fold_gptq_zero_points() -> (tensor<1x8xui4>, tensor<1x1xi32>) {
  // CHECK-DAG: arith.constant dense<{{\[\[}}0, 1, 2, 3, 4, 5, 6, 8]]> : tensor<1x8xui4>
  // CHECK-DAG: arith.constant dense<1985229295> : tensor<1x1xi32>
  // CHECK-NOT: qdq.
  %c = arith.constant dense<0x7543210F> : tensor<1x1xi32>
  %z = qdq.unpack %c packing <gptq-v1, part = zero-point> : (tensor<1x1xi32>) -> tensor<1x8xui4>
  // 0x7654 is read back as 0x7654, in 0x765431EF.
  %d = arith.constant dense<[[0, 15, 2, 4, 5, 6, 7, 8]]> : tensor<1x8xui4>
  %p = qdq.pack %d packing <gptq-v1, part = zero-point> : (tensor<1x8xui4>) -> tensor<1x1xi32>
  return %z, %p : tensor<1x8xui4>, tensor<1x1xi32>
}
