// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --convert-qdq-to-linalg=element-ops=true --qdq-codegen-vectorize=wide-vectors=true | FileCheck %s

// Four vectors of f32 fill one of i8.
// CHECK-LABEL: func.func @rows_of_whole_vectors
// CHECK: qdq.encode %{{.*}} : (vector<64xf32>, vector<64xf32>) -> vector<64xi8>
// CHECK: vector.transfer_write %{{.*}} : vector<64xi8>
func.func @rows_of_whole_vectors(%x: tensor<4x128xf32>, %s: f32) -> tensor<4x128xi8> {
  %q = qdq.quantize %x scale %s : (tensor<4x128xf32>, f32) -> tensor<4x128xi8>
  return %q : tensor<4x128xi8>
}

// CHECK-LABEL: func.func @two_of_i16
// CHECK: qdq.encode %{{.*}} : (vector<32xf32>,
func.func @two_of_i16(%x: tensor<4x128xf32>, %s: f32) -> tensor<4x128xi16> {
  %q = qdq.quantize %x scale %s : (tensor<4x128xf32>, f32) -> tensor<4x128xi16>
  return %q : tensor<4x128xi16>
}

// Else what is left over would be longer.
// CHECK-LABEL: func.func @tail
// CHECK: qdq.encode %{{.*}} : (vector<16xf32>,
// CHECK-LABEL: func.func @dynamic
// CHECK: qdq.encode %{{.*}} : (vector<16xf32>,
func.func @tail(%x: tensor<4x100xf32>, %s: f32) -> tensor<4x100xi8> {
  %q = qdq.quantize %x scale %s : (tensor<4x100xf32>, f32) -> tensor<4x100xi8>
  return %q : tensor<4x100xi8>
}
func.func @dynamic(%x: tensor<?x?xf32>, %s: f32) -> tensor<?x?xi8> {
  %q = qdq.quantize %x scale %s : (tensor<?x?xf32>, f32) -> tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}

// No division.
// CHECK-LABEL: func.func @dequantize
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
func.func @dequantize(%x: tensor<4x128xi8>, %s: f32) -> tensor<4x128xf32> {
  %q = qdq.dequantize %x scale %s : (tensor<4x128xi8>, f32) -> tensor<4x128xf32>
  return %q : tensor<4x128xf32>
}
