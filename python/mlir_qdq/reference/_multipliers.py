# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multipliers of requantize from scales, as docs/Semantics.md has them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np


def float_multiplier(sa, sb, sy) -> np.ndarray:
    """M of `f32` and `f64`: `(sa * sb) / sy`, each step in the type of the scales, which NumPy's rules give."""
    with np.errstate(all="ignore"):
        return np.asarray(sa) * np.asarray(sb) / np.asarray(sy)


def fixed_multiplier(rescale: str, sa, sb, sy) -> tuple[np.ndarray, np.ndarray]:
    """(m, t) of a fixed kind, int32 each: TFLite's QuantizeMultiplier of `f64(sa) * f64(sb) / f64(sy)`, with the
    whole shift to the right. An M that is negative, not finite, or too large for t = 0 is an error."""
    bits = {"fixed31-double": 31, "fixed31-single": 31, "fixed15": 15}.get(rescale)
    if bits is None:
        raise ValueError(f"'{rescale}' is no fixed kind")
    real = np.float64(sa) * np.float64(sb) / np.float64(sy)
    pairs = [_fixed(float(M), bits) for M in np.ravel(real)]
    m, t = (np.array(part, np.int32).reshape(np.shape(real)) for part in zip(*pairs))
    return m, t


def _fixed(M: float, bits: int) -> tuple[int, int]:
    if not (math.isfinite(M) and M >= 0):
        raise ValueError(f"no integer multiplier for {M}")
    q, e = math.frexp(M)
    m = math.floor(Fraction(q) * 2**31 + Fraction(1, 2))
    if m == 2**31:
        m, e = m // 2, e + 1
    if e < -31 or m == 0:
        m, e = 0, 0
    if bits == 15:
        m = (m + 2**15) >> 16 if m < 0x7FFF0000 else 0x7FFF
    if e > bits:
        raise ValueError(f"no integer multiplier for {M}: it is 2^{bits} or more")
    return m, bits - e
