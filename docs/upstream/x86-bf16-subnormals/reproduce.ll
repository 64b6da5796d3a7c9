; RUN: llc -mtriple=x86_64-linux-gnu -mattr=+avx512bf16,+avx512vl %s -o - | FileCheck %s

; CHECK-LABEL: truncate:
; CHECK: vcvtneps2bf16
define <8 x bfloat> @truncate(<8 x float> %x) {
  %y = fptrunc <8 x float> %x to <8 x bfloat>
  ret <8 x bfloat> %y
}
