// From casts and what stands beside them to the LLVM dialect alone: results are returned, or written where the caller says.
// RUN: quant-opt %s --quant-to-llvm | FileCheck %s --implicit-check-not=tensor. --implicit-check-not=memref. --implicit-check-not=linalg.
// RUN: quant-opt %s --quant-to-llvm=caller-allocates | FileCheck %s --check-prefix=CALLER --implicit-check-not=memref. --implicit-check-not=linalg.

// Packed bytes, an index for each dynamic size, and a wrapper for C.
// CHECK-LABEL: llvm.func @relu_packed
// CHECK-SAME: -> !llvm.struct<(struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, i64, i64)>
// CHECK: llvm.intr.lrint
// CHECK: llvm.func @_mlir_ciface_relu_packed

// CALLER-LABEL: llvm.func @relu_packed.shapes
// CALLER-SAME: qdq.assertions = []
// CALLER-LABEL: llvm.func @relu_packed(
// CALLER-SAME: qdq.results = ["destination", "shape", "shape"], qdq.shape_function = @relu_packed.shapes
// CALLER: llvm.intr.lrint
// CALLER: llvm.func @_mlir_ciface_relu_packed
func.func @relu_packed(%x: tensor<?x?x8xf32>) -> tensor<?x?x8x!quant.uniform<i4:f32:2, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %z = tensor.splat %zero[%m, %n] : tensor<?x?x8xf32>
  %r = arith.maximumf %x, %z : tensor<?x?x8xf32>
  %q = quant.qcast %r : tensor<?x?x8xf32> to tensor<?x?x8x!quant.uniform<i4:f32:2, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}>>
  return %q : tensor<?x?x8x!quant.uniform<i4:f32:2, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}>>
}
