// RUN: not mlir-opt %s --one-shot-bufferize="bufferize-function-boundaries" 2>&1 | FileCheck %s

// CHECK: offset 0 is out-of-bounds: 2 >= 2
func.func @pad(%x: tensor<0xi8>) -> tensor<2xi8> {
  %c7 = arith.constant 7 : i8
  %r = tensor.pad %x low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %c7 : i8
  } : tensor<0xi8> to tensor<2xi8>
  return %r : tensor<2xi8>
}
