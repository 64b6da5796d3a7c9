// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds by comparisons, of either order: 3.0 is the code 6 of the scale 0.5.
// RUN: quant-opt %s --qdq-integer-contractions=rescale=f64 | FileCheck %s

// CHECK-LABEL: func @ogt(
// CHECK: qdq.requantize {{.*}} clamp [6, 127]
// CHECK: qdq.requantize {{.*}} clamp [-128, 6]
func.func @ogt(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %bound = arith.constant dense<3.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %c = arith.cmpf ogt, %r, %bound : tensor<f32>
  %d = arith.cmpf ogt, %bound, %s : tensor<f32>
  %a = arith.select %c, %r, %bound : tensor<i1>, tensor<f32>
  %b = arith.select %d, %s, %bound : tensor<i1>, tensor<f32>
  %p = qdq.quantize %a scale %half : (tensor<f32>, f32) -> tensor<i8>
  %q = qdq.quantize %b scale %half : (tensor<f32>, f32) -> tensor<i8>
  return %p, %q : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @oge(
// CHECK: qdq.requantize {{.*}} clamp [6, 127]
// CHECK: qdq.requantize {{.*}} clamp [-128, 6]
func.func @oge(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %bound = arith.constant dense<3.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %c = arith.cmpf oge, %r, %bound : tensor<f32>
  %d = arith.cmpf oge, %bound, %s : tensor<f32>
  %a = arith.select %c, %r, %bound : tensor<i1>, tensor<f32>
  %b = arith.select %d, %s, %bound : tensor<i1>, tensor<f32>
  %p = qdq.quantize %a scale %half : (tensor<f32>, f32) -> tensor<i8>
  %q = qdq.quantize %b scale %half : (tensor<f32>, f32) -> tensor<i8>
  return %p, %q : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @ugt(
// CHECK: qdq.requantize {{.*}} clamp [6, 127]
// CHECK: qdq.requantize {{.*}} clamp [-128, 6]
func.func @ugt(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %bound = arith.constant dense<3.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %c = arith.cmpf ugt, %r, %bound : tensor<f32>
  %d = arith.cmpf ugt, %bound, %s : tensor<f32>
  %a = arith.select %c, %r, %bound : tensor<i1>, tensor<f32>
  %b = arith.select %d, %s, %bound : tensor<i1>, tensor<f32>
  %p = qdq.quantize %a scale %half : (tensor<f32>, f32) -> tensor<i8>
  %q = qdq.quantize %b scale %half : (tensor<f32>, f32) -> tensor<i8>
  return %p, %q : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @uge(
// CHECK: qdq.requantize {{.*}} clamp [6, 127]
// CHECK: qdq.requantize {{.*}} clamp [-128, 6]
func.func @uge(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %bound = arith.constant dense<3.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %c = arith.cmpf uge, %r, %bound : tensor<f32>
  %d = arith.cmpf uge, %bound, %s : tensor<f32>
  %a = arith.select %c, %r, %bound : tensor<i1>, tensor<f32>
  %b = arith.select %d, %s, %bound : tensor<i1>, tensor<f32>
  %p = qdq.quantize %a scale %half : (tensor<f32>, f32) -> tensor<i8>
  %q = qdq.quantize %b scale %half : (tensor<f32>, f32) -> tensor<i8>
  return %p, %q : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @olt(
// CHECK: qdq.requantize {{.*}} clamp [-128, 6]
// CHECK: qdq.requantize {{.*}} clamp [6, 127]
func.func @olt(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %bound = arith.constant dense<3.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %c = arith.cmpf olt, %r, %bound : tensor<f32>
  %d = arith.cmpf olt, %bound, %s : tensor<f32>
  %a = arith.select %c, %r, %bound : tensor<i1>, tensor<f32>
  %b = arith.select %d, %s, %bound : tensor<i1>, tensor<f32>
  %p = qdq.quantize %a scale %half : (tensor<f32>, f32) -> tensor<i8>
  %q = qdq.quantize %b scale %half : (tensor<f32>, f32) -> tensor<i8>
  return %p, %q : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @ole(
// CHECK: qdq.requantize {{.*}} clamp [-128, 6]
// CHECK: qdq.requantize {{.*}} clamp [6, 127]
func.func @ole(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %bound = arith.constant dense<3.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %c = arith.cmpf ole, %r, %bound : tensor<f32>
  %d = arith.cmpf ole, %bound, %s : tensor<f32>
  %a = arith.select %c, %r, %bound : tensor<i1>, tensor<f32>
  %b = arith.select %d, %s, %bound : tensor<i1>, tensor<f32>
  %p = qdq.quantize %a scale %half : (tensor<f32>, f32) -> tensor<i8>
  %q = qdq.quantize %b scale %half : (tensor<f32>, f32) -> tensor<i8>
  return %p, %q : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @ult(
// CHECK: qdq.requantize {{.*}} clamp [-128, 6]
// CHECK: qdq.requantize {{.*}} clamp [6, 127]
func.func @ult(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %bound = arith.constant dense<3.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %c = arith.cmpf ult, %r, %bound : tensor<f32>
  %d = arith.cmpf ult, %bound, %s : tensor<f32>
  %a = arith.select %c, %r, %bound : tensor<i1>, tensor<f32>
  %b = arith.select %d, %s, %bound : tensor<i1>, tensor<f32>
  %p = qdq.quantize %a scale %half : (tensor<f32>, f32) -> tensor<i8>
  %q = qdq.quantize %b scale %half : (tensor<f32>, f32) -> tensor<i8>
  return %p, %q : tensor<i8>, tensor<i8>
}

// CHECK-LABEL: func @ule(
// CHECK: qdq.requantize {{.*}} clamp [-128, 6]
// CHECK: qdq.requantize {{.*}} clamp [6, 127]
func.func @ule(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<i8>, tensor<i8>) {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %bound = arith.constant dense<3.0> : tensor<f32>
  %xd = qdq.dequantize %x scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %yd = qdq.dequantize %y scale %half : (tensor<2xi8>, f32) -> tensor<2xf32>
  %r = linalg.dot ins(%xd, %yd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.dot ins(%yd, %xd : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %c = arith.cmpf ule, %r, %bound : tensor<f32>
  %d = arith.cmpf ule, %bound, %s : tensor<f32>
  %a = arith.select %c, %r, %bound : tensor<i1>, tensor<f32>
  %b = arith.select %d, %s, %bound : tensor<i1>, tensor<f32>
  %p = qdq.quantize %a scale %half : (tensor<f32>, f32) -> tensor<i8>
  %q = qdq.quantize %b scale %half : (tensor<f32>, f32) -> tensor<i8>
  return %p, %q : tensor<i8>, tensor<i8>
}
