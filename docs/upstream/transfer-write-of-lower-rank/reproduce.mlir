// RUN: mlir-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// The new buffer has 4 of the 16 elements of the result; nothing copies the others.
// CHECK-LABEL: func @f(
// CHECK: %[[NEW:.*]] = memref.alloc() {{.*}} : memref<1x4x4xf32>
// CHECK-NOT: memref.copy
// CHECK: vector.transfer_write %{{.*}}, %[[NEW]]
// CHECK: return %[[NEW]]
func.func @f(%x: tensor<1x4x4xf32> {bufferization.writable = false}, %v: vector<4xf32>) -> tensor<1x4x4xf32> {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_write %v, %x[%c0, %c0, %c0] {in_bounds = [true]} : vector<4xf32>, tensor<1x4x4xf32>
  return %0 : tensor<1x4x4xf32>
}
