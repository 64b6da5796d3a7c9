// RUN: quant-opt %s --qdq-simplify=max-code-diff=1 --split-input-file --verify-diagnostics | FileCheck %s

#onnx = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                       overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// CHECK-LABEL: func @quantize_reciprocal
func.func @quantize_reciprocal(%x: tensor<2xf32>) -> tensor<2xi8> {
  // CHECK: division = reciprocal
  %s = arith.constant 0.3 : f32
  // expected-remark @+1 {{multiplies by the reciprocal of the scale: codes differ by at most 1, over every input of type 'f32'}}
  %q = qdq.quantize %x scale %s semantics #onnx : (tensor<2xf32>, f32) -> tensor<2xi8>
  return %q : tensor<2xi8>
}

// What is exact is not reported.
// CHECK-LABEL: func @quantize_exact
func.func @quantize_exact(%x: tensor<2xf32>) -> tensor<2xi8> {
  // CHECK: division = reciprocal
  %s = arith.constant 0.25 : f32
  %q = qdq.quantize %x scale %s semantics #onnx : (tensor<2xf32>, f32) -> tensor<2xi8>
  return %q : tensor<2xi8>
}

// Scales that differ by one unit in the last place of bf16: codes move by one at most.
// CHECK-LABEL: func @round_trip
// CHECK-SAME: %[[Q:.*]]: tensor<4xi8>
func.func @round_trip(%q: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: return %[[Q]]
  %s = arith.constant 1.0 : f32
  %t = arith.constant 1.0078125 : f32
  %x = qdq.dequantize %q scale %s semantics #onnx : (tensor<4xi8>, f32) -> tensor<4xf32>
  // expected-remark @+1 {{removed with the dequantize before it: codes differ by at most 1, over every code of 'i8'}}
  %p = qdq.quantize %x scale %t semantics #onnx : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %p : tensor<4xi8>
}

// Twice that is two codes, beyond the bound; one quantize of the codes gives the same ones.
// CHECK-LABEL: func @round_trip_beyond_bound
func.func @round_trip_beyond_bound(%q: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: qdq.quantize {{.*}} : (tensor<4xi8>, f32) -> tensor<4xi8>
  %s = arith.constant 1.0 : f32
  %t = arith.constant 1.015625 : f32
  %x = qdq.dequantize %q scale %s semantics #onnx : (tensor<4xi8>, f32) -> tensor<4xf32>
  %p = qdq.quantize %x scale %t semantics #onnx : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %p : tensor<4xi8>
}

// -----

#onnx = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                       overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// An op whose codes have moved does not move them again; the mark goes.
// CHECK-LABEL: func @quantize_spent
func.func @quantize_spent(%x: tensor<2xf32>) -> tensor<2xi8> {
  // CHECK: division = exact{{.*}}> {note.layer = "conv"} :
  %s = arith.constant 0.3 : f32
  %q = qdq.quantize %x scale %s semantics #onnx {note.layer = "conv", qdq.codes_moved} : (tensor<2xf32>, f32) -> tensor<2xi8>
  return %q : tensor<2xi8>
}

// Attributes stay with what an op becomes.
// CHECK-LABEL: func @round_trip_attributes
func.func @round_trip_attributes(%q: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: qdq.quantize {{.*}} {note.layer = "conv"} : (tensor<4xi8>, f32) -> tensor<4xi8>
  %s = arith.constant 1.0 : f32
  %t = arith.constant 1.015625 : f32
  %x = qdq.dequantize %q scale %s semantics #onnx : (tensor<4xi8>, f32) -> tensor<4xf32>
  %p = qdq.quantize %x scale %t semantics #onnx {note.layer = "conv"} : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %p : tensor<4xi8>
}
