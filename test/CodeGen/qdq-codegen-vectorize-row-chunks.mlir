// RUN: quant-opt %s --lower-quant=target=linalg --qdq-codegen-vectorize --canonicalize --split-input-file | FileCheck %s

// Odd rows of i4: eight rows, which begin at a byte, are unpacked to a buffer of
// bytes that is as large for all of them, and read from there.
// CHECK-LABEL: func @odd_rows
// CHECK-SAME: (%[[X:.*]]: tensor<128128xi8>, %[[S:.*]]: tensor<256x32xf32>)
// CHECK: %[[C8:.*]] = arith.constant 8 : index
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %[[C8]]
// CHECK: %[[FIRST:.*]] = affine.apply #{{.*}}()[%[[ROW]]]
// CHECK: %[[COUNT:.*]] = affine.min #{{.*}}()[%[[ROW]]]
// CHECK: %[[BUFFER:.*]] = bufferization.alloc_tensor() : tensor<8192xi8>
// CHECK: tensor.extract_slice %[[X]][%[[FIRST]]] [%[[COUNT]]] [1]
// CHECK: tensor.extract_slice %[[BUFFER]][0]
// CHECK: vector.interleave
// CHECK: tensor.extract_slice %{{.*}}[0] [8008] [1]
// CHECK: tensor.expand_shape %{{.*}} output_shape [8, 1001]
// CHECK: arith.sitofp %{{.*}} : vector<16xi{{4|32}}> to vector<16xf32>
func.func @odd_rows(%x: tensor<128128xi8>, %s: tensor<256x32xf32>) -> tensor<256x1001xf32> {
  %q = qdq.unpack %x packing <onnx> : (tensor<128128xi8>) -> tensor<256x1001xi4>
  %r = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<256x1001xi4>, tensor<256x32xf32>) -> tensor<256x1001xf32>
  return %r : tensor<256x1001xf32>
}

// -----

// Codes of 6 bits of dynamic sizes: what is behind the last word is unpacked
// once, in front of the loop, and the size of the buffer is known there.
// CHECK-LABEL: func @dynamic_words
// CHECK: %[[REST:.*]] = linalg.generic
// CHECK: arith.ceildivui
// CHECK: scf.for
// CHECK: %[[BUFFER:.*]] = bufferization.alloc_tensor(%{{.*}}) : tensor<?xi8>
// CHECK: tensor.insert_slice %[[REST]] into %[[BUFFER]]
// CHECK: vector.shuffle
// CHECK: tensor.reshape
func.func @dynamic_words(%x: tensor<?xi8>, %m: index, %n: index, %s: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %q = qdq.unpack %x packing <onnx> sizes(%m, %n) : (tensor<?xi8>, index, index) -> tensor<?x?xf6E3M2FN>
  %r = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<?x?xf6E3M2FN>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Few codes, and codes that two ops read, are unpacked as a whole.
// CHECK-LABEL: func @few
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: return
func.func @few(%x: tensor<132xi8>, %s: tensor<8x2xf32>) -> tensor<8x33xf32> {
  %q = qdq.unpack %x packing <onnx> : (tensor<132xi8>) -> tensor<8x33xi4>
  %r = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<8x33xi4>, tensor<8x2xf32>) -> tensor<8x33xf32>
  return %r : tensor<8x33xf32>
}

// -----

// CHECK-LABEL: func @two_readers
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: return
func.func @two_readers(%x: tensor<128128xi8>, %s: tensor<256x32xf32>, %t: tensor<256x32xf32>) -> (tensor<256x1001xf32>, tensor<256x1001xf32>) {
  %q = qdq.unpack %x packing <onnx> : (tensor<128128xi8>) -> tensor<256x1001xi4>
  %r = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<256x1001xi4>, tensor<256x32xf32>) -> tensor<256x1001xf32>
  %u = qdq.dequantize %q scale %t block_shape [1, 32] : (tensor<256x1001xi4>, tensor<256x32xf32>) -> tensor<256x1001xf32>
  return %r, %u : tensor<256x1001xf32>, tensor<256x1001xf32>
}
