// RUN: quant-opt %s --convert-qdq-to-linalg --canonicalize --split-input-file | FileCheck %s
// RUN: quant-opt %s --convert-qdq-to-linalg=runtime-checks --split-input-file | FileCheck %s --check-prefix=CHECKS
// RUN: not quant-opt %s --convert-qdq-to-linalg=rounding=stochastic --split-input-file 2>&1 | FileCheck %s --check-prefix=DRAW

// A column's multiplier is an operand; a constant shift is folded into the masks.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @fixed_axis
// The fixed kinds have a rounding of their own.
// DRAW-NOT: error
func.func @fixed_axis(%acc: tensor<4x8xi32>, %m: tensor<8xi32>) -> tensor<4x8xi8> {
  %t = arith.constant 40 : i8
  // CHECK-DAG: %[[HALF:.*]] = arith.constant 549755813888 : i64
  // CHECK-DAG: %[[T:.*]] = arith.constant 40 : i64
  // CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[COLUMN]], #[[ALL]]]
  // CHECK: %[[P:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
  // CHECK: %[[SUM:.*]] = arith.addi %[[P]], %[[HALF]] : i64
  // CHECK: %[[V:.*]] = arith.shrsi %[[SUM]], %[[T]] : i64
  // CHECK: arith.maxsi %[[V]]
  // CHECK: arith.minsi
  // CHECK: arith.trunci %{{.*}} : i64 to i8
  %q = qdq.requantize %acc rescale <fixed31-single> multiplier %m shift %t axis 1 : (tensor<4x8xi32>, tensor<8xi32>, i8) -> tensor<4x8xi8>
  return %q : tensor<4x8xi8>
}

// -----

// Rows and columns: no product of scales of the size of the accumulator.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @rows_and_columns
// CHECKS-LABEL: func @rows_and_columns
// DRAW: error: {{.*}} rounds stochastically, by an option: requantize has no draws
func.func @rows_and_columns(%acc: tensor<?x?xi32>, %rows: tensor<?x1xf32>, %columns: tensor<1x?xf32>, %s: f32) -> tensor<?x?xi8> {
  // CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[COLUMN]], #[[ALL]]]
  // CHECK: %[[X:.*]] = arith.sitofp
  // CHECK: %[[A:.*]] = arith.mulf %[[X]]
  // CHECK: %[[B:.*]] = arith.mulf %[[A]]
  // CHECK: arith.mulf %[[B]]
  // CHECKS-COUNT-2: cf.assert
  // CHECKS-NOT: cf.assert
  // CHECKS: linalg.generic
  %q = qdq.requantize %acc rescale <separate> multiplier %rows, %columns, %s block_shape [1, 1]
     : (tensor<?x?xi32>, tensor<?x1xf32>, tensor<1x?xf32>, f32) -> tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}

// -----

// The limit and the constant multiplier say that the product has 60 bits; without them it may have 95.
// CHECK-LABEL: func @exact_width
// CHECKS-LABEL: func @exact_width
func.func @exact_width(%acc: tensor<8xi32>) -> (tensor<8xi8>, tensor<8xi8>) {
  %m = arith.constant dense<1099511627775> : tensor<i64>
  %t = arith.constant dense<50> : tensor<i8>
  // CHECK: linalg.generic
  // CHECK: arith.maxsi %{{.*}} : i32
  // CHECK: arith.minsi %{{.*}} : i32
  // CHECK: arith.muli %{{.*}} : i64
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t limit 1048576 : (tensor<8xi32>, tensor<i64>, tensor<i8>) -> tensor<8xi8>
  // CHECK: linalg.generic
  // CHECK: arith.muli %{{.*}} : i128
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t : (tensor<8xi32>, tensor<i64>, tensor<i8>) -> tensor<8xi8>
  return %a, %b : tensor<8xi8>, tensor<8xi8>
}

// -----

// One value as shift and as a zero point of zeros.
// CHECK-LABEL: func @shared_operand
func.func @shared_operand(%acc: tensor<8xui8>) -> tensor<8xui8> {
  %m = arith.constant dense<3> : tensor<i32>
  %t = arith.constant dense<0> : tensor<i8>
  // CHECK: linalg.generic
  // CHECK: arith.extui %{{.*}} : i8 to i64
  // CHECK: arith.muli
  // CHECK-NOT: arith.shrsi
  %q = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %t : (tensor<8xui8>, tensor<i32>, tensor<i8>, tensor<i8>) -> tensor<8xui8>
  return %q : tensor<8xui8>
}

// -----

// CHECK-LABEL: func @unranked
func.func @unranked(%acc: tensor<*xi32>, %m: tensor<?xf32>, %z: tensor<ui8>) -> tensor<*xui8> {
  // CHECK: tensor.reshape
  // CHECK: linalg.generic
  // CHECK: tensor.reshape
  %q = qdq.requantize %acc rescale <f32> multiplier %m zero_point %z axis 1 : (tensor<*xi32>, tensor<?xf32>, tensor<ui8>) -> tensor<*xui8>
  return %q : tensor<*xui8>
}
