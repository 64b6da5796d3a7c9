// RUN: quant-opt %s --convert-qdq-to-arith --canonicalize | FileCheck %s

// CHECK-LABEL: func @scalar
func.func @scalar(%acc: i32, %m: f32, %z: i8) -> i8 {
  // CHECK: %[[X:.*]] = arith.sitofp %{{.*}} : i32 to f32
  // CHECK: %[[P:.*]] = arith.mulf %[[X]], %{{.*}} : f32
  // CHECK: arith.cmpf ogt, %[[P]]
  // CHECK: math.roundeven
  %q = qdq.requantize %acc rescale <f32> multiplier %m zero_point %z : (i32, f32, i8) -> i8
  return %q : i8
}

// CHECK-LABEL: func @vector_rows_and_columns
func.func @vector_rows_and_columns(%acc: vector<2x4xi32>, %rows: vector<2x1xf32>, %columns: vector<1x4xf32>, %s: f32) -> vector<2x4xui8> {
  // CHECK-DAG: vector.broadcast %{{.*}} : vector<2x1x1x1xf32> to vector<2x1x1x4xf32>
  // CHECK-DAG: vector.broadcast %{{.*}} : vector<1x1x4x1xf32> to vector<1x2x4x1xf32>
  // CHECK-DAG: vector.broadcast %{{.*}} : f32 to vector<2x4xf32>
  // CHECK-NOT: qdq
  %q = qdq.requantize %acc rescale <separate> multiplier %rows, %columns, %s block_shape [1, 1]
     : (vector<2x4xi32>, vector<2x1xf32>, vector<1x4xf32>, f32) -> vector<2x4xui8>
  return %q : vector<2x4xui8>
}

// CHECK-LABEL: func @vector_scalable
func.func @vector_scalable(%acc: vector<[4]xi32>, %m: i32, %t: i8) -> vector<[4]xi8> {
  // CHECK: arith.muli %{{.*}} : vector<[4]xi64>
  %q = qdq.requantize %acc rescale <fixed31-double> multiplier %m shift %t : (vector<[4]xi32>, i32, i8) -> vector<[4]xi8>
  return %q : vector<[4]xi8>
}
