// RUN: mlir-opt %s --normalize-quant-types | FileCheck %s

// Rows 0 and 1 had the first scale, 2 and 3 the second.
// CHECK-LABEL: func @blocks_of_two
// CHECK-SAME: tensor<4x8x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>
func.func @blocks_of_two(%q: tensor<4x8x!quant.uniform<i8:f32:{0:2, 1:8}, {{0.5}, {0.25}}>>) {
  return
}
