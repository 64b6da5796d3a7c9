# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rounding modes, to an integer and to the last place of a float format.

Values are float64 arrays. Every type of this package is narrower, so what a
float64 holds here is exact, and each function below rounds exactly once.
"""

from __future__ import annotations

import numpy as np

from .types import F64, FloatType

ROUNDING_MODES = (
    "nearest-even",
    "nearest-away",
    "nearest-up",
    "nearest-down",
    "toward-zero",
    "floor",
    "ceil",
    "away-from-zero",
    "to-odd",
    "stochastic",
)


def round_to_integer(value: np.ndarray, mode: str) -> np.ndarray:
    """`value` rounded to an integer (still float64; NaN, infinities and -0 stay)."""
    # Magnitude and sign apart: the fraction of a non-negative float is exact,
    # that of a negative one measured from below is not (-2^-60 + 1).
    magnitude = np.abs(value)
    below = np.floor(magnitude)
    fraction = magnitude - below  # NaN for an infinity: then nothing below holds
    negative = np.signbit(value)
    odd = np.fmod(below, 2) == 1
    tie, above_tie, inexact = fraction == 0.5, fraction > 0.5, fraction > 0
    if mode == "nearest-even":
        up = above_tie | (tie & odd)
    elif mode == "nearest-away":
        up = above_tie | tie
    elif mode == "nearest-up":
        up = above_tie | (tie & ~negative)
    elif mode == "nearest-down":
        up = above_tie | (tie & negative)
    elif mode == "toward-zero":
        up = np.zeros_like(inexact)
    elif mode == "floor":
        up = inexact & negative
    elif mode == "ceil":
        up = inexact & ~negative
    elif mode == "away-from-zero":
        up = inexact
    elif mode == "to-odd":
        up = inexact & ~odd
    else:
        raise ValueError(f"'{mode}' does not round a value by itself")
    return np.copysign(below + up, value)


def round_stochastically(
    value: np.ndarray, uniform: np.ndarray, computed_in: FloatType
) -> np.ndarray:
    """`floor(value) + (uniform < frac)`; `frac` is rounded to f32, or f64 for an f64 `value`."""
    floor = np.floor(value)
    fraction = value - floor
    if computed_in.name != "f64":
        # One rounding in all: for a value of 24 bits or fewer the float64 difference is
        # exact, unless the value is in (-2^-29, 0); then both roundings give 1.
        fraction = fraction.astype(np.float32)
    return np.copysign(floor + (uniform < fraction), value)


def unit_in_last_place(value: np.ndarray, type: FloatType) -> np.ndarray:
    """Exponent of the unit in the last place of `type` around `value`, subnormals included."""
    exponent = np.frexp(value)[1] - 1
    return np.maximum(exponent, type.min_exponent) - (type.precision - 1)


def round_to_precision(
    value: np.ndarray,
    type: FloatType,
    mode: str = "nearest-even",
    uniform: np.ndarray | None = None,
    computed_in: FloatType = F64,
) -> np.ndarray:
    """`value` rounded to the precision of `type` as if its exponent had no upper bound."""
    unit = unit_in_last_place(value, type)
    scaled = np.ldexp(value, -unit)  # exact: towards 2^precision
    if mode == "stochastic":
        rounded = round_stochastically(scaled, uniform, computed_in)
    else:
        rounded = round_to_integer(scaled, mode)
    return np.where(np.isfinite(value), np.ldexp(rounded, unit), value)


def cast(value: np.ndarray, type: FloatType) -> np.ndarray:
    """`value` as `type` holds it: one rounding to nearest even, overflow to infinity."""
    if type.name == "f64":
        return value
    if type.name == "f32":
        return value.astype(np.float32).astype(np.float64)
    # Not `astype`: ml_dtypes converts float64 through float32, two roundings.
    rounded = round_to_precision(value, type)
    return np.where(np.abs(rounded) > type.max_finite, np.copysign(np.inf, value), rounded)
