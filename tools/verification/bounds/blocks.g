# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Block floating point: a number moves by at most 2^-22.9 of the largest of its block, L or M, which
# is scaled to [1, 2]. The unit doubles where the largest is less than a 128th below 2.
a = fixed<-22, ne>(x);
b = fixed<-21, ne>(y);
{ x in [-2, 2] /\ L in [1, 2] /\ y in [-2, 2] /\ M in [1.984375, 2] ->
  |(a - x) / L| <= 0x1.12p-23 /\ |(b - y) / M| <= 0x1.12p-23 }
