# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The bound of divisions.py: before its last rounding, the corrected product is within 8 units of
# 2^-k / s of the quotient, k = 47 for quotients from 1 on and 48 below. The group `quotients` looks
# at all numerators that are as close to a middle of two floats.
@rnd = float<ieee_32, ne>;
s = rnd(s_);
x = rnd(x_);
R = 1 / s;
r = rnd(R);
Q = x / s;
q0 = rnd(x * r);
D = q0 * s - x;
d = rnd(D);
V = q0 - d * r;
E = (V - Q) * s;

{ s in [1, 2] /\ x in [1, 2] -> (Q in [1, 2] -> |E| <= 8b-47) /\ (Q in [0.5, 1] -> |E| <= 8b-48) }

q0 - Q -> (q0 - x * r) + x * (r - R) { s <> 0 };
D -> (q0 - Q) * s { s <> 0 };
E -> (q0 - Q) * s * (s * (R - r)) - (d - D) * (r * s) { s <> 0 };
r * s -> 1 - s * (R - r) { s <> 0 };
