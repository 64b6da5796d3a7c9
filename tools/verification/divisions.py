# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divisions by a scale, as qdq-codegen-expand-elements{reciprocals} makes them: the bits of the quotient, and codes beside ties.

With 24 bits of significand, let s and x lie in [1, 2), X = 2^23 x, S = 2^23 s and q = x / s. r is 1 / s rounded, q0 is x * r rounded, and
q1 = q0 - (q0 * s - x) * r, each sum rounded once with its product.

- r is within 2^-25 of 1 / s, so q0 is within 2^-23 of q, and within 3 * 2^-25 where q < 1. The remainder q0 * s - x is exact or loses its last bit,
  at most 2^-47. Before its last rounding, q1 is as close to q as the remainder times 2^-25, and r times that bit.
- Suppose q1 rounds to another float than q. Then the middle m = M / 2^k of two floats lies between them, with an integer M and k = 24, or 25 where
  q < 1. So q - m = c / (2^k S) with an integer c = X 2^k - M S. No quotient is such a middle, so c is not 0, and the bounds limit |c| to 5.
- For each S and c there is one M modulo 2^k / gcd(S, 2^k). The group looks at all of them with |c| <= 8.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlir_qdq import runtime

from .pointwise import Mismatch
from .quotients import CHUNK, Quotients

#: |c| to which all numerators are looked at.
_REACH = 8
#: How far from a tie numerators go, in their last places.
_BESIDE = 3
#: Ties of a storage, all or some.
_TIES = {"i8": 128, "i16": 32}


def _kernel(storage: str) -> str:
    """f(x, scales): a vector of scales for each row of x."""
    # Quotients from 2^23 on are integers: as i32 they are what they were.
    x, s, y = "tensor<?x?xf32>", "tensor<?xf32>", f"tensor<?x?x{storage.replace('f', 'i')}>"
    return f"""func.func @main(%x: {x}, %s: {s}) -> {y} {{
      %q = qdq.quantize %x scale %s axis 1 semantics <division = exact, compute = f32> : ({x}, {s}) -> {y}
      return %q : {y}
    }}"""


class Emitted:
    """The kernel of the cases, all of one storage."""

    def __init__(self, cases: list[Quotients]):
        text = _kernel(cases[0].storage)
        self._compiled = runtime.compile(text, runtime_checks=False)

    def __call__(self, x: np.ndarray, scales: np.ndarray) -> np.ndarray:
        found = self._compiled.main(x, scales)
        return found.astype(np.float32) if found.dtype == np.int32 else found


def _inverse(odd: np.ndarray) -> np.ndarray:
    """Modulo 2^64, by Newton's method: each step doubles the bits that are right."""
    inverse = odd.copy()
    for _ in range(5):
        inverse *= np.uint64(2) - odd * inverse
    return inverse


def _hard(significands: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Significands of scales that have as many trailing zeros, and rows of significands of x."""
    zeros = 0
    while (1 << zeros) <= _REACH:
        is_mine = significands % (2 << zeros) == (1 << zeros)
        mine, rows = significands[is_mine].astype(np.uint64), []
        inverse = _inverse(mine >> np.uint64(zeros))
        limit = _REACH >> zeros
        for c in (c for c in range(-limit, limit + 1) if c % 2):
            for k in (24, 25):
                step = 1 << (k - zeros)
                middle = np.uint64(-c % 2**64) * inverse % np.uint64(step)
                for more in range(0, 1 << 25, step):
                    m = middle + np.uint64(more)
                    product = (m * mine).astype(np.int64) + (c << zeros)
                    x = product >> k
                    is_hard = (m >= 1 << 24) & (m < 1 << 25) & (x >= 1 << 23) & (x < 1 << 24)
                    # The others give a numerator as good as any.
                    rows.append(np.where(is_hard, x, (1 << 24) - 1).astype(np.float32))
        yield mine.astype(np.float32), np.stack(rows)
        zeros += 1


def _beside_ties(scales: np.ndarray, storage: str) -> Iterator[np.ndarray]:
    """Rows of x: each tie times its scale, and its neighbors."""
    if storage == "i8":
        codes = np.arange(_TIES[storage])
    else:
        codes = np.random.default_rng(0).integers(0, 2**15, _TIES[storage])
    for code in codes:
        nearest = (np.float32(code + 0.5) * scales).view(np.int32)
        yield np.stack([nearest + i for i in range(-_BESIDE, _BESIDE + 1)]).view(np.float32)


def _compare(case: Quotients, emitted: Emitted, x: np.ndarray, scales: np.ndarray) -> int:
    found, quotient = emitted(x, scales), x / scales
    if case.storage == "f32":
        expected = quotient
    else:
        limits = np.iinfo(case.storage.replace("i", "int"))
        expected = np.clip(np.rint(quotient), limits.min, limits.max).astype(found.dtype)
    differs = found != expected
    if differs.any():
        row, column = np.unravel_index(np.argmax(differs), differs.shape)
        raise Mismatch(
            f"{case.key}\n  x = {float(x[row, column]).hex()}, s = {float(scales[column]).hex()}\n"
            f"  emitted {found[row, column]}, NumPy {expected[row, column]}"
        )
    return x.size


def verify(case: Quotients, emitted: Emitted) -> int:
    """The number of quotients."""
    significands = np.arange(case.start, case.start + CHUNK)
    if case.storage == "f32":
        return sum(
            _compare(case, emitted, x * np.float32(2**29), scales)
            for scales, x in _hard(significands)
        )
    scales = (significands / 2**23).astype(np.float32)
    return sum(_compare(case, emitted, x, scales) for x in _beside_ties(scales, case.storage))
