// RUN: not --crash mlir-opt %s 2>&1 | FileCheck %s

// CHECK: could not cast operand of type 'i8' to 'index'
// CHECK: custom op parser 'linalg.batch_matmul'
func.func @f(%a: tensor<2x2x2xi8>, %b: tensor<2x2x2xi8>, %c: tensor<2x2x2xindex>) -> tensor<2x2x2xindex> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<2x2x2xi8>, tensor<2x2x2xi8>) outs(%c : tensor<2x2x2xindex>) -> tensor<2x2x2xindex>
  return %r : tensor<2x2x2xindex>
}
