// RUN: mlir-opt %s --eliminate-empty-tensors | FileCheck %s

// CHECK-LABEL: func @branch
// CHECK: %[[OUT:.*]] = bufferization.to_tensor %{{.*}} : memref<3xf32> to tensor<3xf32>
// CHECK: %[[CAST:.*]] = tensor.cast %[[OUT]]
// CHECK: %[[FILLED:.*]] = linalg.fill ins(%{{.*}}) outs(%[[CAST]] : tensor<?xf32>)
// CHECK: tensor.dim %[[FILLED]]
func.func @branch(%x: tensor<3xf32>, %n: index, %c: i1, %out: memref<3xf32>) -> index {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.if %c -> tensor<3xf32> {
    scf.yield %x : tensor<3xf32>
  } else {
    %cast = tensor.cast %a : tensor<?xf32> to tensor<3xf32>
    scf.yield %cast : tensor<3xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<3xf32>, memref<3xf32>) -> ()
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  return %d : index
}
