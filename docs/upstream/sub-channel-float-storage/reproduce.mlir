// RUN: not --crash mlir-opt %s 2>&1 | FileCheck %s

// CHECK: UniformQuantizedSubChannelType::getChecked
func.func private @f(tensor<2x2x!quant.uniform<f8E4M3FN:f32:{1:2}, {{0.5}, {0.25}}>>)
