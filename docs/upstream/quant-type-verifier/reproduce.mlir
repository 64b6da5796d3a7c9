// RUN: mlir-opt %s | FileCheck %s

// CHECK: !quant.uniform<u8:f32, 1.000000e+00:300>, !quant.uniform<i8:f32, 1.000000e+00:-1000>
func.func private @layer(!quant.uniform<u8:f32, 1.0:300>, !quant.uniform<i8:f32, 1.0:-1000>)

// CHECK: {1.000000e+00:300,2.000000e+00:-5}
func.func private @axis(tensor<2x!quant.uniform<u8:f32:0, {1.0:300, 2.0:-5}>>)

// CHECK: {0:1, 0:2}
func.func private @axis_twice(tensor<2x2x!quant.uniform<i8:f32:{0:1, 0:2}, {{0.5, 0.25}, {0.5, 0.25}}>>)

// CHECK: {2.000000e+00:-56, 3.000000e+00:44}
func.func private @blocks(tensor<4x!quant.uniform<u8:f32:{0:2}, {2.0:200, 3.0:300}>>)
