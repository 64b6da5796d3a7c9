// The codes of floats are those of the exact numbers where the scales are powers of two, in each rounding and order: 1/4.
// RUN: quant-opt %s --qdq-integer-contractions="rescale=f64 max-code-diff=0" --verify-diagnostics | FileCheck %s
// RUN: quant-opt %s --qdq-integer-contractions="rescale=f32 max-code-diff=0" --verify-diagnostics | FileCheck %s
// RUN: quant-opt %s --qdq-integer-contractions="rescale=qdq max-code-diff=0" --verify-diagnostics | FileCheck %s
// RUN: quant-opt %s --qdq-integer-contractions="rescale=separate max-code-diff=0" --verify-diagnostics | FileCheck %s
// RUN: quant-opt %s --qdq-integer-contractions="rescale=exact max-code-diff=0" --verify-diagnostics | FileCheck %s

// CHECK-NOT: qdq.quantize

// CHECK-LABEL: func @nearest_even(
// CHECK-COUNT-2: qdq.requantize
func.func @nearest_even(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %a = qdq.quantize %r scale %one zero_point %three semantics <rounding = nearest-even, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %b = qdq.quantize %s scale %one zero_point %three semantics <rounding = nearest-even, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %a, %b : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @nearest_away(
// CHECK-COUNT-2: qdq.requantize
func.func @nearest_away(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %a = qdq.quantize %r scale %one zero_point %three semantics <rounding = nearest-away, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %b = qdq.quantize %s scale %one zero_point %three semantics <rounding = nearest-away, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %a, %b : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @nearest_up(
// CHECK-COUNT-2: qdq.requantize
func.func @nearest_up(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %a = qdq.quantize %r scale %one zero_point %three semantics <rounding = nearest-up, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %b = qdq.quantize %s scale %one zero_point %three semantics <rounding = nearest-up, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %a, %b : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @nearest_down(
// CHECK-COUNT-2: qdq.requantize
func.func @nearest_down(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %a = qdq.quantize %r scale %one zero_point %three semantics <rounding = nearest-down, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %b = qdq.quantize %s scale %one zero_point %three semantics <rounding = nearest-down, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %a, %b : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @toward_zero(
// CHECK-COUNT-2: qdq.requantize
func.func @toward_zero(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %a = qdq.quantize %r scale %one zero_point %three semantics <rounding = toward-zero, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %b = qdq.quantize %s scale %one zero_point %three semantics <rounding = toward-zero, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %a, %b : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @floor(
// CHECK-COUNT-2: qdq.requantize
func.func @floor(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %a = qdq.quantize %r scale %one zero_point %three semantics <rounding = floor, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %b = qdq.quantize %s scale %one zero_point %three semantics <rounding = floor, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %a, %b : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @ceil(
// CHECK-COUNT-2: qdq.requantize
func.func @ceil(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %a = qdq.quantize %r scale %one zero_point %three semantics <rounding = ceil, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %b = qdq.quantize %s scale %one zero_point %three semantics <rounding = ceil, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %a, %b : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @away_from_zero(
// CHECK-COUNT-2: qdq.requantize
func.func @away_from_zero(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %a = qdq.quantize %r scale %one zero_point %three semantics <rounding = away-from-zero, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %b = qdq.quantize %s scale %one zero_point %three semantics <rounding = away-from-zero, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %a, %b : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @to_odd(
// CHECK-COUNT-2: qdq.requantize
func.func @to_odd(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %a = qdq.quantize %r scale %one zero_point %three semantics <rounding = to-odd, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  // expected-remark @below {{its codes are those of the exact numbers}}
  %b = qdq.quantize %s scale %one zero_point %three semantics <rounding = to-odd, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %a, %b : tensor<i8>, tensor<i8>
}
