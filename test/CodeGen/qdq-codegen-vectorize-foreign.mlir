// RUN: quant-opt %s --qdq-codegen-vectorize | FileCheck %s

// A function without anything to vectorize stays as it is.
// CHECK-LABEL: func.func @foreign(
// CHECK-NEXT: tensor.cast
// CHECK-NEXT: tensor.cast
// CHECK-NEXT: arith.constant
// CHECK-NEXT: tensor.dim
// CHECK-NEXT: return
func.func @foreign(%x: tensor<8xf32>) -> index {
  %a = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
  %b = tensor.cast %a : tensor<?xf32> to tensor<8xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  return %d : index
}

// A division that upstream does not expand stays in its body.
// CHECK-LABEL: func.func @division(
// CHECK: linalg.generic
// CHECK: affine.apply
func.func @division(%s: tensor<8xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %a = affine.apply affine_map<(d0) -> (d0 floordiv -1)>(%i)
    %v = tensor.extract %s[%a] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// What is read goes nowhere: there is nothing to write in vectors.
// CHECK-LABEL: func.func @reads(
// CHECK-COUNT-2: linalg.generic
func.func @reads(%x: tensor<16x2xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, s) -> (i, s)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<16x2xi32>) {
  ^bb0(%b: i32):
    %s = linalg.index 1 : index
    %a = arith.index_cast %s : index to i32
    %h = arith.shrui %b, %a : i32
    linalg.yield
  }
  linalg.generic {indexing_maps = [affine_map<(i, s) -> (i, s)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x2xi32>) {
  ^bb0(%b: i32):
    linalg.yield
  }
  return
}

// An initial value beside an index of one loop of two: no reduction.
// CHECK-LABEL: func.func @index_and_initial_value(
// CHECK-SAME: %[[X:.*]]: tensor<1x8xi32>
// CHECK: %[[READ:.*]] = vector.transfer_read %[[X]]
// CHECK: %[[INDEX:.*]] = arith.index_cast %{{.*}} : vector<8xindex> to vector<8xi32>
// CHECK: arith.maxsi %[[INDEX]], %[[READ]] : vector<8xi32>
// CHECK: vector.transfer_write
func.func @index_and_initial_value(%x: tensor<1x8xi32>) -> tensor<1x8xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<1x8xi32>) {
  ^bb0(%out: i32):
    %j = linalg.index 1 : index
    %index = arith.index_cast %j : index to i32
    %max = arith.maxsi %index, %out : i32
    linalg.yield %max : i32
  } -> tensor<1x8xi32>
  return %r : tensor<1x8xi32>
}
