// RUN: quant-opt %s --qdq-decompose-tensor-ops | FileCheck %s

// Upstream makes a zero of the element type, which this one has not.
// CHECK-LABEL: func.func private @quantized(
// CHECK: linalg.pack %{{.*}} : tensor<2x4x!quant
!q = !quant.uniform<i8:f32, 0.5>
func.func private @quantized(%q: tensor<2x4x!q>, %e: tensor<1x2x2x2x!q>) -> tensor<1x2x2x2x!q> {
  %k = linalg.pack %q inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<2x4x!q> -> tensor<1x2x2x2x!q>
  return %k : tensor<1x2x2x2x!q>
}
