// RUN: quant-opt %s --qdq-flatten-transfers | FileCheck %s

// CHECK-LABEL: func @rows
// CHECK-SAME: index, %[[V:.*]]: vector<16x2xf32>
// CHECK: %[[FLAT:.*]] = vector.shape_cast %[[V]] : vector<16x2xf32> to vector<32xf32>
// CHECK: vector.transfer_write %[[FLAT]], %{{.*}} {in_bounds = [true]} : vector<32xf32>
func.func @rows(%m: memref<8x16x2xf32>, %i: index, %v: vector<16x2xf32>) {
  %c0 = arith.constant 0 : index
  vector.transfer_write %v, %m[%i, %c0, %c0] {in_bounds = [true, true]} : vector<16x2xf32>, memref<8x16x2xf32>
  return
}

// Rows with a gap between them stay.
// CHECK-LABEL: func @gap
// CHECK: vector.transfer_write %{{.*}} : vector<16x2xf32>, memref<16x2xf32, strided<[3, 1]>>
func.func @gap(%m: memref<16x2xf32, strided<[3, 1]>>, %v: vector<16x2xf32>) {
  %c0 = arith.constant 0 : index
  vector.transfer_write %v, %m[%c0, %c0] {in_bounds = [true, true]} : vector<16x2xf32>, memref<16x2xf32, strided<[3, 1]>>
  return
}

// CHECK-LABEL: func @one_element
// CHECK-SAME: %[[M:.*]]: memref<?xf32, strided<[4], offset: ?>>, %[[I:.*]]: index)
// CHECK: %[[E:.*]] = memref.load %[[M]][%[[I]]]
// CHECK: vector.broadcast %[[E]] : f32 to vector<4xf32>
func.func @one_element(%m: memref<?xf32, strided<[4], offset: ?>>, %i: index) -> vector<4xf32> {
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %m[%i], %zero {in_bounds = [true], permutation_map = affine_map<(d0) -> (0)>} : memref<?xf32, strided<[4], offset: ?>>, vector<4xf32>
  return %v : vector<4xf32>
}
