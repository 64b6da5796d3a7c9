// RUN: mlir-opt %s --convert-bufferization-to-memref | FileCheck %s
// RUN: mlir-opt %s --convert-bufferization-to-memref --convert-scf-to-cf --finalize-memref-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK: memref.alloca(%{{.*}}) : memref<?xindex>
// CHECK: memref.reshape
// LLVM: llvm.call @memrefCopy
func.func @copy(%x: memref<*xf32>) -> memref<*xf32> {
  %y = bufferization.clone %x : memref<*xf32> to memref<*xf32>
  return %y : memref<*xf32>
}
