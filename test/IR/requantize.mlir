// RUN: quant-opt %s | quant-opt | FileCheck %s
// RUN: quant-opt %s --mlir-print-op-generic | quant-opt | FileCheck %s
// RUN: quant-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

#up = #qdq.semantics<rounding = ceil, order = round-then-add, division = exact, compute = auto, subtract = wide,
                     overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// CHECK-LABEL: func @kinds
func.func @kinds(%acc: tensor<4x8xi32>, %m: tensor<8xf32>, %s: f32, %z: tensor<i8>, %mi: tensor<i32>, %t: tensor<8xi8>, %long: i64, %g: i32) {
  // CHECK: qdq.requantize %{{.*}} rescale <f32> multiplier %{{.*}} zero_point %{{.*}} axis 1 : (tensor<4x8xi32>, tensor<8xf32>, tensor<i8>) -> tensor<4x8xi8>
  %a = qdq.requantize %acc rescale <f32> multiplier %m zero_point %z axis 1 : (tensor<4x8xi32>, tensor<8xf32>, tensor<i8>) -> tensor<4x8xi8>
  // CHECK: qdq.requantize %{{.*}} rescale <qdq> multiplier %{{.*}}, %{{.*}} axis -1 clamp [0, 100] semantics <rounding = floor> {mine}
  %b = qdq.requantize %acc rescale <qdq> multiplier %m, %s axis -1 clamp [0, 100] semantics <rounding = floor> {mine}
     : (tensor<4x8xi32>, tensor<8xf32>, f32) -> tensor<4x8xui8>
  // CHECK: qdq.requantize %{{.*}} rescale <separate> multiplier %{{.*}}, %{{.*}}, %{{.*}} :
  %c = qdq.requantize %acc rescale <separate> multiplier %s, %s, %s : (tensor<4x8xi32>, f32, f32, f32) -> tensor<4x8xi4>
  // CHECK: qdq.requantize %{{.*}} rescale <f64> multiplier %{{.*}}, %{{.*}}, %{{.*}} axis 1 :
  %d = qdq.requantize %acc rescale <f64> multiplier %s, %m, %s axis 1 : (tensor<4x8xi32>, f32, tensor<8xf32>, f32) -> tensor<4x8xi16>
  // CHECK: qdq.requantize %{{.*}} rescale <fixed31-double> multiplier %{{.*}} shift %{{.*}} axis 1 :
  %e = qdq.requantize %acc rescale <fixed31-double> multiplier %mi shift %t axis 1 : (tensor<4x8xi32>, tensor<i32>, tensor<8xi8>) -> tensor<4x8xi8>
  // CHECK: qdq.requantize %{{.*}} rescale <fixed31-single> multiplier
  %f = qdq.requantize %acc rescale <fixed31-single> multiplier %mi shift %t axis 1 : (tensor<4x8xi32>, tensor<i32>, tensor<8xi8>) -> tensor<4x8xi8>
  // CHECK: qdq.requantize %{{.*}} rescale <fixed15> multiplier
  %h = qdq.requantize %acc rescale <fixed15> multiplier %mi shift %t axis 1 : (tensor<4x8xi32>, tensor<i32>, tensor<8xi8>) -> tensor<4x8xi16>
  // CHECK: qdq.requantize %{{.*}} rescale <exact> multiplier %{{.*}} shift %{{.*}} fraction %{{.*}} axis 1 limit 1000 :
  %i = qdq.requantize %acc rescale <exact> multiplier %long shift %t fraction %g axis 1 limit 1000 : (tensor<4x8xi32>, i64, tensor<8xi8>, i32) -> tensor<4x8xi32>
  return
}

// Rows and columns: a static size of 1 is shared.
// CHECK-LABEL: func @rows_and_columns
func.func @rows_and_columns(%acc: tensor<?x?xi64>, %rows: tensor<?x1xf32>, %columns: tensor<1x?xf32>, %s: tensor<f32>) -> tensor<?x?xi8> {
  // CHECK: block_shape [1, 1] : (tensor<?x?xi64>, tensor<?x1xf32>, tensor<1x?xf32>, tensor<f32>) -> tensor<?x?xi8>
  %q = qdq.requantize %acc rescale <f32> multiplier %rows, %columns, %s block_shape [1, 1]
     : (tensor<?x?xi64>, tensor<?x1xf32>, tensor<1x?xf32>, tensor<f32>) -> tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}

// CHECK-LABEL: func @scalar_vector_unranked
func.func @scalar_vector_unranked(%a: i16, %v: vector<4xsi32>, %u: tensor<*xi64>, %s: f16, %m: vector<2xf32>, %t: tensor<?xf32>) {
  // CHECK: : (i16, f16) -> i4
  %x = qdq.requantize %a rescale <f32> multiplier %s : (i16, f16) -> i4
  // CHECK: block_shape [2] : (vector<4xsi32>, vector<2xf32>) -> vector<4xui8>
  %y = qdq.requantize %v rescale <f32> multiplier %m block_shape [2] : (vector<4xsi32>, vector<2xf32>) -> vector<4xui8>
  // CHECK: axis -1 : (tensor<*xi64>, tensor<?xf32>) -> tensor<*xi8>
  %z = qdq.requantize %u rescale <f32> multiplier %t axis -1 : (tensor<*xi64>, tensor<?xf32>) -> tensor<*xi8>
  return
}

