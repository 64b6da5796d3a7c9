# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accumulators as sums of products of codes, for systems that take no others."""

from __future__ import annotations

import numpy as np


def factors(acc: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a [n, k] of u8 and b [1, k] of i8 with a @ b.T = acc. No product exceeds 127 * 127, so that two of them fit
    16 bits, where some processors add them."""
    magnitude = abs(acc.astype(np.int64))
    many, rest = magnitude // 127, magnitude % 127
    columns = -(-int(many.max(initial=0)) // 127)
    whole = np.clip(many[:, None] - 127 * np.arange(columns), 0, 127)
    half = np.concatenate([rest[:, None], whole], axis=1)
    is_negative = (acc < 0)[:, None]
    a = np.concatenate([half * ~is_negative, half * is_negative], axis=1).astype(np.uint8)
    b = np.array([[1, *[127] * columns]], np.int8)
    return a, np.concatenate([b, -b], axis=1)
