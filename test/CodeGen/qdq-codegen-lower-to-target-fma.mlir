// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=fma | FileCheck %s

// CHECK-LABEL: func.func @bf16(
// CHECK-COUNT-3: arith.extf %{{.*}} : vector<4xbf16> to vector<4xf64>
// CHECK: arith.addf %{{.*}} : vector<4xf64>
// CHECK-NOT: math.fma
// CHECK: arith.truncf %{{.*}} : vector<4xf64> to vector<4xbf16>
func.func @bf16(%a: vector<4xbf16>, %b: vector<4xbf16>, %c: vector<4xbf16>) -> vector<4xbf16> {
  %r = math.fma %a, %b, %c : vector<4xbf16>
  return %r : vector<4xbf16>
}

// CHECK-LABEL: func.func @others(
// CHECK: math.fma %{{.*}} : f16
// CHECK: math.fma %{{.*}} : f32
func.func @others(%a: f16, %b: f32) -> (f16, f32) {
  %0 = math.fma %a, %a, %a : f16
  %1 = math.fma %b, %b, %b : f32
  return %0, %1 : f16, f32
}
