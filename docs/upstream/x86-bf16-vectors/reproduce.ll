; RUN: not --crash llc -mtriple=x86_64-linux-gnu -mattr=+avx512bf16 %s -o /dev/null 2>&1 | FileCheck %s

; CHECK: LLVM ERROR: Cannot select: {{.*}}v8bf16 = X86ISD::BLENDV
define <8 x bfloat> @maximum(<8 x bfloat> %x, <8 x bfloat> %y) {
  %z = call <8 x bfloat> @llvm.maximum(<8 x bfloat> %x, <8 x bfloat> %y)
  ret <8 x bfloat> %z
}
