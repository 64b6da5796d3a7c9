# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IEEE operations *in a type*: exact, then one rounding to nearest even.

A value of any compute type is kept in a float64. For f64 the machine's operation is
the definition. For a narrower type of precision p <= 24 the operation is made in
float64 and then narrowed; what makes that one rounding in effect is said at each.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .rounding import cast
from .types import FloatType


def multiply(a: np.ndarray, b: np.ndarray, type: FloatType) -> np.ndarray:
    # 2p <= 48 bits and exponents within +-300: the float64 product is exact.
    return cast(a * b, type)


def divide(a: np.ndarray, b: np.ndarray, type: FloatType) -> np.ndarray:
    # A midpoint m of the narrow type has at most p + 1 bits, subnormal ones
    # fewer. If a / b is not m, then a - b * m is a nonzero multiple of a unit
    # 2^-(2p + 1) of b * m, so a / b is at least 2^-49 away from m, relatively.
    # float64 is finer (2^-53): it lands on m only if a / b is m, and otherwise on the
    # same side of it.
    return cast(a / b, type)


def add(a: np.ndarray, b: np.ndarray, type: FloatType) -> np.ndarray:
    # float64 has 53 >= 2p + 2 bits: a sum that it cannot hold has one operand below 2^-29 of the
    # other, which is then farther from every midpoint (p + 1 bits) than float64's own rounding.
    return cast(a + b, type)


def subtract(a: np.ndarray, b: np.ndarray, type: FloatType) -> np.ndarray:
    return add(a, -b, type)


def fused_multiply_add(a: np.ndarray, b: np.ndarray, c: np.ndarray, type: FloatType) -> np.ndarray:
    if type.name == "f64":
        return _fused_multiply_add_f64(*np.broadcast_arrays(a, b, c))
    return cast(_add_to_odd(a * b, c), type)  # the product is exact, see `multiply`


def _two_sum(a, b):
    """The rounded sum and its exact error (Knuth); the error is NaN where the sum is not finite."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def _add_to_odd(a, b):
    """`a + b` rounded to odd: a later rounding to 51 bits or fewer is then the only one
    that counts, because no inexact sum sits on a midpoint of theirs."""
    total, error = _two_sum(a, b)
    even = np.asarray(total).view(np.int64) & 1 == 0
    neighbour = np.nextafter(total, np.copysign(np.inf, error))
    return np.where(np.isfinite(error) & (error != 0) & even, neighbour, total)


def _two_product(a, b):
    """The rounded product and its exact error (Dekker), away from over- and underflow."""

    def split(v):
        big = 134217729.0 * v  # 2^27 + 1
        high = big - (big - v)
        return high, v - high

    product = a * b
    (a_high, a_low), (b_high, b_low) = split(a), split(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _fused_multiply_add_f64(a, b, c):
    # Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008.
    product, product_error = _two_product(a, b)
    small, small_error = _two_sum(c, product_error)
    total, total_error = _two_sum(product, small)
    fused = total + _add_to_odd(small_error, total_error)

    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    zero = (a == 0) | (b == 0)
    tame = np.abs(a) < 2.0**990
    tame &= np.abs(b) < 2.0**990
    tame &= np.abs(c) < 2.0**990
    tame &= (np.abs(product) < 2.0**990) & (np.abs(product) > 2.0**-900)
    # A zero or an infinite product rounds nothing. A finite one is nothing beside an
    # infinite c, even where float64 cannot hold it.
    unfused = np.where(np.isfinite(a) & np.isfinite(b) & ~np.isfinite(c), c, product + c)
    result = np.array(np.where(finite & ~zero, fused, unfused))
    for index in np.argwhere(finite & ~zero & ~tame):
        index = tuple(index)
        result[index] = _to_float(Fraction(a[index]) * Fraction(b[index]) + Fraction(c[index]))
    return result


def _to_float(exact: Fraction) -> float:
    try:
        return exact.numerator / exact.denominator  # Python rounds this to nearest even
    except OverflowError:
        return np.inf if exact > 0 else -np.inf
