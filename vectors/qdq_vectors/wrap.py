# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`overflow = wrap`, which has too many runs to store: the codes are computed, and hashes hold them."""

from __future__ import annotations

import numpy as np

from .formats import Integer


def values(patterns: np.ndarray, source: str) -> np.ndarray:
    """As float64, which holds all of them."""
    if source == "f64":
        return patterns.astype(np.uint64).view(np.float64)
    if source == "f32":
        floats = patterns.astype(np.uint32).view(np.float32)
    elif source == "f16":
        floats = patterns.astype(np.uint16).view(np.float16)
    else:
        floats = (patterns.astype(np.uint32) << 16).view(np.float32)
    with np.errstate(invalid="ignore"):
        return floats.astype(np.float64)


def rounded(value: np.ndarray, rounding: str) -> np.ndarray:
    """Finite values to integers, still float64."""
    whole = np.trunc(value)
    rest = np.abs(value - whole)
    step = np.copysign(1.0, value)
    odd = np.fmod(whole, 2) != 0
    if rounding.startswith("nearest"):
        outward = {
            "nearest-even": odd,
            "nearest-away": True,
            "nearest-up": step > 0,
            "nearest-down": step < 0,
        }[rounding]
        away = (rest > 0.5) | ((rest == 0.5) & outward)
    else:
        outward = {
            "toward-zero": False,
            "floor": step < 0,
            "ceil": step > 0,
            "away-from-zero": True,
            "to-odd": ~odd,
        }[rounding]
        away = (rest > 0) & outward
    return whole + step * away


def codes(patterns: np.ndarray, source: str, to: Integer, fields: dict[str, str]) -> np.ndarray:
    value = values(patterns, source)
    finite = np.isfinite(value)
    # np.mod of a float by a power of two is exact.
    whole = np.mod(rounded(np.where(finite, value, 0.0), fields["rounding"]), 1 << to.bits)
    none = {"lowest": to.lowest, "highest": to.highest}.get(fields["nan"], 0)
    return np.where(finite, whole, none & ((1 << to.bits) - 1)).astype(np.uint8)
