// Quantize and dequantize down to the instructions of each target. Nothing runs: no such machine is needed.

// DEFINE: %{native} =
// DEFINE: %{more} =
// DEFINE: %{arch} =
// DEFINE: %{prefix} =
// DEFINE: %{to-llvm} = convert-vector-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts
// DEFINE: %{check} = quant-opt %s --pass-pipeline="builtin.module(lower-quant{target-casts=%{native}},canonicalize,%{more}qdq-expand-floats,%{to-llvm})" \
// DEFINE:   | mlir-translate --mlir-to-llvmir | opt -O2 %{arch} | llc -O2 %{arch} | FileCheck %s --check-prefix=%{prefix}

// REQUIRES: nvptx64-registered-target, x86-64-registered-target, aarch64-registered-target, riscv64-registered-target, amdgcn-registered-target

// REDEFINE: %{native} = sm_89
// REDEFINE: %{arch} = -mtriple=nvptx64-nvidia-cuda -mcpu=sm_89 -mattr=+ptx81
// REDEFINE: %{prefix} = SM89
// RUN: %{check}

// REDEFINE: %{native} = sm_100a
// REDEFINE: %{arch} = -mtriple=nvptx64-nvidia-cuda -mcpu=sm_100a -mattr=+ptx87
// REDEFINE: %{prefix} = SM100
// RUN: %{check}

// REDEFINE: %{native} = avx10.2
// REDEFINE: %{arch} = -mtriple=x86_64-linux-gnu -mattr=+avx10.2
// REDEFINE: %{prefix} = X86
// RUN: %{check}

// REDEFINE: %{native} = fp8
// REDEFINE: %{arch} = -mtriple=aarch64-linux-gnu -mattr=+fp8
// REDEFINE: %{prefix} = ARM
// RUN: %{check}

// REDEFINE: %{native} = zvfofp8min
// REDEFINE: %{arch} = -mtriple=riscv64-linux-gnu -mattr=+v,+zvfbfmin,+experimental-zvfofp8min
// REDEFINE: %{prefix} = RISCV
// RUN: %{check}

// REDEFINE: %{native} = gfx950
// REDEFINE: %{more} = convert-arith-to-amdgpu{chipset=gfx950},
// REDEFINE: %{to-llvm} = convert-amdgpu-to-rocdl{chipset=gfx950},convert-vector-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts
// REDEFINE: %{arch} = -mtriple=amdgcn-amd-amdhsa -mcpu=gfx950
// REDEFINE: %{prefix} = GFX950
// RUN: %{check}

// SM89-LABEL: quantize_f8(
// SM89-COUNT-4: cvt.rn.satfinite.e4m3x2.f32
// SM100-LABEL: quantize_f8(
// SM100-COUNT-4: cvt.rn.satfinite.e4m3x2.f32
// X86-LABEL: {{^}}quantize_f8:
// X86: vdivps
// X86-NOT: vmaxps
// X86: vcvtps2phx
// X86: vcvtph2hf8s
// ARM-LABEL: {{^}}quantize_f8:
// ARM: mov [[MODE:w[0-9]+]], #32832
// ARM-NOT: fminnm
// ARM: msr FPMR
// ARM: fcvtn v0.8b, v{{[0-9]+}}.4s, v{{[0-9]+}}.4s
// RISCV-LABEL: {{^}}quantize_f8:
// RISCV: vfncvt.sat.f.f.q
// GFX950-LABEL: {{^}}quantize_f8:
// GFX950-COUNT-4: v_cvt_pk_fp8_f32
func.func @quantize_f8(%x: vector<8xf32>, %s: f32) -> vector<8xf8E4M3FN> {
  %q = qdq.quantize %x scale %s : (vector<8xf32>, f32) -> vector<8xf8E4M3FN>
  return %q : vector<8xf8E4M3FN>
}

// SM89-LABEL: dequantize_f8(
// SM89-COUNT-4: cvt.rn.f16x2.e5m2x2
// SM100-LABEL: dequantize_f8(
// SM100-COUNT-4: cvt.rn.f16x2.e5m2x2
// X86-LABEL: {{^}}dequantize_f8:
// X86: vpunpcklbw
// X86: vcvtph2psx
// ARM-LABEL: {{^}}dequantize_f8:
// ARM: msr FPMR
// ARM: f1cvtl v{{[0-9]+}}.8h, v0.8b
// RISCV-LABEL: {{^}}dequantize_f8:
// RISCV: e8alt
// RISCV: vfwcvtbf16.f.f.v
// GFX950-LABEL: {{^}}dequantize_f8:
// GFX950-COUNT-4: v_cvt_pk_f32_bf8
func.func @dequantize_f8(%q: vector<8xf8E5M2>, %s: f32) -> vector<8xf32> {
  %x = qdq.dequantize %q scale %s : (vector<8xf8E5M2>, f32) -> vector<8xf32>
  return %x : vector<8xf32>
}

// Blocks of OCP MX: one scale for all lanes.
// SM89-LABEL: quantize_mxfp4(
// SM89-NOT: e2m1
// SM100-LABEL: quantize_mxfp4(
// SM100: cvt.rn.bf16x2.ue8m0x2
// SM100-COUNT-4: cvt.rn.satfinite.e2m1x2.f32
// GFX950-LABEL: {{^}}quantize_mxfp4:
// GFX950-NOT: v_div
// GFX950-COUNT-4: v_cvt_scalef32_pk_fp4_f32
func.func @quantize_mxfp4(%x: vector<8xf32>, %s: f8E8M0FNU) -> vector<8xf4E2M1FN> {
  %q = qdq.quantize %x scale %s : (vector<8xf32>, f8E8M0FNU) -> vector<8xf4E2M1FN>
  return %q : vector<8xf4E2M1FN>
}

// SM100-LABEL: dequantize_mxfp4(
// SM100-COUNT-4: cvt.rn.f16x2.e2m1x2
// GFX950-LABEL: {{^}}dequantize_mxfp4:
// GFX950-COUNT-4: v_cvt_scalef32_pk_bf16_fp4
// GFX950: s_setpc
func.func @dequantize_mxfp4(%q: vector<8xf4E2M1FN>, %s: f8E8M0FNU) -> vector<8xbf16> {
  %x = qdq.dequantize %q scale %s : (vector<8xf4E2M1FN>, f8E8M0FNU) -> vector<8xbf16>
  return %x : vector<8xbf16>
}
