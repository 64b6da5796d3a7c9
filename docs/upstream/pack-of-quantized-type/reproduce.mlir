// RUN: not --crash mlir-opt %s --transform-interpreter 2>&1 | FileCheck %s

// CHECK: LLVM ERROR: Failed to infer result type(s)
!q = !quant.uniform<i8:f32, 0.5>
func.func private @pack(%q: tensor<2x4x!q>, %e: tensor<1x2x2x2x!q>) -> tensor<1x2x2x2x!q> {
  %k = linalg.pack %q inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<2x4x!q> -> tensor<1x2x2x2x!q>
  return %k : tensor<1x2x2x2x!q>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %p = transform.structured.match ops{["linalg.pack"]} in %root : (!transform.any_op) -> !transform.op<"linalg.pack">
    transform.structured.lower_pack %p : (!transform.op<"linalg.pack">)
      -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    transform.yield
  }
}
