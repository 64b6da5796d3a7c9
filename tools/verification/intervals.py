# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every f32, in numerical order, as runs of equal results.

Compiled code computes all 2^32 results. They form a few hundred runs: stretches of neighbouring
inputs with the same bits. At both ends of each run, and at inputs drawn within, evaluator and
reference must give these bits too. Both are compositions of monotone steps (division by a positive
scale, addition, rounding, bounds), so what they give at both ends they give in between.
Zeros of either sign and NaNs end a run: steps may tell them apart. With `pointwise`, evaluator and
reference compute all 2^32 as well, which takes an hour a case.
"""

from __future__ import annotations

import numpy as np

from .cases import Case
from .pointwise import compare
from .statements import Emitted, dtype_of, result_type

CHUNK = 1 << 18
#: Positions in numerical order: NaNs with the sign set, -inf to -0, +0 to +inf, NaNs.
_FIRST_NUMBER, _ZERO, _LAST_NUMBER, _END = 0x7FFFFF, 0x80000000, 0xFF800000, 1 << 32
_BORDERS = (_FIRST_NUMBER, _ZERO, _LAST_NUMBER + 1)
_INSIDE = 4096


def inputs_at(positions: np.ndarray) -> np.ndarray:
    """The f32 at these positions of the order."""
    positions = positions.astype(np.uint64)
    bits = np.where(positions < _ZERO, 0xFFFFFFFF - positions, positions - _ZERO)
    return bits.astype(np.uint32).view(np.float32)


def _chunks():
    """(position, f32 values) of every chunk; chunks do not cross from - to +."""
    offsets = np.arange(CHUNK, dtype=np.uint32)
    x = np.empty(CHUNK, np.uint32)
    for start in range(0, _END, CHUNK):
        if start < _ZERO:
            np.subtract(np.uint32(0xFFFFFFFF - start), offsets, out=x)
        else:
            np.add(np.uint32(start - _ZERO), offsets, out=x)
        yield start, x.view(np.float32)


def _run_starts(case: Case, emitted: Emitted, is_pointwise: bool) -> tuple[np.ndarray, np.ndarray]:
    """Where the runs begin, and their bits."""
    out = np.empty(CHUNK, f"i{dtype_of(result_type(case)).itemsize}")
    positions, values, last = [], [], None
    for start, x in _chunks():
        bits = emitted(case, x, 0, out=out)
        if is_pointwise:
            compare(case, 0, x, bits)
        if bits[0] != last or start in (0, _ZERO):
            positions.append(np.array([start]))
            values.append(bits[:1].copy())
        last = bits[-1]
        changes = bits[1:] != bits[:-1]
        if changes.any():
            at = np.flatnonzero(changes) + 1
            positions.append(start + at)
            values.append(bits[at])
    return np.concatenate(positions), np.concatenate(values)


def verify(case: Case, emitted: Emitted, is_pointwise: bool = False) -> int:
    """The number of inputs."""
    starts, values = _run_starts(case, emitted, is_pointwise)
    borders = np.array([b for b in _BORDERS if b not in set(starts.tolist())], starts.dtype)
    at = np.searchsorted(starts, borders)
    values = np.insert(values, at, values[at - 1])
    starts = np.insert(starts, at, borders)
    ends = np.append(starts[1:], _END) - 1
    inside = np.random.default_rng(0).integers(0, _END, _INSIDE)
    positions = np.concatenate([starts, ends, inside])
    expected = np.concatenate(
        [values, values, values[np.searchsorted(starts, inside, "right") - 1]]
    )
    compare(case, 0, inputs_at(positions), expected)
    return _END
