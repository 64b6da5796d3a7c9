; RUN: llc -mtriple=x86_64-linux-gnu %s -o - | FileCheck %s

; CHECK-LABEL: sign:
; CHECK-NOT: pextrw
; CHECK: xorl %eax, %eax
; CHECK-NEXT: retq
define i16 @sign(float %x) {
  %y = fptrunc float %x to bfloat
  %b = bitcast bfloat %y to i16
  %s = and i16 %b, -32768
  ret i16 %s
}
