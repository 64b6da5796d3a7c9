// RUN: qdq-consumers %s | FileCheck %s
// RUN: not qdq-consumers %S/Inputs/consumers-invalid.mlir 2>&1 | FileCheck %s --check-prefix=INVALID

// A slice that is put into a tensor, and the tiles of the tensor's users that use it.

// CHECK-LABEL: func @conversions
func.func @conversions(%part: tensor<16x32xf32>, %x: tensor<64x64xf32>, %s: tensor<64x2xf32>, %i: index) -> tensor<64x64xi4> {
  %y = tensor.insert_slice %part into %x[%i, 32] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<64x64xf32>
  // CHECK: %[[Y:.*]] = tensor.insert_slice
  // CHECK: %[[TILE:.*]] = tensor.extract_slice %[[Y]][%[[I:.*]], 32] [16, 32]
  // CHECK: %[[SCALES:.*]] = tensor.extract_slice %{{.*}}[%[[I]], 1] [16, 1]
  // CHECK: qdq.quantize %[[TILE]] scale %[[SCALES]] block_shape [1, 32] at [%[[I]], 32] of [64, 64] {keep = "me", tile_of_a_consumer}
  %q = qdq.quantize %y scale %s block_shape [1, 32] {keep = "me"} : (tensor<64x64xf32>, tensor<64x2xf32>) -> tensor<64x64xi4>
  return %q : tensor<64x64xi4>
}

// CHECK-LABEL: func @choose_params
func.func @choose_params(%part: tensor<16x64xf32>, %x: tensor<64x64xf32>) -> tensor<64x2xf32> {
  %y = tensor.insert_slice %part into %x[8, 0] [16, 64] [1, 1] : tensor<16x64xf32> into tensor<64x64xf32>
  // CHECK: qdq.choose_params %{{.*}} {tile_of_a_consumer} : (tensor<16x64xf32>) -> tensor<16x2xf32>
  %s = qdq.choose_params %y mode <symmetric> storage i4 block_shape [1, 32] : (tensor<64x64xf32>) -> tensor<64x2xf32>
  return %s : tensor<64x2xf32>
}

// CHECK-LABEL: func @packing
func.func @packing(%part: tensor<64x8xi4>, %q: tensor<64x64xi4>, %bytes: tensor<64x4xi8>, %c: tensor<64x32xi8>) -> (tensor<64x32xi8>, tensor<64x64xi4>) {
  %y = tensor.insert_slice %part into %q[0, 16] [64, 8] [1, 1] : tensor<64x8xi4> into tensor<64x64xi4>
  // CHECK: %[[A:.*]] = tensor.extract_slice %{{.*}}[0, 16] [64, 8]
  // CHECK: qdq.pack %[[A]] {{.*}} {tile_of_a_consumer} : (tensor<64x8xi4>) -> tensor<64x4xi8>
  %p = qdq.pack %y packing <bits = 4, axis = 1> : (tensor<64x64xi4>) -> tensor<64x32xi8>
  %d = tensor.insert_slice %bytes into %c[0, 8] [64, 4] [1, 1] : tensor<64x4xi8> into tensor<64x32xi8>
  // CHECK: %[[B:.*]] = tensor.extract_slice %{{.*}}[0, 8] [64, 4]
  // CHECK: qdq.unpack %[[B]] {{.*}} {tile_of_a_consumer} : (tensor<64x4xi8>) -> tensor<64x8xi4>
  %u = qdq.unpack %d packing <bits = 4, axis = 1> : (tensor<64x32xi8>) -> tensor<64x64xi4>
  return %p, %u : tensor<64x32xi8>, tensor<64x64xi4>
}

// Without an axis, rows that fill whole containers say which ones.
// CHECK-LABEL: func @packing_flat
func.func @packing_flat(%part: tensor<2x7xi4>, %q: tensor<8x7xi4>) -> tensor<28xi8> {
  %y = tensor.insert_slice %part into %q[4, 0] [2, 7] [1, 1] : tensor<2x7xi4> into tensor<8x7xi4>
  // CHECK: %[[FLAT:.*]] = tensor.collapse_shape
  // CHECK: %[[A:.*]] = tensor.extract_slice %[[FLAT]][28] [14] [1]
  // CHECK: qdq.pack %[[A]] packing <onnx> {tile_of_a_consumer} : (tensor<14xi4>) -> tensor<7xi8>
  %p = qdq.pack %y packing <onnx> : (tensor<8x7xi4>) -> tensor<28xi8>
  return %p : tensor<28xi8>
}

// INVALID-NOT: error:
// INVALID: error: has no tile for a tile of its operand
// INVALID-NOT: error:
