// RUN: quant-opt %s --transform-interpreter --verify-diagnostics

#id = affine_map<(i) -> (i)>
func.func @f(%x: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error@+1 {{'linalg.generic' would itself be replaced: expected what holds all of its values, such as a function}}
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %generics = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.qdq.vectorize %generics : !transform.any_op
    transform.yield
  }
}
