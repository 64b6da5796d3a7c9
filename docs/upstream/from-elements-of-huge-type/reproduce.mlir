// RUN: not --crash mlir-opt %s 2>&1 | FileCheck %s

// CHECK: SmallVector unable to grow
func.func @f(%x: index) -> tensor<4294967296xindex> {
  %t = tensor.from_elements %x : tensor<4294967296xindex>
  return %t : tensor<4294967296xindex>
}
