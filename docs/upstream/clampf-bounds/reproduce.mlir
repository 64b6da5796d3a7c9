// RUN: mlir-opt %s --math-expand-ops --canonicalize --sccp | FileCheck %s

// CHECK-LABEL: func @clamp
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: return %[[ONE]]
func.func @clamp() -> f32 {
  %x = arith.constant 0.5 : f32
  %lo = arith.constant 0.0 : f32
  %hi = arith.constant 1.0 : f32
  %y = math.clampf %x to [%lo, %hi] : f32
  return %y : f32
}
