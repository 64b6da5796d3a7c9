// What LLVM makes of float storage on CPUs without an instruction for 8-bit floats: vectors from end to end, nothing called, nothing
// looked up. Baseline x86-64 cannot even round to an integral value.

// LLVM 23 chooses other instructions.
// REQUIRES: mlir-22

// DEFINE: %{cpu} = x86-64-v3
// DEFINE: %{arch} = x86_64
// DEFINE: %{prefix} = CHECK
// DEFINE: %{check} = quant-opt %s --quant-to-llvm=caller-allocates | mlir-translate --mlir-to-llvmir \
// DEFINE:   | opt -O3 -mtriple=%{arch}-linux-gnu -mcpu=%{cpu} | llc -O3 -mtriple=%{arch}-linux-gnu -mcpu=%{cpu} \
// DEFINE:   | FileCheck %s --check-prefix=%{prefix} --implicit-check-not=call --implicit-check-not=pextr --implicit-check-not=pinsr --implicit-check-not=gather \
// DEFINE:     --implicit-check-not=addss --implicit-check-not=divss --implicit-check-not=mulss --implicit-check-not="fdiv s"

// RUN: %{check}

// REDEFINE: %{cpu} = x86-64-v4
// RUN: %{check}

// REDEFINE: %{cpu} = x86-64
// REDEFINE: %{prefix} = BASE
// RUN: %{check}

// REDEFINE: %{cpu} = neoverse-n1
// REDEFINE: %{arch} = aarch64
// REDEFINE: %{prefix} = ARM
// RUN: %{check}

// CHECK-LABEL: {{^}}quantize:
// CHECK: vdivps
// CHECK: vminps
// CHECK: vmaxps
// CHECK: vpminud
// CHECK: ret
// BASE-LABEL: {{^}}quantize:
// BASE: divps
// ARM-LABEL: {{^}}quantize:
// ARM-NOT: {{[[:space:]]}}bl{{[[:space:]]}}
// ARM: fdiv v{{[0-9]+}}.4s
// ARM: umin v{{[0-9]+}}.4s
func.func @quantize(%x: tensor<4096xf32>, %s: tensor<f32>) -> tensor<4096xf8E4M3FN> {
  %q = qdq.quantize %x scale %s : (tensor<4096xf32>, tensor<f32>) -> tensor<4096xf8E4M3FN>
  return %q : tensor<4096xf8E4M3FN>
}

// CHECK-LABEL: {{^}}quantize_floor:
// CHECK: vdivps
// CHECK: vcmp{{.*}}ps
// CHECK: ret
// BASE-LABEL: {{^}}quantize_floor:
// BASE: divps
// ARM-LABEL: {{^}}quantize_floor:
// ARM-NOT: {{[[:space:]]}}bl{{[[:space:]]}}
// ARM: fdiv v{{[0-9]+}}.4s
func.func @quantize_floor(%x: tensor<4096xf32>, %s: tensor<f32>) -> tensor<4096xf8E5M2> {
  %q = qdq.quantize %x scale %s semantics <rounding = floor> : (tensor<4096xf32>, tensor<f32>) -> tensor<4096xf8E5M2>
  return %q : tensor<4096xf8E5M2>
}

// CHECK-LABEL: {{^}}dequantize:
// CHECK: vpslld
// CHECK: vmulps
// CHECK: ret
// BASE-LABEL: {{^}}dequantize:
// BASE: mulps
// ARM-LABEL: {{^}}dequantize:
// ARM-NOT: {{[[:space:]]}}bl{{[[:space:]]}}
// ARM: fmul v{{[0-9]+}}.4s
func.func @dequantize(%q: tensor<4096xf8E4M3FN>, %s: tensor<f32>) -> tensor<4096xf32> {
  %x = qdq.dequantize %q scale %s : (tensor<4096xf8E4M3FN>, tensor<f32>) -> tensor<4096xf32>
  return %x : tensor<4096xf32>
}