// 14 * 0.3 = 4.2; 15 * 0.3 = 4.5 is a tie, to even, and -15 alike.
// CANON-LABEL: func @fold
func.func @fold() -> tensor<2x2xi8> {
  // CANON: arith.constant dense<{{\[}}[4, 4], [-4, 10]]> : tensor<2x2xi8>
  %acc = arith.constant dense<[[14, 15], [-15, 33]]> : tensor<2x2xi32>
  %m = arith.constant dense<[[0.3]]> : tensor<1x1xf64>
  %q = qdq.requantize %acc rescale <f64> multiplier %m block_shape [0, 0] semantics <rounding = nearest-even, order = round-then-add,
    division = exact, compute = auto, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
     : (tensor<2x2xi32>, tensor<1x1xf64>) -> tensor<2x2xi8>
  return %q : tensor<2x2xi8>
}

// 15 * 3 / 2^2 = 11.25 rounds up to 12; without fraction it is 11. The zero point adds 5. No elements stay as they are.
// CANON-LABEL: func @fold_exact
func.func @fold_exact() -> (i8, tensor<1xi8>, tensor<0xi8>) {
  // CANON-DAG: %[[UP:.*]] = arith.constant 17 : i8
  // CANON-DAG: %[[CUT:.*]] = arith.constant dense<16> : tensor<1xi8>
  // CANON: %[[EMPTY:.*]] = qdq.requantize
  // CANON: return %[[UP]], %[[CUT]], %[[EMPTY]]
  %acc = arith.constant 15 : i32
  %row = arith.constant dense<15> : tensor<1xi32>
  %empty = arith.constant dense<> : tensor<0xi32>
  %m = arith.constant 3 : i32
  %t = arith.constant 2 : i8
  %g = arith.constant 0 : i8
  %z = arith.constant 5 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics #up : (i32, i32, i8, i8) -> i8
  %b = qdq.requantize %row rescale <exact> multiplier %m shift %t fraction %g zero_point %z semantics #up
     : (tensor<1xi32>, i32, i8, i8, i8) -> tensor<1xi8>
  %c = qdq.requantize %empty rescale <exact> multiplier %m shift %t semantics #up : (tensor<0xi32>, i32, i8) -> tensor<0xi8>
  return %a, %b, %c : i8, tensor<1xi8>, tensor<0xi8>
}

// Not all operands are constants.
// CANON-LABEL: func @no_fold
func.func @no_fold(%m: i32, %t: i8, %z: i8) -> (i8, i8, i8) {
  // CANON-COUNT-3: qdq.requantize
  %acc = arith.constant 15 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %two semantics #up : (i32, i32, i8) -> i8
  %b = qdq.requantize %acc rescale <exact> multiplier %one shift %t semantics #up : (i32, i32, i8) -> i8
  %c = qdq.requantize %acc rescale <exact> multiplier %one shift %two zero_point %z semantics #up : (i32, i32, i8, i8) -> i8
  return %a, %b, %c : i8, i8, i8
}

// An open field may be decided by an option.
// CANON-LABEL: func @no_fold_of_open_semantics
func.func @no_fold_of_open_semantics() -> i8 {
  // CANON: qdq.requantize
  %acc = arith.constant 14 : i32
  %m = arith.constant 0.5 : f32
  %q = qdq.requantize %acc rescale <f32> multiplier %m : (i32, f32) -> i8
  return %q : i8
}

// CANON-LABEL: func @casts
// CANON-SAME: %[[ACC:.*]]: tensor<4x8xi32>, %[[M:.*]]: tensor<8xf32>
func.func @casts(%acc: tensor<4x8xi32>, %m: tensor<8xf32>) -> tensor<?x?xi8> {
  // CANON: %[[Q:.*]] = qdq.requantize %[[ACC]] rescale <f32> multiplier %[[M]] axis 1 {mine} : (tensor<4x8xi32>, tensor<8xf32>) -> tensor<4x8xi8>
  // CANON: tensor.cast %[[Q]]
  %d = tensor.cast %acc : tensor<4x8xi32> to tensor<?x?xi32>
  %n = tensor.cast %m : tensor<8xf32> to tensor<?xf32>
  %q = qdq.requantize %d rescale <f32> multiplier %n axis 1 {mine} : (tensor<?x?xi32>, tensor<?xf32>) -> tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}

// A size of 1 that becomes known is not a shared one: the op stays as it is, and is wrong only if it runs.
// CANON-LABEL: func @casts_of_one
func.func @casts_of_one(%acc: tensor<4x?xi32>, %m: tensor<1x1xf32>) -> tensor<4x?xi8> {
  // CANON: tensor.cast
  // CANON: qdq.requantize %{{.*}} : (tensor<4x?xi32>, tensor<?x1xf32>)
  %n = tensor.cast %m : tensor<1x1xf32> to tensor<?x1xf32>
  %q = qdq.requantize %acc rescale <f32> multiplier %n block_shape [1, 1] : (tensor<4x?xi32>, tensor<?x1xf32>) -> tensor<4x?xi8>
  return %q : tensor<4x?xi8>
}

// No verifier looks at what operands are: a shift out of range is bounded, a NaN has its code.
// CANON-LABEL: func @strange_constants
func.func @strange_constants(%acc: tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi8>) {
  %m = arith.constant dense<-5> : tensor<i32>
  %t = arith.constant dense<-100> : tensor<i8>
  %nan = arith.constant dense<0x7FC00000> : tensor<f32>
  // CANON: rescale <fixed31-single>
  %q = qdq.requantize %acc rescale <fixed31-single> multiplier %m shift %t : (tensor<4xi32>, tensor<i32>, tensor<i8>) -> tensor<4xi8>
  // CANON: rescale <f32>
  %r = qdq.requantize %acc rescale <f32> multiplier %nan : (tensor<4xi32>, tensor<f32>) -> tensor<4xi8>
  return %q, %r : tensor<4xi8>, tensor<4xi8>
}
