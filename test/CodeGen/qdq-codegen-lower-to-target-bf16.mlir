// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=bf16 | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=bf16,f16 | FileCheck %s --check-prefix=F16

// The rounding between two ops stays: no truncation allows contraction.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[A:.*]]: bf16, %[[B:.*]]: bf16)
// CHECK-NOT: fastmath
// CHECK-DAG: %[[AF:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK-DAG: %[[BF:.*]] = arith.extf %[[B]] : bf16 to f32
// CHECK: %[[PF:.*]] = arith.mulf %[[AF]], %[[BF]] : f32
// CHECK: %[[P:.*]] = arith.truncf %[[PF]] : f32 to bf16
// CHECK: %[[PE:.*]] = arith.extf %[[P]] : bf16 to f32
// CHECK: %[[SF:.*]] = arith.addf %[[PE]], %{{.*}} : f32
// CHECK: %[[S:.*]] = arith.truncf %[[SF]] : f32 to bf16
// CHECK: return %[[S]]
func.func @twice(%a: bf16, %b: bf16) -> bf16 {
  %p = arith.mulf %a, %b : bf16
  %s = arith.addf %p, %a : bf16
  return %s : bf16
}

// CHECK-LABEL: func.func @vector_compare_and_constant(
// CHECK: arith.extf %{{.*}} : vector<4xbf16> to vector<4xf32>
// CHECK: arith.cmpf olt, %{{.*}} : vector<4xf32>
func.func @vector_compare_and_constant(%x: vector<4xbf16>) -> vector<4xi1> {
  %c = arith.constant dense<1.5> : vector<4xbf16>
  %r = arith.cmpf olt, %x, %c : vector<4xbf16>
  return %r : vector<4xi1>
}

// The flags of casts that are the user's own stay, as do other types.
// CHECK-LABEL: func.func @others(
// CHECK: arith.truncf %{{.*}} fastmath<contract> : f32 to bf16
// CHECK: arith.mulf %{{.*}} : f16
func.func @others(%x: f32, %y: f16) -> (bf16, f16) {
  %a = arith.truncf %x fastmath<contract> : f32 to bf16
  %b = arith.mulf %y, %y : f16
  return %a, %b : bf16, f16
}

// f16 for targets without it; else it is its own.
// CHECK-LABEL: func.func @half(
// CHECK: arith.addf %{{.*}} : f16
// F16-LABEL: func.func @half(
// F16: %[[S:.*]] = arith.addf %{{.*}} : f32
// F16: arith.truncf %[[S]] : f32 to f16
func.func @half(%a: f16, %b: f16) -> f16 {
  %s = arith.addf %a, %b : f16
  return %s : f16
}
