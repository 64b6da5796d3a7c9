// Halves away from zero: a multiplier above the exact one is right by itself, unless a zero point is added to a tie before it is
// rounded. A sixth has ties, a third has none.
// RUN: quant-opt %s --qdq-integer-contractions=rescale=exact | FileCheck %s

// CHECK-LABEL: func @sixth_round_then_add(
// CHECK: qdq.requantize {{.*}} rescale <exact>
// CHECK-NOT: fraction
func.func @sixth_round_then_add(%x: tensor<2xi8>) -> tensor<i8> {
  %half = arith.constant 0.5 : f32
  %y = arith.constant 1.5 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %y zero_point %three semantics <rounding = nearest-away, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %q : tensor<i8>
}

// CHECK-LABEL: func @sixth_add_then_round(
// CHECK: qdq.requantize {{.*}} rescale <exact> multiplier {{.*}} fraction
func.func @sixth_add_then_round(%x: tensor<2xi8>) -> tensor<i8> {
  %half = arith.constant 0.5 : f32
  %y = arith.constant 1.5 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %y zero_point %three semantics <rounding = nearest-away, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %q : tensor<i8>
}

// CHECK-LABEL: func @third_round_then_add(
// CHECK: qdq.requantize {{.*}} rescale <exact>
// CHECK-NOT: fraction
func.func @third_round_then_add(%x: tensor<2xi8>) -> tensor<i8> {
  %half = arith.constant 0.5 : f32
  %y = arith.constant 0.75 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %y zero_point %three semantics <rounding = nearest-away, order = round-then-add> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %q : tensor<i8>
}

// CHECK-LABEL: func @third_add_then_round(
// CHECK: qdq.requantize {{.*}} rescale <exact>
// CHECK-NOT: fraction
func.func @third_add_then_round(%x: tensor<2xi8>) -> tensor<i8> {
  %half = arith.constant 0.5 : f32
  %y = arith.constant 0.75 : f32
  %three = arith.constant 3 : i8
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %q = qdq.quantize %r scale %y zero_point %three semantics <rounding = nearest-away, order = add-then-round> : (tensor<f32>, f32, i8) -> tensor<i8>
  return %q : tensor<i8>
}
