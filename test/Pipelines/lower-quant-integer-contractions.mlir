// RUN: quant-opt %s --lower-quant | FileCheck %s --check-prefix=OFF
// RUN: quant-opt %s --lower-quant=integer-contractions=off | FileCheck %s --check-prefix=OFF
// RUN: quant-opt %s --lower-quant="integer-contractions=profile profile=tflite" | FileCheck %s --check-prefixes=CHECK,FIXED
// RUN: quant-opt %s --lower-quant=integer-contractions=exact | FileCheck %s --check-prefixes=CHECK,FIXED
// RUN: quant-opt %s --lower-quant=integer-contractions=f32 | FileCheck %s --check-prefixes=CHECK,F32

!x = !quant.uniform<i8:f32, 0.5:3>
!y = !quant.uniform<i8:f32, 1.5:-20>

// Sources, movements, contraction, targets: the transpose of w moves codes, the sums are integers.
// CHECK-LABEL: func @linear
// CHECK-SAME:    %{{.*}}: tensor<3x4xi8>, %[[W:.*]]: tensor<2x4xi8>
// CHECK:         linalg.transpose ins(%[[W]] : tensor<2x4xi8>)
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<3x4xi8>, tensor<4x2xi8>) outs(%{{.*}} : tensor<3x2xi32>)
// CHECK-NOT:     xf32> outs
// FIXED-NOT:     mulf
// F32:           arith.mulf
// F32-NOT:       arith.mulf
// CHECK:         return
// OFF-LABEL:   func @linear
// OFF:           linalg.matmul {{.*}} outs(%{{.*}} : tensor<3x2xf32>)
func.func @linear(%x: tensor<3x4x!x>, %w: tensor<2x4x!quant.uniform<i8:f32:0, {0.25, 0.75}>>) -> tensor<3x2x!y> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %xd = quant.dcast %x : tensor<3x4x!x> to tensor<3x4xf32>
  %wd = quant.dcast %w : tensor<2x4x!quant.uniform<i8:f32:0, {0.25, 0.75}>> to tensor<2x4xf32>
  %t = linalg.transpose ins(%wd : tensor<2x4xf32>) outs(%e : tensor<4x2xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%xd, %t : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %y = quant.qcast %r : tensor<3x2xf32> to tensor<3x2x!y>
  return %y : tensor<3x2x!y>
}
