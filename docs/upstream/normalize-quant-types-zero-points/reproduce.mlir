// RUN: mlir-opt %s --normalize-quant-types | FileCheck %s

// CHECK-LABEL: func @axis
// CHECK-SAME: !quant.uniform<u8:f32:0, {5.000000e-01:-56,2.000000e+00:7}>
func.func @axis(%q: tensor<2x4x!quant.uniform<u8:f32:{0:1, 1:4}, {{0.5:200}, {2.0:7}}>>) {
  return
}

// CHECK-LABEL: func @layer
// CHECK-SAME: !quant.uniform<u8:f32, 5.000000e-01:-56>
func.func @layer(%q: tensor<4x8x!quant.uniform<u8:f32:{0:4, 1:8}, {{0.5:200}}>>) {
  return
}
