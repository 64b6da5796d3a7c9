// RUN: quant-opt %s --qdq-integer-contractions="rescale=fixed31-double max-code-diff=1" --verify-diagnostics --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-integer-contractions="rescale=fixed31-single max-code-diff=1" --verify-diagnostics --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-integer-contractions="rescale=fixed15 max-code-diff=1" --verify-diagnostics --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-integer-contractions="rescale=fixed31-double max-code-diff=0" --split-input-file 2>&1 | FileCheck %s --check-prefix=NONE

// M = 1/4: TFLite's first rounding makes ties of what lies beside them, and its ties go away from zero.
// CHECK-LABEL: func @ties
func.func @ties(%x: tensor<2xi8>, %y: tensor<2xi8>) -> tensor<i8> {
  %s = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  // NONE: remark: 'linalg.dot' op stays: the sum {{-?[0-9]+}} has a code that differs from the exact one by 1
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // CHECK: qdq.requantize
  // NONE: qdq.quantize
  // expected-remark-re @below {{its codes differ from those of the exact numbers by up to 1, as for the sum {{.*}}}}
  %q = qdq.quantize %r scale %one : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

// Every sum of one product of bits: 0 or 1, times 2.
// CHECK-LABEL: func @exact
// NONE-LABEL: func @exact
func.func @exact(%x: tensor<1xui2>, %y: tensor<1xui2>) -> tensor<i8> {
  %s = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %s : (tensor<1xui2>, f32) -> tensor<1xf32>
  %yd = qdq.dequantize %y scale %s : (tensor<1xui2>, f32) -> tensor<1xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // NONE: qdq.requantize
  // expected-remark @below {{its codes are those of the exact numbers}}
  %q = qdq.quantize %r scale %one : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}

// -----

func.func @not_constant(%x: tensor<2xi8>, %s: f32) -> tensor<i8> {
  %t = arith.constant 2.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %t : (tensor<2xi8>, f32) -> tensor<2xf32>
  // expected-remark @below {{an integer multiplier needs constant scales}}
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %s : (tensor<f32>, f32) -> tensor<i8>
  return %q : tensor<i8>
}
