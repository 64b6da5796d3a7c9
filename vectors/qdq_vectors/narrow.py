# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts to f16 and bf16, which have too many runs to store: integer arithmetic on the patterns."""

from __future__ import annotations

import numpy as np

from .formats import Format

U64 = np.uint64


def codes(patterns: np.ndarray, source: Format, to: Format, fields: dict[str, str]) -> np.ndarray:
    patterns = np.asarray(patterns).astype(U64)
    is_negative = (patterns & U64(source.sign_bit)) != 0
    magnitude = patterns & U64(source.sign_bit - 1)
    # value = significand * 2^unit
    exponent = (magnitude >> U64(source.fraction_bits)).astype(np.int64)
    fraction = magnitude & U64((1 << source.fraction_bits) - 1)
    is_normal = exponent > 0
    significand = np.where(is_normal, fraction | U64(1 << source.fraction_bits), fraction)
    unit = np.maximum(exponent, 1) - source.bias - source.fraction_bits
    # The unit of the result, from the length of the significand.
    least = 1 - to.bias - to.fraction_bits
    length = np.frexp(significand.astype(np.float64))[1].astype(np.int64)
    result_unit = np.maximum(unit + length - 1 - to.fraction_bits, least)
    shift = np.clip(result_unit - unit, 0, 62)
    # From a unit that is coarser the significand is exact.
    finer = np.clip(unit - result_unit, 0, 62).astype(U64)
    whole = (significand >> shift.astype(U64)) << finer
    rest = significand & ((U64(1) << shift.astype(U64)) - U64(1))
    half = np.where(shift > 0, U64(1) << np.maximum(shift - 1, 0).astype(U64), U64(1))
    whole = whole + _goes_outward(fields["rounding"], whole, rest, half, is_negative)
    code = whole + ((result_unit - least).astype(U64) << U64(to.fraction_bits))
    saturates = fields["float_overflow"] == "saturate"
    inward = np.where(is_negative, *(_rounds_inward(fields["rounding"], n) for n in (True, False)))
    beyond = np.where(saturates | inward, to.largest, to.infinity).astype(U64)
    code = np.where(code > U64(to.largest), beyond, code)
    infinite = U64(to.largest if saturates else to.infinity)
    code = np.where(magnitude == U64(source.infinity), infinite, code)
    code = code | np.where(is_negative, U64(to.sign_bit), U64(0))
    return np.where(magnitude > U64(source.infinity), U64(to.nan_code), code).astype(np.uint16)


def _rounds_inward(rounding: str, is_negative: bool) -> bool:
    return rounding in ("toward-zero", "to-odd", "ceil" if is_negative else "floor")


def _goes_outward(rounding: str, whole, rest, half, is_negative) -> np.ndarray:
    is_odd = (whole & U64(1)) != 0
    if rounding.startswith("nearest"):
        tie = {
            "nearest-even": is_odd,
            "nearest-away": True,
            "nearest-up": ~is_negative,
            "nearest-down": is_negative,
        }[rounding]
        return ((rest > half) | ((rest == half) & tie)).astype(U64)
    outward = {
        "toward-zero": False,
        "floor": is_negative,
        "ceil": ~is_negative,
        "away-from-zero": True,
        "to-odd": ~is_odd,
    }[rounding]
    return ((rest != 0) & outward).astype(U64)


def separating(source: Format, to: Format) -> np.ndarray:
    """Patterns at and beside values and ties of every binade, and some others."""
    p = to.fraction_bits
    bases = np.arange(0, to.infinity, 1 << p)
    offsets = np.array([0, 1, 2, (1 << p) // 2, (1 << p) - 2, (1 << p) - 1])
    chosen = np.unique(np.concatenate([(bases[:, None] + offsets).reshape(-1), np.arange(40)]))
    values = np.array([to.value(int(c)) for c in chosen[chosen <= to.largest]])
    steps = np.diff(np.array([to.value(int(c)) for c in range(to.largest + 1)]))
    steps = np.append(steps, steps[-1])[chosen[chosen <= to.largest]]
    ties = values + steps / 2
    dtype, word = {"f32": (np.float32, np.uint32), "f64": (np.float64, U64)}[source.name]
    with np.errstate(over="ignore"):
        found = np.concatenate([values, ties]).astype(dtype).view(word).astype(U64)
    near = (found[:, None] + np.arange(-2, 3).astype(U64)).reshape(-1)
    quiet = source.nan_code
    ends = np.array([0, 1, source.infinity - 1, source.infinity, quiet, source.infinity + 1], U64)
    drawn = np.random.default_rng(3).integers(0, source.infinity, 2000).astype(U64)
    half = np.concatenate([near, ends, drawn])
    half = half[half < U64(source.sign_bit)]
    return np.unique(np.concatenate([half, half | U64(source.sign_bit)]))
