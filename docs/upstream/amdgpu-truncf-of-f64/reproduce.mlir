// RUN: mlir-opt %s --convert-arith-to-amdgpu="chipset=gfx950" | FileCheck %s

// CHECK-LABEL: func @truncate
// CHECK: %[[F:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: amdgpu.packed_trunc_2xfp8 %[[F]]
func.func @truncate(%x: f64) -> f8E4M3FN {
  %y = arith.truncf %x : f64 to f8E4M3FN
  return %y : f8E4M3FN
}
