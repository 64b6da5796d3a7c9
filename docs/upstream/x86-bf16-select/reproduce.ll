; RUN: not --crash llc -mtriple=x86_64-linux-gnu -mcpu=cooperlake %s -o /dev/null 2>&1 | FileCheck %s

; CHECK: LLVM ERROR: Do not know how to soft promote this operator's operand!
define <17 x bfloat> @choose(<17 x i1> %c, ptr %p) {
  %x = load <17 x bfloat>, ptr %p, align 2
  %y = select <17 x i1> %c, <17 x bfloat> zeroinitializer, <17 x bfloat> %x
  ret <17 x bfloat> %y
}
