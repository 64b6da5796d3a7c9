// RUN: quant-opt %s --qdq-codegen-flatten-transfers | FileCheck %s

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

// Rows of an expanded buffer with a gap between them are read and written one
// by one, each flat.
// CHECK-LABEL: func @expanded_rows
// CHECK-SAME: %[[M:.*]]: memref<2x3x5xi8>
func.func @expanded_rows(%m: memref<2x3x5xi8>, %v: vector<3x2x2xi8>) -> vector<3x2x2xi8> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %s = memref.subview %m[0, 0, 0] [2, 3, 4] [1, 1, 1] : memref<2x3x5xi8> to memref<2x3x4xi8, strided<[15, 5, 1]>>
  %e = memref.expand_shape %s [[0], [1], [2, 3]] output_shape [2, 3, 2, 2] : memref<2x3x4xi8, strided<[15, 5, 1]>> into memref<2x3x2x2xi8, strided<[15, 5, 2, 1]>>
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK: vector.transfer_read %{{.*}}[%[[C0]], %[[C0]], %[[C0]]], {{.*}} vector<4xi8>
  // CHECK: vector.transfer_read %{{.*}}[%[[C0]], %[[C1]], %[[C0]]], {{.*}} vector<4xi8>
  // CHECK: vector.transfer_read %{{.*}}[%[[C0]], %[[C2]], %[[C0]]], {{.*}} vector<4xi8>
  // CHECK: vector.insert %{{.*}} [2] : vector<2x2xi8> into vector<3x2x2xi8>
  %r = vector.transfer_read %e[%c0, %c0, %c0, %c0], %zero {in_bounds = [true, true, true]} : memref<2x3x2x2xi8, strided<[15, 5, 2, 1]>>, vector<3x2x2xi8>
  // CHECK: vector.transfer_write %{{.*}}[%[[C0]], %[[C0]], %[[C0]]] {{.*}} vector<4xi8>
  // CHECK: vector.transfer_write %{{.*}}[%[[C0]], %[[C1]], %[[C0]]] {{.*}} vector<4xi8>
  // CHECK: vector.transfer_write %{{.*}}[%[[C0]], %[[C2]], %[[C0]]] {{.*}} vector<4xi8>
  vector.transfer_write %v, %e[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<3x2x2xi8>, memref<2x3x2x2xi8, strided<[15, 5, 2, 1]>>
  return %r : vector<3x2x2xi8>
}

// A mask is one of the transfer.
// CHECK-LABEL: func @masked
// CHECK: vector.mask {{.*}} { vector.transfer_read
func.func @masked(%x: memref<64xf32>, %i: index, %m: vector<1xi1>) -> vector<16xf32> {
  %p = arith.constant 0.0 : f32
  %r = vector.mask %m { vector.transfer_read %x[%i], %p {in_bounds = [true], permutation_map = affine_map<(d0) -> (0)>} : memref<64xf32>, vector<16xf32> } : vector<1xi1> -> vector<16xf32>
  return %r : vector<16xf32>
}

// Rows that ops make or take one by one are written and read so, though they
// lie together.
// CHECK-LABEL: func @joined_rows
// CHECK-SAME: memref<2x4xi8>, %[[A:.*]]: vector<4xi8>, %[[B:.*]]: vector<4xi8>
func.func @joined_rows(%m: memref<2x4xi8>, %a: vector<4xi8>, %b: vector<4xi8>) -> (vector<4xi8>, vector<4xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %none = arith.constant dense<0> : vector<2x4xi8>
  // CHECK-NOT: vector<8xi8>
  // CHECK: %[[X:.*]] = vector.transfer_read {{.*}} vector<4xi8>
  // CHECK: %[[Y:.*]] = vector.transfer_read {{.*}} vector<4xi8>
  %r = vector.transfer_read %m[%c0, %c0], %zero {in_bounds = [true, true]} : memref<2x4xi8>, vector<2x4xi8>
  %x = vector.extract %r[0] : vector<4xi8> from vector<2x4xi8>
  %y = vector.extract %r[1] : vector<4xi8> from vector<2x4xi8>
  %0 = vector.insert_strided_slice %a, %none {offsets = [0, 0], strides = [1]} : vector<4xi8> into vector<2x4xi8>
  %1 = vector.insert_strided_slice %b, %0 {offsets = [1, 0], strides = [1]} : vector<4xi8> into vector<2x4xi8>
  // CHECK: vector.transfer_write %[[A]], {{.*}} vector<4xi8>
  // CHECK: vector.transfer_write %[[B]], {{.*}} vector<4xi8>
  vector.transfer_write %1, %m[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xi8>, memref<2x4xi8>
  // CHECK: return %[[X]], %[[Y]]
  return %x, %y : vector<4xi8>, vector<4xi8>
}

// A fill without gaps is one loop, one with gaps a loop for each row.
// CHECK-LABEL: func.func @fills(
// CHECK: %[[ALL:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0, 1, 2]] : memref<4x?x8xf32> into memref<?xf32>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[ALL]] : memref<?xf32>)
// CHECK: %[[ROWS:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : memref<4x2x8xf32, strided<[32, 8, 1]>> into memref<4x16xf32, strided<[32, 1]>>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[ROWS]] : memref<4x16xf32, strided<[32, 1]>>)
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : memref<8xf32, strided<[2]>>)
func.func @fills(%a: memref<4x?x8xf32>, %b: memref<4x2x8xf32, strided<[32, 8, 1]>>, %c: memref<8xf32, strided<[2]>>, %x: f32) {
  linalg.fill ins(%x : f32) outs(%a : memref<4x?x8xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<4x2x8xf32, strided<[32, 8, 1]>>)
  linalg.fill ins(%x : f32) outs(%c : memref<8xf32, strided<[2]>>)
  return
}
