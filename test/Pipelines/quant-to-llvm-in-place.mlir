// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A private function that updates an argument and returns it copies nothing.
// RUN: quant-opt --quant-to-llvm=stop-after=buffers %s | FileCheck %s

// CHECK-LABEL: func.func private @append
// CHECK-SAME: %[[ROW:.*]]: memref<4xf32>, %[[AT:.*]]: index, %[[ROWS:.*]]: memref<8x4xf32>)
// CHECK-NOT: memref.alloc
// CHECK: %[[PLACE:.*]] = memref.subview %[[ROWS]][%[[AT]], 0]
// CHECK: memref.copy %[[ROW]], %[[PLACE]]
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func private @append(%row: tensor<4xf32>, %at: index, %rows: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %new = tensor.insert_slice %row into %rows[%at, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
  return %new : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @append_twice
// CHECK-SAME: %[[ROW:.*]]: memref<4xf32>{{.*}}, %[[AT:.*]]: index, %[[ROWS:.*]]: memref<8x4xf32>)
// CHECK-NOT: memref.copy
// CHECK: call @append(%[[ROW]], %[[AT]], %[[ROWS]])
// CHECK: call @append(%[[ROW]], %{{.*}}, %[[ROWS]])
// CHECK-NOT: memref.copy
// CHECK: return
func.func @append_twice(%row: tensor<4xf32>, %at: index, %rows: memref<8x4xf32>) {
  %c1 = arith.constant 1 : index
  %next = arith.addi %at, %c1 : index
  %old = bufferization.to_tensor %rows restrict writable : memref<8x4xf32> to tensor<8x4xf32>
  %one = call @append(%row, %at, %old) : (tensor<4xf32>, index, tensor<8x4xf32>) -> tensor<8x4xf32>
  %two = call @append(%row, %next, %one) : (tensor<4xf32>, index, tensor<8x4xf32>) -> tensor<8x4xf32>
  bufferization.materialize_in_destination %two in restrict writable %rows : (tensor<8x4xf32>, memref<8x4xf32>) -> ()
  return
}
