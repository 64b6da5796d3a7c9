// RUN: not mlir-opt %s --one-shot-bufferize="bufferize-function-boundaries" 2>&1 | FileCheck %s

// CHECK: 'memref.collapse_shape' op collapsed dim (0) must be dynamic if and only if reassociation group is dynamic
func.func @collapse(%x: tensor<?x0xf32>) -> tensor<?xf32> {
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x0xf32> into tensor<?xf32>
  return %y : tensor<?xf32>
}
