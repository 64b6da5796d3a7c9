// What only the quantized ops used goes with them, and dims share their indices; what others left dead stays. There is no CSE: it compares the
// bodies of all ops that read one tensor.
// RUN: quant-opt %s --lower-quant | FileCheck %s --implicit-check-not="arith.constant dense"
// RUN: quant-opt %s --lower-quant --dump-pass-pipeline 2>&1 >%t | FileCheck %s --check-prefix=PASSES --implicit-check-not=cse
// RUN: quant-opt %s --lower-quant=target=vector --dump-pass-pipeline 2>&1 >%t | FileCheck %s --check-prefix=VECTOR

// PASSES: convert-qdq-to-linalg
// VECTOR: cse,
// VECTOR-NEXT: qdq-vectorize

// CHECK-LABEL: func.func @constants
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: linalg.generic
func.func @constants(%x: tensor<4xf32>) -> tensor<4xi8> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %q = qdq.quantize %x scale %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// CHECK-LABEL: func.func @dims
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: tensor.dim %{{.*}}, %[[C0]]
// CHECK-NEXT: tensor.dim %{{.*}}, %[[C1]]
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: linalg.generic
// CHECK: } -> tensor<?x?xi8>
// CHECK-NEXT: tensor.dim %{{.*}}, %[[C0]]
// CHECK-NEXT: tensor.dim %{{.*}}, %[[C1]]
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: linalg.generic
func.func @dims(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %q = quant.qcast %x : tensor<?x?xf32> to tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>
  %y = quant.dcast %q : tensor<?x?x!quant.uniform<i8:f32, 0.5:3>> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @kept
// CHECK-NEXT: arith.constant 7
// CHECK-NEXT: tensor.empty
func.func @kept(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  %dead = arith.constant 7 : i32
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %q : tensor<4x!quant.uniform<i8:f32, 0.5>>
}
