// Large ops are parallel regions of OpenMP; small ones are not, and dynamic ones only if they turn out large.
// RUN: quant-opt %s --quant-to-llvm=threads=2 | FileCheck %s
// RUN: quant-opt %s --quant-to-llvm=threads=0 | FileCheck %s --check-prefix=ALL
// RUN: quant-opt %s --quant-to-llvm | FileCheck %s --check-prefix=ONE
// RUN: not quant-opt %s --quant-to-llvm=threads=-1 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: quant-opt: error: --threads: '-1': expected a whole number, 0 or more
// ALL: omp.parallel {
// ALL-NOT: num_threads
// ONE-NOT: omp.

// CHECK-LABEL: llvm.func @large(
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: omp.parallel num_threads(%[[TWO]] : i32)
// CHECK: llvm.call @large.part(
func.func @large(%x: tensor<1000x1000xi8>, %s: f32) -> tensor<1000x1000xf32> {
  %y = qdq.dequantize %x scale %s : (tensor<1000x1000xi8>, f32) -> tensor<1000x1000xf32>
  return %y : tensor<1000x1000xf32>
}

// CHECK-LABEL: llvm.func @small(
// CHECK-NOT: omp.
// CHECK: llvm.return
func.func @small(%x: tensor<8xi8>, %s: f32) -> tensor<8xf32> {
  %y = qdq.dequantize %x scale %s : (tensor<8xi8>, f32) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: llvm.func @dynamic(
// CHECK: llvm.cond_br
// CHECK: omp.parallel
// CHECK: llvm.call @dynamic.part(
// CHECK: llvm.call @dynamic.part(
// CHECK: llvm.return
func.func @dynamic(%x: tensor<?xi8>, %s: f32) -> tensor<?xf32> {
  %y = qdq.dequantize %x scale %s : (tensor<?xi8>, f32) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Bytes are divided, and not the codes in them.
// CHECK-LABEL: llvm.func @packed(
// CHECK: omp.parallel
// CHECK: llvm.func internal @large.part(
func.func @packed(%x: tensor<2000003xf32>, %s: f32) -> tensor<2000003xi4> {
  %y = qdq.quantize %x scale %s : (tensor<2000003xf32>, f32) -> tensor<2000003xi4>
  return %y : tensor<2000003xi4>
}
