// RUN: mlir-opt %s --convert-arith-to-llvm --finalize-memref-to-llvm | FileCheck %s

// CHECK: llvm.alloca %{{.*}} x !llvm.array<2 x i64>
func.func @size(%m: memref<?x?xf32>) -> index {
  %c1 = arith.constant 1 : index
  %d = memref.dim %m, %c1 : memref<?x?xf32>
  return %d : index
}
