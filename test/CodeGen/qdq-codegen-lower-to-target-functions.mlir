// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=functions | FileCheck %s

// Bounds give infinity and 0, NaN passes the comparisons.
// CHECK-LABEL: func.func @exp(
// CHECK-SAME: %[[X:.*]]: vector<4xf32>
// CHECK: arith.cmpf ogt, %[[X]], %{{.*}} : vector<4xf32>
// CHECK: arith.cmpf olt
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<4xf32> to vector<4xf64>
// CHECK: arith.mulf %[[WIDE]], %{{.*}} fastmath<contract>
// CHECK-NOT: math.exp
// CHECK: %[[BITS:.*]] = arith.shli %{{.*}}, %{{.*}} : vector<4xi64>
// CHECK: arith.addi %[[BITS]],
// CHECK: arith.truncf %{{.*}} : vector<4xf64> to vector<4xf32>
func.func @exp(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.exp %x : vector<4xf32>
  return %y : vector<4xf32>
}

// CHECK-LABEL: func.func @tanh(
// CHECK: arith.divf %{{.*}} : f64
// CHECK: math.copysign
// CHECK: arith.select
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @tanh(%x: f32) -> f32 {
  %y = math.tanh %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @erf(
// CHECK: arith.divf %{{.*}} : vector<f64>
// CHECK: arith.truncf %{{.*}} : vector<f64> to vector<f32>
func.func @erf(%x: vector<f32>) -> vector<f32> {
  %y = math.erf %x : vector<f32>
  return %y : vector<f32>
}

// CHECK-LABEL: func.func @others(
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.erf %{{.*}} : tensor<4xf32>
// CHECK: math.log %{{.*}} : f32
func.func @others(%x: f64, %t: tensor<4xf32>, %s: f32) -> (f64, tensor<4xf32>, f32) {
  %0 = math.exp %x : f64
  %1 = math.erf %t : tensor<4xf32>
  %2 = math.log %s : f32
  return %0, %1, %2 : f64, tensor<4xf32>, f32
}
