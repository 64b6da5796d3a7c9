# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts over exact rationals: the codes of all inputs, from where one code ends and the next one begins.

Needs the standard library and the layouts of `qdq_vectors.formats`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from qdq_vectors.formats import TYPES, Format, Integer

ROUNDINGS = (
    "nearest-even", "nearest-away", "nearest-up", "nearest-down", "toward-zero", "floor", "ceil",
    "away-from-zero", "to-odd",
)  # fmt: skip

Run = tuple[int, int]  # the first input pattern, its code


@lru_cache(maxsize=None)
def first_pattern(source: str, magnitude: Fraction, inclusive: bool) -> int:
    """The least pattern of a value >= (or >) `magnitude`; that of infinity if there is none."""
    format = TYPES[source]
    low, high = 0, format.infinity
    while low < high:
        middle = (low + high) // 2
        value = Fraction(format.value(middle))
        if value > magnitude or (inclusive and value == magnitude):
            high = middle
        else:
            low = middle + 1
    return low


def goes_outward(rounding: str, negative: bool, upper_is_even: bool) -> tuple[str, bool]:
    """Where the upper of two neighbours begins: ("middle" | "lower" | "upper", inclusive)."""
    if rounding.startswith("nearest"):
        tie_outward = {
            "nearest-even": upper_is_even,
            "nearest-away": True,
            "nearest-up": not negative,
            "nearest-down": negative,
        }[rounding]
        return "middle", tie_outward
    outward = {
        "toward-zero": False,
        "away-from-zero": True,
        "floor": negative,
        "ceil": not negative,
        "to-odd": not upper_is_even,
    }[rounding]
    return ("lower", False) if outward else ("upper", True)


def begin(source, rounding, negative, lower: Fraction, upper: Fraction, upper_is_even: bool) -> int:
    """The first pattern (of the magnitude) that becomes `upper`."""
    where, inclusive = goes_outward(rounding, negative, upper_is_even)
    magnitude = {"middle": (lower + upper) / 2, "lower": lower, "upper": upper}[where]
    return first_pattern(source, magnitude, inclusive)


def rounds_inward(rounding: str, negative: bool) -> bool:
    return rounding in ("toward-zero", "to-odd", "ceil" if negative else "floor")


def float_half(source: str, to: Format, rounding: str, overflow: str, negative: bool) -> list[Run]:
    """The runs of one sign, by patterns without the sign bit, up to infinity."""
    nan, largest = to.nan_code, to.largest
    saturates = overflow == "saturate" or nan is None
    if negative and not to.signed:
        # V1, V2: what is below the least value.
        below = 0 if saturates else nan
        if not to.has_zero:
            return [(0, below)]
        least = Fraction(to.value(1))
        return [(0, 0), (begin(source, rounding, negative, Fraction(0), least, False), below)]
    sign = to.sign_bit if negative else 0
    values = [Fraction(to.value(code)) for code in range(largest + 1)]
    # The value behind the largest, as if the exponent went on.
    fraction_bits = to.fraction_bits
    exponent, fraction = divmod(largest + 1, 1 << fraction_bits)
    beyond = Fraction((1 << fraction_bits) + fraction) * Fraction(2) ** (
        exponent - to.bias - fraction_bits
    )
    codes = [sign | code for code in range(largest + 1)]
    if sign and to.nan == "negative-zero":
        codes[0] = 0
    runs = [(0, codes[0])]
    if not to.has_zero:
        # A grid with zero, which becomes the least power of two.
        values, codes = [Fraction(0), *values], [codes[0], *codes]
    infinite = sign | to.infinity if to.has_infinity else nan
    over = sign | largest if saturates or rounds_inward(rounding, negative) else infinite
    values.append(beyond)
    codes.append(over)
    for index in range(1, len(values)):
        # The one bit of f8E8M0FNU is odd, so twice its value is even.
        even = index % 2 == 0 if to.has_zero else index > 1
        start = begin(source, rounding, negative, values[index - 1], values[index], even)
        runs.append((start, codes[index]))
    runs.append((TYPES[source].infinity, sign | largest if saturates else infinite))
    return runs


