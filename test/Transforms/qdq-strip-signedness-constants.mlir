// Constants with a signedness, which MLIR 23 does not have.
// REQUIRES: mlir-22
// RUN: quant-opt %s --qdq-strip-signedness | FileCheck %s

// CHECK-LABEL: func @constants()
// CHECK: arith.constant dense<[1, 2, -56, -1]> : tensor<4xi8>
// CHECK: arith.constant dense_resource<blob> : tensor<4xi8>
// CHECK: arith.constant dense<-1> : tensor<4xi4>
func.func @constants() -> (tensor<4xui8>, tensor<4xsi8>, tensor<4xui4>) {
  %0 = arith.constant dense<[1, 2, 200, 255]> : tensor<4xui8>
  %1 = arith.constant dense_resource<blob> : tensor<4xsi8>
  %2 = arith.constant dense<15> : tensor<4xui4>
  return %0, %1, %2 : tensor<4xui8>, tensor<4xsi8>, tensor<4xui4>
}
