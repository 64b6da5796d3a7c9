// RUN: quant-opt %s --qdq-expand-math | FileCheck %s --implicit-check-not=math.floor --implicit-check-not=math.absf
// RUN: quant-opt %s --lower-quant=expand-math | FileCheck %s --implicit-check-not=math.floor --implicit-check-not=math.absf

// CHECK-LABEL: func @floor_f32
// CHECK-SAME: %[[X:.*]]: f32
func.func @floor_f32(%x: f32) -> f32 {
  // CHECK-DAG: %[[SHIFT:.*]] = arith.constant 0x4B000000 : f32
  // CHECK: %[[UP:.*]] = arith.addf %{{.*}}, %[[SHIFT]]
  // CHECK: arith.subf %[[UP]], %[[SHIFT]]
  // CHECK: arith.cmpf ogt, %{{.*}}, %[[X]]
  %y = math.floor %x : f32
  return %y : f32
}

// CHECK-LABEL: func @abs_vector_f64
func.func @abs_vector_f64(%x: vector<4xf64>) -> vector<4xf64> {
  // CHECK: arith.andi %{{.*}} : vector<4xi64>
  %y = math.absf %x : vector<4xf64>
  return %y : vector<4xf64>
}

// CHECK-LABEL: func @others_stay
func.func @others_stay(%x: f16, %y: f32) -> (f16, f32) {
  // CHECK: math.ceil
  // CHECK: math.fma
  %a = math.ceil %x : f16
  %b = math.fma %y, %y, %y : f32
  return %a, %b : f16, f32
}

// CHECK-LABEL: func @tensors_stay
func.func @tensors_stay(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: math.roundeven
  %y = math.roundeven %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
