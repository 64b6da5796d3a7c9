// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --convert-qdq-to-linalg --qdq-codegen-vectorize=wide-vectors=true | FileCheck %s

// A vector of f16 has 32 lanes.
// CHECK-LABEL: func.func @rows_of_whole_vectors
// CHECK: vector.transfer_read %{{.*}} : tensor<{{.*}}xf8E4M3FN>, vector<32xf8E4M3FN>
// CHECK: vector.transfer_write %{{.*}} : vector<32xf32>
func.func @rows_of_whole_vectors(%x: tensor<4x128xf8E4M3FN>, %s: f32) -> tensor<4x128xf32> {
  %y = qdq.dequantize %x scale %s : (tensor<4x128xf8E4M3FN>, f32) -> tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}

// Else what is left over would be longer. Integers have no use for it.
// CHECK-LABEL: func.func @tail
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK-LABEL: func.func @integers
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
func.func @tail(%x: tensor<4x100xf8E4M3FN>, %s: f32) -> tensor<4x100xf32> {
  %y = qdq.dequantize %x scale %s : (tensor<4x100xf8E4M3FN>, f32) -> tensor<4x100xf32>
  return %y : tensor<4x100xf32>
}
func.func @integers(%x: tensor<4x128xi8>, %s: f32) -> tensor<4x128xf32> {
  %y = qdq.dequantize %x scale %s : (tensor<4x128xi8>, f32) -> tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}
