// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=fma | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=f32-fma | FileCheck %s --check-prefix=F32

// CHECK-LABEL: func.func @bf16(
// CHECK-COUNT-3: arith.extf %{{.*}} : vector<4xbf16> to vector<4xf64>
// CHECK: arith.addf %{{.*}} : vector<4xf64>
// CHECK-NOT: math.fma
// CHECK: arith.truncf %{{.*}} : vector<4xf64> to vector<4xbf16>
func.func @bf16(%a: vector<4xbf16>, %b: vector<4xbf16>, %c: vector<4xbf16>) -> vector<4xbf16> {
  %r = math.fma %a, %b, %c : vector<4xbf16>
  return %r : vector<4xbf16>
}

// F32-LABEL: func.func @others(
// F32: math.fma %{{.*}} : f16
// F32-COUNT-3: arith.extf %{{.*}} : f32 to f64
// F32-NOT: math.fma
// F32: arith.truncf %{{.*}} : f64 to f32
// CHECK-LABEL: func.func @others(
// CHECK: math.fma %{{.*}} : f16
// CHECK: math.fma %{{.*}} : f32
func.func @others(%a: f16, %b: f32) -> (f16, f32) {
  %0 = math.fma %a, %a, %a : f16
  %1 = math.fma %b, %b, %b : f32
  return %0, %1 : f16, f32
}
