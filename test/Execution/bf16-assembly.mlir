// Down to the instructions of processors that convert to bf16, which flushes subnormals. Nothing runs: no such machine is needed.

// DEFINE: %{cpu} =
// DEFINE: %{level} =
// DEFINE: %{check} = quant-opt %s --quant-to-llvm=target-cpu=%{cpu} | mlir-translate --mlir-to-llvmir \
// DEFINE:   | llc %{level} -mtriple=x86_64-linux-gnu -mcpu=%{cpu} | FileCheck %s

// REQUIRES: x86-64-registered-target

// REDEFINE: %{cpu} = cooperlake
// REDEFINE: %{level} = -O0
// RUN: %{check}
// REDEFINE: %{level} = -O2
// RUN: %{check}
// REDEFINE: %{cpu} = sierraforest
// RUN: %{check}

// The padding stays in a register across blocks.
// CHECK-NOT: cvtneps2bf16
// CHECK-LABEL: pad:
func.func @pad(%x: tensor<?xbf16>, %v: bf16) -> tensor<?xbf16> {
  %r = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : bf16
  } : tensor<?xbf16> to tensor<?xbf16>
  return %r : tensor<?xbf16>
}

// LLVM aborts on lanes of bf16: "Do not know how to soft promote this operator's operand!"
// CHECK-LABEL: lanes:
// CHECK-NOT: cvtneps2bf16
func.func @lanes(%x: tensor<17xbf16>) -> (tensor<17xf32>, tensor<17xui8>) {
  %s, %z = qdq.choose_params %x axis 0 : (tensor<17xbf16>) -> (tensor<17xf32>, tensor<17xui8>)
  return %s, %z : tensor<17xf32>, tensor<17xui8>
}
