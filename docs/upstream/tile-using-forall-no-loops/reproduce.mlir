// RUN: not --crash mlir-opt %s --transform-interpreter 2>&1 | FileCheck %s

// CHECK: PLEASE submit a bug report
#map = affine_map<(d0) -> (d0)>
func.func @negate(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
    ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_forall %op tile_sizes [0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
