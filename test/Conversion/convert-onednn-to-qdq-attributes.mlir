// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes that other dialects put on an op, and its location, go to the
// qdq ops that stand for it; the op's own attributes do not.
// RUN: quant-opt %s --convert-onednn-to-qdq --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func @dequantize(
// CHECK: qdq.dequantize {{.*}} {mydialect.tag = "first"} : {{.*}} loc("d")
func.func @dequantize(%q: tensor<4xi8>) -> tensor<4xf32> {
  %x = "onednn_graph.dequantize"(%q) {scales = array<f32: 0.5>, onednn_graph.id = 3 : i64, mydialect.tag = "first"} : (tensor<4xi8>) -> tensor<4xf32> loc("d")
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func @quantize_f8(
// CHECK: qdq.quantize {{.*}} {mydialect.tag} : {{.*}} -> tensor<4xf16> loc("q")
// CHECK: qdq.quantize {{.*}} {mydialect.tag} : {{.*}} -> tensor<4xf8E5M2> loc("q")
func.func @quantize_f8(%x: tensor<4xf32>) -> tensor<4xf8E5M2> {
  %q = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>, mydialect.tag} : (tensor<4xf32>) -> tensor<4xf8E5M2> loc("q")
  return %q : tensor<4xf8E5M2>
}
