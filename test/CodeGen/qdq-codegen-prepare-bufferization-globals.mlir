// RUN: quant-opt %s --qdq-codegen-prepare-bufferization | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-prepare-bufferization --one-shot-bufferize=bufferize-function-boundaries | FileCheck %s --check-prefix=BUFFERS

// One for each value, whatever function it is in; not for scalars and vectors. Bufferization finds them.
// CHECK-NOT: memref.global
// CHECK-DAG: memref.global "private" constant @[[A:.*]] : memref<2xi8> = dense<[1, 2]> {alignment = 64 : i64}
// CHECK-DAG: memref.global "private" constant @[[B:.*]] : memref<2xi8> = dense<[3, 4]> {alignment = 64 : i64}
// CHECK-NOT: memref.global
// BUFFERS-COUNT-2: memref.global
// BUFFERS-NOT: memref.global

func.func @first() -> (tensor<2xi8>, f32, vector<2xi8>) {
  %a = arith.constant dense<[1, 2]> : tensor<2xi8>
  %s = arith.constant 1.0 : f32
  %v = arith.constant dense<[1, 2]> : vector<2xi8>
  return %a, %s, %v : tensor<2xi8>, f32, vector<2xi8>
}
func.func @second() -> (tensor<2xi8>, tensor<2xi8>) {
  %a = arith.constant dense<[1, 2]> : tensor<2xi8>
  %b = arith.constant dense<[3, 4]> : tensor<2xi8>
  return %a, %b : tensor<2xi8>, tensor<2xi8>
}
