// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of codes that begin inside a byte are unpacked as one row, in vectors, to
// a byte for each code.
// RUN: quant-opt %s --convert-qdq-to-linalg=element-ops --qdq-codegen-vectorize --convert-qdq-to-arith --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @odd_rows
// CHECK: scf.for
// CHECK: vector.interleave
// CHECK: vector.transfer_write {{.*}} : vector<{{[0-9x]+}}xi8>
// CHECK: tensor.expand_shape %{{.*}} output_shape [256, 1001] : tensor<256256xi8> into tensor<256x1001xi8>
// CHECK: arith.sitofp %{{.*}} : vector<16xi{{4|32}}> to vector<16xf32>
func.func @odd_rows(%x: tensor<128128xi8>, %s: tensor<256x32xf32>) -> tensor<256x1001xf32> {
  %q = qdq.unpack %x packing <onnx> : (tensor<128128xi8>) -> tensor<256x1001xi4>
  %r = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<256x1001xi4>, tensor<256x32xf32>) -> tensor<256x1001xf32>
  return %r : tensor<256x1001xf32>
}

// -----

// CHECK-LABEL: func @dynamic_words
// CHECK: scf.for
// CHECK: vector.shuffle
// CHECK: tensor.reshape %{{.*}} : (tensor<?xi8>, tensor<2xindex>) -> tensor<?x?xi8>
func.func @dynamic_words(%x: tensor<?xi8>, %m: index, %n: index, %s: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %q = qdq.unpack %x packing <onnx> sizes(%m, %n) : (tensor<?xi8>, index, index) -> tensor<?x?xf6E3M2FN>
  %r = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<?x?xf6E3M2FN>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
