// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discardable attributes and locations of casts are those of the qdq ops.
// RUN: quant-opt %s --convert-quant-to-qdq --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

!q = !quant.uniform<u8:f32, 0.5:10>

// CHECK-LABEL: func @casts(
// CHECK: qdq.quantize {{.*}} {note.layer = "conv", note.type = tensor<4xui8>} {{.*}} loc("model":1:2)
// CHECK: qdq.dequantize {{.*}} {note.layer = "relu"} {{.*}} loc("model":3:4)
func.func @casts(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = quant.qcast %x {note.layer = "conv", note.type = tensor<4x!q>} : tensor<4xf32> to tensor<4x!q> loc("model":1:2)
  %y = quant.dcast %q {note.layer = "relu"} : tensor<4x!q> to tensor<4xf32> loc("model":3:4)
  return %y : tensor<4xf32>
}
