# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Philox4x32-10: the counter-based random numbers of stochastic rounding.

Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
"""

from __future__ import annotations

import numpy as np

_MASK = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)  # golden ratio, sqrt(3) - 1


def philox4x32_10(counter, key) -> tuple[np.ndarray, ...]:
    """Four words (uint64 arrays below 2^32) from four counter words and two key words."""
    c0, c1, c2, c3 = (np.asarray(word, np.uint64) for word in counter)
    k0, k1 = key
    for _ in range(10):
        product0, product1 = _MULTIPLIERS[0] * c0, _MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (
            (product1 >> _HALF) ^ c1 ^ np.uint64(k0),
            product1 & _MASK,
            (product0 >> _HALF) ^ c3 ^ np.uint64(k1),
            product0 & _MASK,
        )
        k0, k1 = (k0 + _KEY_STEPS[0]) & 0xFFFFFFFF, (k1 + _KEY_STEPS[1]) & 0xFFFFFFFF
    return c0, c1, c2, c3


def uniform(shape: tuple[int, ...], seed: int) -> np.ndarray:
    """A multiple of 2^-24 in [0, 1) for each element: its row-major index is the
    counter, the seed modulo 2^64 is the key."""
    index = np.arange(np.prod(shape, dtype=np.int64), dtype=np.uint64).reshape(shape)
    seed %= 1 << 64
    zero = np.zeros_like(index)
    word = philox4x32_10(
        (index & _MASK, index >> _HALF, zero, zero), (seed & 0xFFFFFFFF, seed >> 32)
    )[0]
    return (word >> np.uint64(8)).astype(np.float64) * 2.0**-24
