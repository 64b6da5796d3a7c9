// A profile that changes nothing is a warning; one that the sources of the same pipeline stamped is none.
// RUN: quant-opt %s --convert-onnx-to-qdq=profile=ort --convert-qdq-to-linalg=profile=ort --convert-qdq-to-arith=profile=ort --split-input-file --verify-diagnostics
// RUN: quant-opt %s --lower-quant=profile=ort --split-input-file --verify-diagnostics
// RUN: quant-opt %s --lower-quant="profile=ort override-semantics" --split-input-file | FileCheck %s --implicit-check-not=math.floor

#complete = #qdq.semantics<rounding = floor, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate,
  nan = lowest, fusion = none, float_overflow = saturate>

// CHECK-LABEL: func @complete
func.func @complete(%x: tensor<4xf32>, %q: tensor<4xi8>, %s: f32, %z: i8, %e: f32) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, i8) {
  // expected-warning @+1 {{profile=ort has no effect on this op and 2 more, whose semantics are complete; override-semantics replaces them}}
  %a = qdq.quantize %x scale %s semantics #complete : (tensor<4xf32>, f32) -> tensor<4xi8>
  %b = qdq.quantize %x scale %s zero_point %z semantics #complete : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
  %c = qdq.dequantize %q scale %s zero_point %z semantics #complete : (tensor<4xi8>, f32, i8) -> tensor<4xf32>
  // expected-warning @+1 {{profile=ort has no effect on this op, whose}}
  %d = qdq.quantize %e scale %s semantics #complete : (f32, f32) -> i8
  return %a, %b, %c, %d : tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, i8
}

// -----

#own = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f16, subtract = wide, overflow = saturate,
  nan = lowest, fusion = none, float_overflow = ieee>

// Open fields are filled by the profile; what a source's op spells stays; subtract does not matter without a zero point.
// CHECK-LABEL: func @no_warning
func.func @no_warning(%x: tensor<4xf32>, %q: tensor<4xi8>, %s: f32, %t: tensor<f32>, %z: tensor<ui8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>) {
  %a = qdq.quantize %x scale %s semantics <rounding = floor> : (tensor<4xf32>, f32) -> tensor<4xi8>
  %b = qdq.quantize %x scale %s semantics #own : (tensor<4xf32>, f32) -> tensor<4xi8>
  %c = qdq.dequantize %q scale %s semantics #own : (tensor<4xi8>, f32) -> tensor<4xf32>
  return %a, %b, %c : tensor<4xi8>, tensor<4xi8>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @stamped
func.func @stamped(%x: tensor<4xf32>, %t: tensor<f32>, %z: tensor<ui8>) -> tensor<4xf32> {
  %q = "onnx.QuantizeLinear"(%x, %t, %z) {precision = 10 : si64} : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  %y = "onnx.DequantizeLinear"(%q, %t, %z) : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// ONNX Runtime's own kernel, which adds the zero point before it rounds.
// CHECK-LABEL: func @kernel
func.func @kernel(%a: tensor<4xui8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<4xui8> {
  %y = "onnx.Custom"(%a, %s, %z, %a, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearMul"}
    : (tensor<4xui8>, tensor<f32>, tensor<ui8>, tensor<4xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}
