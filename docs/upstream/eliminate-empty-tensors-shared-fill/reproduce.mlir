// RUN: mlir-opt %s --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s

// %FIRST, the first product, overwrites the second before that is copied to %OTHER.
// CHECK-LABEL: func @two
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<3x4xi32>, %[[OTHER:[a-z0-9]*]]: memref<3x4xi32>)
// CHECK: linalg.fill {{.*}} outs(%[[OUT]]
// CHECK: memref.copy %[[OUT]], %[[FIRST:.*]] :
// CHECK: linalg.matmul {{.*}} outs(%[[FIRST]]
// CHECK: linalg.matmul {{.*}} outs(%[[OUT]]
// CHECK: memref.copy %[[FIRST]], %[[OUT]]
// CHECK: memref.copy %[[OUT]], %[[OTHER]]
func.func @two(%x: tensor<3x5xi8>, %y: tensor<5x4xi8>, %z: tensor<5x4xi8>, %out: memref<3x4xi32>, %other: memref<3x4xi32>) {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3x4xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<3x4xi32>) -> tensor<3x4xi32>
  %r = linalg.matmul ins(%x, %y : tensor<3x5xi8>, tensor<5x4xi8>) outs(%f : tensor<3x4xi32>) -> tensor<3x4xi32>
  %s = linalg.matmul ins(%x, %z : tensor<3x5xi8>, tensor<5x4xi8>) outs(%f : tensor<3x4xi32>) -> tensor<3x4xi32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<3x4xi32>, memref<3x4xi32>) -> ()
  bufferization.materialize_in_destination %s in restrict writable %other : (tensor<3x4xi32>, memref<3x4xi32>) -> ()
  return
}
