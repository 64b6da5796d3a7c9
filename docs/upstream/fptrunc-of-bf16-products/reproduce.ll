; RUN: opt -passes=instcombine -S %s -o - | FileCheck %s

; CHECK-LABEL: @product(
; CHECK: fptrunc float %a to half
; CHECK: fmul half
define half @product(bfloat %x, half %s) {
  %a = fpext bfloat %x to float
  %b = fpext half %s to float
  %m = fmul float %a, %b
  %r = fptrunc float %m to half
  ret half %r
}
