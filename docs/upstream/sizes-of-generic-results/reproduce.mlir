// RUN: mlir-opt %s --resolve-ranked-shaped-type-result-dims | FileCheck %s

// CHECK-DAG: #[[SUM:.*]] = affine_map<()[s0, s1] -> (s0 + s1)>
// CHECK-LABEL: func.func @sizes
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[LENGTH:.*]] = affine.apply #[[SUM]]
// CHECK: return %[[ZERO]], %[[LENGTH]]
func.func @sizes(%x: tensor<?xf32>, %y: tensor<?xf32>, %columns: tensor<?x?xf32>, %line: tensor<?xf32>) -> (index, index) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%columns : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i + j)>], iterator_types = ["reduction", "reduction"]} ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%line : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %0, %c1 : tensor<?x?xf32>
  %d1 = tensor.dim %1, %c0 : tensor<?xf32>
  return %d0, %d1 : index, index
}
