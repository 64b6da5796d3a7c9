// RUN: not --crash mlir-opt %s --finalize-memref-to-llvm 2>&1 | FileCheck %s

// CHECK: does not provide iteration facilities
memref.global "private" constant @one : memref<f32> = dense_resource<one>
func.func @read() -> memref<f32> {
  %m = memref.get_global @one : memref<f32>
  return %m : memref<f32>
}

{-# dialect_resources: { builtin: { one: "0x040000000000803F" } } #-}
