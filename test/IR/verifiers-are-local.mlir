// RUN: quant-opt %s --canonicalize | FileCheck %s
// RUN: quant-opt %s --inline | FileCheck %s --check-prefix=INLINE
// RUN: quant-opt %s --sccp | FileCheck %s --check-prefix=SCCP
// RUN: not grep -E "getDefiningOp|matchPattern|getConstantIntValue" %S/../../lib/IR/QDQOps.cpp %S/../../lib/IR/PackingOps.cpp %S/../../lib/IR/Granularity.cpp

// What other passes do to the operands of a valid op leaves it valid.

// CHECK-LABEL: func @scale_becomes_zero
// INLINE-LABEL: func @scale_becomes_zero
// SCCP-LABEL: func @scale_becomes_zero
func.func @scale_becomes_zero(%x: tensor<4xf32>, %q: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xf32>) {
  %c = arith.constant 1.0 : f32
  // CHECK: arith.constant 0.000000e+00
  // SCCP: arith.constant 0.000000e+00
  %s = arith.subf %c, %c : f32
  // CHECK: qdq.quantize
  // SCCP: qdq.quantize
  %a = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
  // CHECK: qdq.dequantize
  // SCCP: qdq.dequantize
  %b = qdq.dequantize %q scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  return %a, %b : tensor<4xi8>, tensor<4xf32>
}

func.func private @quantize(%x: tensor<4xf32>, %s: f32, %z: i32) -> tensor<4xi8> {
  %q = qdq.quantize %x scale %s zero_point %z : (tensor<4xf32>, f32, i32) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// CHECK-LABEL: func @zero_point_becomes_large
// INLINE-LABEL: func @zero_point_becomes_large
// SCCP-LABEL: func @zero_point_becomes_large
func.func @zero_point_becomes_large(%x: tensor<4xf32>) -> tensor<4xi8> {
  %s = arith.constant -1.0 : f32
  %z = arith.constant 300 : i32
  // INLINE: qdq.quantize
  %q = func.call @quantize(%x, %s, %z) : (tensor<4xf32>, f32, i32) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// CHECK-LABEL: func @packings_become_visible
// INLINE-LABEL: func @packings_become_visible
// SCCP-LABEL: func @packings_become_visible
func.func @packings_become_visible(%c: tensor<4x8xi32>, %z: tensor<1x1xi32>, %s: tensor<1x8xf16>) -> tensor<32x8xf16> {
  %true = arith.constant true
  %q = qdq.unpack %c packing <gptq-v2> : (tensor<4x8xi32>) -> tensor<32x8xui4>
  %v1 = qdq.unpack %z packing <gptq-v1, part = zero-point> : (tensor<1x1xi32>) -> tensor<1x8xui4>
  %v2 = qdq.unpack %z packing <gptq-v2, part = zero-point> : (tensor<1x1xi32>) -> tensor<1x8xui4>
  %zeros = arith.select %true, %v1, %v2 : tensor<1x8xui4>
  // CHECK: qdq.dequantize
  %x = qdq.dequantize %q scale %s zero_point %zeros block_shape [32, 1]
     : (tensor<32x8xui4>, tensor<1x8xf16>, tensor<1x8xui4>) -> tensor<32x8xf16>
  return %x : tensor<32x8xf16>
}
