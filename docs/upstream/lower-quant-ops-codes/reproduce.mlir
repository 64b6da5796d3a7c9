// RUN: mlir-opt %s --lower-quant-ops --canonicalize | FileCheck %s

// CHECK-LABEL: func @truncates
// CHECK: %[[C:.*]] = arith.constant 2 : i8
// CHECK: return %[[C]]
func.func @truncates() -> i8 {
  %x = arith.constant 2.9 : f32
  %q = quant.qcast %x : f32 to !quant.uniform<i8:f32, 1.0>
  %s = quant.scast %q : !quant.uniform<i8:f32, 1.0> to i8
  return %s : i8
}

// Nothing bounds the value before the conversion, whose result is poison.
// CHECK-LABEL: func @beyond
// CHECK: %[[X:.*]] = arith.constant 3.000000e+02 : f32
// CHECK: arith.fptosi %[[X]] : f32 to i8
func.func @beyond() -> i8 {
  %x = arith.constant 300.0 : f32
  %q = quant.qcast %x : f32 to !quant.uniform<i8:f32, 1.0>
  %s = quant.scast %q : !quant.uniform<i8:f32, 1.0> to i8
  return %s : i8
}

// CHECK-LABEL: func @nan
// CHECK: %[[X:.*]] = arith.constant 0x7FC00000 : f32
// CHECK: arith.fptosi %[[X]] : f32 to i8
func.func @nan() -> i8 {
  %x = arith.constant 0x7FC00000 : f32
  %q = quant.qcast %x : f32 to !quant.uniform<i8:f32, 1.0>
  %s = quant.scast %q : !quant.uniform<i8:f32, 1.0> to i8
  return %s : i8
}

// CHECK-LABEL: func @clamped
// CHECK: %[[Q:.*]] = arith.fptosi
// CHECK: arith.maxsi %[[Q]]
func.func @clamped() -> i8 {
  %x = arith.constant 1000.0 : f32
  %q = quant.qcast %x : f32 to !quant.uniform<i8<-8:7>:f32, 1.0>
  %s = quant.scast %q : !quant.uniform<i8<-8:7>:f32, 1.0> to i8
  return %s : i8
}
