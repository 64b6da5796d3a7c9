// RUN: quant-opt %s --qdq-math-to-intrinsics | FileCheck %s --implicit-check-not=math.round --implicit-check-not=math.fma

// CHECK-LABEL: func @each
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32
func.func @each(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
  // CHECK: llvm.call_intrinsic "llvm.roundeven"(%[[X]]) : (f32) -> f32
  // CHECK: llvm.call_intrinsic "llvm.round"(%[[X]])
  // CHECK: llvm.call_intrinsic "llvm.floor"(%[[X]])
  // CHECK: llvm.call_intrinsic "llvm.ceil"(%[[X]])
  // CHECK: llvm.call_intrinsic "llvm.trunc"(%[[X]])
  // CHECK: llvm.call_intrinsic "llvm.fabs"(%[[X]])
  // CHECK: llvm.call_intrinsic "llvm.copysign"(%[[X]], %[[Y]])
  // CHECK: llvm.call_intrinsic "llvm.fma"(%[[X]], %[[Y]], %[[X]]) : (f32, f32, f32) -> f32
  %0 = math.roundeven %x : f32
  %1 = math.round %x : f32
  %2 = math.floor %x : f32
  %3 = math.ceil %x : f32
  %4 = math.trunc %x : f32
  %5 = math.absf %x : f32
  %6 = math.copysign %x, %y : f32
  %7 = math.fma %x, %y, %x : f32
  return %0, %1, %2, %3, %4, %5, %6, %7 : f32, f32, f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: func @vectors
func.func @vectors(%x: vector<4xf32>, %h: f16) -> (vector<4xf32>, f16) {
  // CHECK: llvm.call_intrinsic "llvm.roundeven"(%{{.*}}) : (vector<4xf32>) -> vector<4xf32>
  // CHECK: llvm.call_intrinsic "llvm.floor"(%{{.*}}) : (f16) -> f16
  %0 = math.roundeven %x : vector<4xf32>
  %1 = math.floor %h : f16
  return %0, %1 : vector<4xf32>, f16
}

// What LLVM has no type for, and what no machine computes exactly.
// CHECK-LABEL: func @others_stay
func.func @others_stay(%x: tensor<4xf32>, %v: vector<2x2xf32>, %y: f32) -> (tensor<4xf32>, vector<2x2xf32>, f32) {
  // CHECK: math.ceil
  // CHECK: math.trunc
  // CHECK: math.exp
  %0 = math.ceil %x : tensor<4xf32>
  %1 = math.trunc %v : vector<2x2xf32>
  %2 = math.exp %y : f32
  return %0, %1, %2 : tensor<4xf32>, vector<2x2xf32>, f32
}
