// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules within a module, each lowered by a pipeline of its own.
// RUN: quant-opt %s --pass-pipeline='builtin.module(builtin.module(quant-to-llvm))' | FileCheck %s --implicit-check-not=qdq. --implicit-check-not=memref.

// CHECK: module @first
// CHECK: llvm.func @f(
module @first {
  func.func @f(%x: tensor<?xf32>, %s: f32) -> tensor<?xi8> {
    %q = qdq.quantize %x scale %s : (tensor<?xf32>, f32) -> tensor<?xi8>
    return %q : tensor<?xi8>
  }
}

// CHECK: module @second
// CHECK: llvm.func @f(
module @second {
  func.func @f(%q: tensor<?xi8>, %s: f32) -> tensor<?xf32> {
    %x = qdq.dequantize %q scale %s : (tensor<?xi8>, f32) -> tensor<?xf32>
    return %x : tensor<?xf32>
  }
}
