// RUN: quant-opt %s --convert-tfl-to-qdq=runtime-checks | FileCheck %s
// RUN: quant-opt %s --lower-quant=runtime-checks | FileCheck %s
// RUN: quant-opt %s --convert-tfl-to-qdq | FileCheck %s --check-prefix=NONE
// NONE-NOT: cf.assert

// The height is open, the width is not.
// CHECK-LABEL: func.func @max_pool(
// CHECK: cf.assert %{{.*}}, "tfl.max_pool_2d: a window of 3 elements does not fit into dimension 1 of the input"
// CHECK-NOT: cf.assert
func.func @max_pool(%x: tensor<1x?x6x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x?x3x4x!quant.uniform<i8:f32, 0.5:1>> {
  %y = "tfl.max_pool_2d"(%x) {filter_height = 3 : i32, filter_width = 2 : i32, fused_activation_function = "NONE", padding = "VALID", stride_h = 1 : i32, stride_w = 2 : i32}
    : (tensor<1x?x6x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x?x3x4x!quant.uniform<i8:f32, 0.5:1>>
  return %y : tensor<1x?x3x4x!quant.uniform<i8:f32, 0.5:1>>
}
