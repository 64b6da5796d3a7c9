// RUN: quant-opt --convert-onnx-to-linalg=profile=ort %s | FileCheck %s
// RUN: quant-opt --convert-onnx-to-linalg=profile=onnx %s | FileCheck %s --check-prefix=ONNX

// The polynomial of ONNX Runtime, and a quotient, in place of an exp.
// CHECK-LABEL: func.func @sigmoid
// CHECK-NOT: math.exp
// CHECK-COUNT-9: math.fma
// CHECK: arith.divf
// ONNX-LABEL: func.func @sigmoid
// ONNX: math.exp
func.func @sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "onnx.Sigmoid"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// f16 is computed in f32.
// CHECK-LABEL: func.func @tanh_of_halves
// CHECK: arith.extf
// CHECK-NOT: math.tanh
// CHECK-COUNT-9: math.fma
func.func @tanh_of_halves(%x: tensor<4xf16>) -> tensor<4xf16> {
  %y = "onnx.Tanh"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// CHECK-LABEL: func.func @erf_of_doubles
// CHECK: math.erf
func.func @erf_of_doubles(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = "onnx.Erf"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// The sum's reciprocal is rounded, once for each row.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: linalg.softmax
// CHECK: arith.maxnumf
// CHECK: math.fma
// CHECK: %[[SUM:.*]] = linalg.reduce { arith.addf }
// CHECK: linalg.generic {{.*}} ins(%[[SUM]]
// CHECK: arith.divf
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// ONNX-LABEL: func.func @softmax
// ONNX: linalg.softmax dimension(1)
func.func @softmax(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %y = "onnx.Softmax"(%x) {axis = -1 : si64} : (tensor<4x9xf32>) -> tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}
