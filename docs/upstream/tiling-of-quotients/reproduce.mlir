// RUN: mlir-opt %s --transform-interpreter | FileCheck %s

// The tile from element 4 on reads x[1], x[1], x[1], x[2] in place of x[1], x[1], x[2], x[2].
// CHECK: #[[QUOTIENT:.*]] = affine_map<(d0) -> (d0 floordiv 3)>
// CHECK: scf.for %[[I:.*]] = %c0 to %c8 step %c4
// CHECK: %[[AT:.*]] = affine.apply #[[QUOTIENT]](%[[I]])
// CHECK: tensor.extract_slice %{{.*}}[%[[AT]]] [2] [1]
// CHECK: linalg.generic {indexing_maps = [#[[QUOTIENT]],
func.func @f(%x: tensor<3xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 3)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : tensor<3xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %op tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
