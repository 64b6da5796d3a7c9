// RUN: not mlir-opt %s --transform-interpreter 2>&1 | FileCheck %s

// CHECK: 'vector.multi_reduction' op destination type 'vector<1x8xi32>' is incompatible with source type 'vector<8xi32>'
func.func @f(%x: tensor<1x8xi32>) -> tensor<1x8xi32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<1x8xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 1 : index
    %index = arith.index_cast %i : index to i32
    %max = arith.maxsi %index, %out : i32
    linalg.yield %max : i32
  } -> tensor<1x8xi32>
  return %0 : tensor<1x8xi32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %op : !transform.any_op
    transform.yield
  }
}
