// Casts of 8-bit floats on AMD's processors that have no others: a format of its own on gfx942, OCP's on gfx1200. Nothing runs.

// REQUIRES: amdgcn-registered-target

// DEFINE: %{format} =
// DEFINE: %{chip} =
// DEFINE: %{check} = sed s/FORMAT/%{format}/g %s | quant-opt --pass-pipeline="builtin.module(lower-quant{target-casts=%{chip}},canonicalize,convert-arith-to-amdgpu{chipset=%{chip}},qdq-expand-floats,convert-amdgpu-to-rocdl{chipset=%{chip}},convert-vector-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)" \
// DEFINE:   | mlir-translate --mlir-to-llvmir | opt -O2 -mtriple=amdgcn-amd-amdhsa -mcpu=%{chip} | llc -O2 -mtriple=amdgcn-amd-amdhsa -mcpu=%{chip}

// REDEFINE: %{chip} = gfx942
// REDEFINE: %{format} = f8E4M3FNUZ
// RUN: %{check} | FileCheck %s --check-prefixes=CHECK,FP8
// REDEFINE: %{format} = f8E5M2FNUZ
// RUN: %{check} | FileCheck %s --check-prefixes=CHECK,BF8

// REDEFINE: %{chip} = gfx1200
// REDEFINE: %{format} = f8E4M3FN
// RUN: %{check} | FileCheck %s --check-prefixes=CHECK,FP8
// REDEFINE: %{format} = f8E5M2
// RUN: %{check} | FileCheck %s --check-prefixes=CHECK,BF8

// An instruction for two codes.
// CHECK-LABEL: {{^}}quantize:
// FP8-COUNT-4: v_cvt_pk_fp8_f32
// BF8-COUNT-4: v_cvt_pk_bf8_f32
// CHECK: s_setpc_b64
func.func @quantize(%x: vector<8xf32>, %s: f32) -> vector<8xFORMAT> {
  %q = qdq.quantize %x scale %s : (vector<8xf32>, f32) -> vector<8xFORMAT>
  return %q : vector<8xFORMAT>
}

// CHECK-LABEL: {{^}}dequantize:
// FP8-COUNT-4: v_cvt_pk_f32_fp8
// BF8-COUNT-4: v_cvt_pk_f32_bf8
// CHECK: s_setpc_b64
func.func @dequantize(%q: vector<8xFORMAT>, %s: f32) -> vector<8xf32> {
  %y = qdq.dequantize %q scale %s : (vector<8xFORMAT>, f32) -> vector<8xf32>
  return %y : vector<8xf32>
}
