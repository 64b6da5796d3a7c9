// RUN: mlir-opt %s --linalg-fuse-elementwise-ops | FileCheck %s

// No iteration: the result is the initial value, here of an empty tensor.
// CHECK-LABEL: func.func @no_iteration
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2xi32>
// CHECK: outs(%[[E]] : tensor<2xi32>)
func.func @no_iteration(%x: tensor<0xi8>, %init: tensor<2xi32>) -> tensor<2xi32> {
  %zero = arith.constant 0 : i32
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<0xi8>) outs(%init : tensor<2xi32>) {
  ^bb0(%a: i8, %b: i32):
    %r = arith.andi %b, %zero : i32
    linalg.yield %r : i32
  } -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// The first two elements are of an empty tensor.
// CHECK-LABEL: func.func @shifted
// CHECK: %[[E:.*]] = tensor.empty() : tensor<6xf32>
// CHECK: outs(%[[E]] : tensor<6xf32>)
func.func @shifted(%x: tensor<4xf32>, %init: tensor<6xf32>) -> tensor<6xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i + 2)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%init : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
