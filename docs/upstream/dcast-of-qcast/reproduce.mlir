// RUN: mlir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @rounds
// CHECK: %[[X:.*]] = arith.constant 3.000000e-01 : f32
// CHECK: return %[[X]]
func.func @rounds() -> f32 {
  %x = arith.constant 0.3 : f32
  %q = quant.qcast %x : f32 to !quant.uniform<i8:f32, 1.0>
  %y = quant.dcast %q : !quant.uniform<i8:f32, 1.0> to f32
  return %y : f32
}
