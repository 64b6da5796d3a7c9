// RUN: not mlir-opt %s --convert-arith-to-amdgpu="chipset=gfx950" 2>&1 | FileCheck %s

// CHECK: 'amdgpu.packed_scaled_trunc' op result #0 must be fixed-length vector of f8E5M2 type
func.func @truncate(%x: vector<32xf32>, %s: vector<32xf8E8M0FNU>) -> vector<32xf6E2M3FN> {
  %y = arith.scaling_truncf %x, %s : vector<32xf32>, vector<32xf8E8M0FNU> to vector<32xf6E2M3FN>
  return %y : vector<32xf6E2M3FN>
}
