; RUN: llc -mtriple=x86_64-linux-gnu -mattr=+avx512bf16,+avx512vl %s -o - | FileCheck %s

; CHECK-LABEL: copy:
; CHECK: vcvtneps2bf16
define void @copy(ptr %p, ptr %q, i1 %c) {
  %x = load bfloat, ptr %p
  br i1 %c, label %then, label %end
then:
  store bfloat %x, ptr %q
  br label %end
end:
  ret void
}
