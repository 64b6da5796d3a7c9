// What only the quantized ops used goes with them, as does what was made for nothing, and dims share their indices; what others left dead stays. There is no CSE: it compares the
// bodies of all ops that read one tensor.
// RUN: quant-opt %s --lower-quant | FileCheck %s --implicit-check-not="arith.constant dense"
// RUN: quant-opt %s --lower-quant --dump-pass-pipeline 2>&1 >%t | FileCheck %s --check-prefix=PASSES --implicit-check-not=cse
// RUN: quant-opt %s --lower-quant=target=vector --dump-pass-pipeline 2>&1 >%t | FileCheck %s --check-prefix=VECTOR

// PASSES: convert-qdq-to-linalg
// VECTOR: cse,
// VECTOR-NEXT: qdq-codegen-vectorize

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

// All constants are read.
// CHECK-LABEL: func.func @rescale
// CHECK: linalg.generic
// CHECK-COUNT-6: arith.constant
// CHECK-NOT: arith.constant
// CHECK: linalg.yield
func.func @rescale(%x: tensor<4xi32>) -> tensor<4xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %t = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zo = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.rescale %x, %m, %t, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
    : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// The indices of the author's dims stay theirs, wherever they stand.
// CHECK-LABEL: ml_program.subgraph @graph
// CHECK: tensor.dim %arg2, %[[A:.*]] :
// CHECK: %[[A]] = arith.constant {mine} 0
ml_program.subgraph @graph(%x: tensor<?xf32>, %s: tensor<f32>, %t: tensor<?xf32>) -> (tensor<?xi8>, index) {
  %d = tensor.dim %t, %a : tensor<?xf32>
  %a = arith.constant {mine} 0 : index
  %q = qdq.quantize %x scale %s : (tensor<?xf32>, tensor<f32>) -> tensor<?xi8>
  ml_program.output %q, %d : tensor<?xi8>, index
}