def integer_half(source: str, to: Integer, rounding: str, negative: bool) -> list[Run]:
    """The same for integers that saturate."""
    last = -to.lowest if negative else to.highest
    mask = (1 << to.bits) - 1
    runs = [(0, 0)]
    for magnitude in range(1, last + 1):
        lower, upper = Fraction(magnitude - 1), Fraction(magnitude)
        start = begin(source, rounding, negative, lower, upper, magnitude % 2 == 0)
        runs.append((start, (-magnitude if negative else magnitude) & mask))
    return runs


def integer_nan(to: Integer, nan: str) -> int:
    code = {"lowest": to.lowest, "highest": to.highest}.get(nan, 0)
    return code & ((1 << to.bits) - 1)


def runs(source: str, to: Format | Integer, fields: dict[str, str]) -> list[Run]:
    """Every input in the order of its pattern: the first of each run, with the code of all in it."""
    infinity, sign_bit = TYPES[source].infinity, TYPES[source].sign_bit
    rounding, found = fields["rounding"], []
    for negative in (False, True):
        if to.is_float:
            half = float_half(source, to, rounding, fields["float_overflow"], negative)
            nan = to.largest if to.nan_code is None else to.nan_code
        else:
            half = integer_half(source, to, rounding, negative)
            nan = integer_nan(to, fields["nan"])
        offset = sign_bit if negative else 0
        found += [(offset + start, code) for start, code in [*half, (infinity + 1, nan)]]
    # A run that the next one covers is empty; one that repeats its code goes on.
    result: list[Run] = []
    for index, (start, code) in enumerate(found):
        if index + 1 < len(found) and found[index + 1][0] <= start:
            continue
        if not result or result[-1][1] != code:
            result.append((start, code))
    return result


def to_integer(value: Fraction, rounding: str) -> int:
    below = math.floor(value)
    rest = value - below
    if rest == 0:
        return below
    negative = value < 0
    even_above = below % 2 == 1
    if rounding.startswith("nearest") and rest != Fraction(1, 2):
        return below + (rest > Fraction(1, 2))
    up = {
        "nearest-even": even_above,
        "nearest-away": not negative,
        "nearest-up": True,
        "nearest-down": False,
        "toward-zero": negative,
        "floor": False,
        "ceil": True,
        "away-from-zero": not negative,
        "to-odd": not even_above,
    }[rounding]
    return below + up


def wrapped(source: str, to: Integer, fields: dict[str, str], pattern: int) -> int:
    """The code of one input, modulo 2^bits."""
    value = TYPES[source].value(pattern)
    if not math.isfinite(value):
        return integer_nan(to, fields["nan"])
    return to_integer(Fraction(value), fields["rounding"]) & ((1 << to.bits) - 1)


def widened(value: float | int, to: Format) -> int:
    """The code of `value` in f32, f16 or bf16: one rounding to nearest even, infinite beyond."""
    if math.isnan(value):
        return to.nan_code
    sign = to.sign_bit if math.copysign(1, value) < 0 else 0
    if math.isinf(value):
        return sign | to.infinity
    magnitude = abs(Fraction(value))
    code = first_pattern(to.name, magnitude, True)
    if code == 0 or (code < to.infinity and Fraction(to.value(code)) == magnitude):
        return sign | code
    lower = Fraction(to.value(code - 1))
    if code < to.infinity:
        upper = Fraction(to.value(code))
    else:
        upper = 2 * Fraction(to.value(to.infinity - (1 << to.fraction_bits)))
    middle = (lower + upper) / 2
    return sign | (
        code if magnitude > middle or (magnitude == middle and code % 2 == 0) else code - 1
    )
