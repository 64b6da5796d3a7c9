; RUN: llc -mtriple=x86_64-linux-gnu -mattr=+fma %s -o - | FileCheck %s

; CHECK-LABEL: product:
; CHECK: vfmadd213ss
; CHECK: __truncsfbf2
define bfloat @product(bfloat %x, bfloat %y, bfloat %z) {
  %r = call bfloat @llvm.fma(bfloat %x, bfloat %y, bfloat %z)
  ret bfloat %r
}
