// RUN: quant-opt %s --qdq-codegen-decompose-tensor-ops | FileCheck %s

// Upstream makes a zero of the element type, which this one has not.
// CHECK-LABEL: func.func private @quantized(
// CHECK: linalg.pack %{{.*}} : tensor<2x4x!quant
!q = !quant.uniform<i8:f32, 0.5>
func.func private @quantized(%q: tensor<2x4x!q>, %e: tensor<1x2x2x2x!q>) -> tensor<1x2x2x2x!q> {
  %k = linalg.pack %q inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<2x4x!q> -> tensor<1x2x2x2x!q>
  return %k : tensor<1x2x2x2x!q>
}

// Foreign ops keep signed types, which arith does not take.
// CHECK-LABEL: func.func @bitcast_signed
func.func @bitcast_signed(%x: tensor<4xui8>) -> tensor<4xi8> {
  // CHECK: tensor.bitcast %{{.*}} : tensor<4xui8> to tensor<4xi8>
  %y = tensor.bitcast %x : tensor<4xui8> to tensor<4xi8>
  return %y : tensor<4xi8>
}
