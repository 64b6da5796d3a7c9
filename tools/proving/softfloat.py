# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IEEE 754 on integers: the value of an operation on constants, for every format and rounding.

A value is its bit pattern as a Python integer. Every operation computes an exact number
`m * 2^e` (with a flag for what a quotient or root leaves) and rounds once. NaN is the canonical one.
"""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

#: To nearest even, to nearest away, toward zero, up, down: as SMT-LIB spells them.
MODES = ("RNE", "RNA", "RTZ", "RTP", "RTN")


class Format(NamedTuple):
    """Bits of the exponent, and of the significand with the hidden one."""

    exponent: int
    significand: int

    @property
    def width(self) -> int:
        return self.exponent + self.significand

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    @property
    def least(self) -> int:
        """The exponent of the unit of subnormal numbers."""
        return 2 - self.bias - self.significand

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << (self.significand - 1)

    @property
    def nan(self) -> int:
        return self.infinity | 1 << (self.significand - 2)

    @property
    def sign_bit(self) -> int:
        return 1 << (self.width - 1)


F16, BF16, F32, F64 = Format(5, 11), Format(8, 8), Format(8, 24), Format(11, 53)


def is_nan(f: Format, bits: int) -> bool:
    return bits & (f.sign_bit - 1) > f.infinity


def is_infinite(f: Format, bits: int) -> bool:
    return bits & (f.sign_bit - 1) == f.infinity


def split(f: Format, bits: int) -> tuple[int, int, int]:
    """Sign, m and e of a finite value."""
    field = bits >> (f.significand - 1) & (1 << f.exponent) - 1
    fraction = bits & (1 << (f.significand - 1)) - 1
    if field:
        fraction |= 1 << (f.significand - 1)
    return bits >> (f.width - 1), fraction, max(field, 1) - 1 + f.least


def _cut(mode: str, sign: int, m: int, shift: int, rest: bool) -> int:
    """m / 2^shift rounded to an integer; `rest`: the magnitude is a little larger than m."""
    if shift <= 0:
        assert not rest
        return m << -shift
    n, below = m >> shift, m & (1 << shift) - 1
    half = 1 << (shift - 1)
    up = {
        "RNE": below > half or below == half and (rest or n & 1),
        "RNA": below >= half,
        "RTZ": False,
        "RTP": not sign and (below or rest),
        "RTN": sign and (below or rest),
    }[mode]
    return n + bool(up)


def round_to(f: Format, mode: str, sign: int, m: int, e: int, rest: bool = False) -> int:
    """The value nearest to (-1)^sign * m * 2^e, a little more in magnitude if `rest`."""
    if m == 0:
        return sign << (f.width - 1)
    unit = max(m.bit_length() + e - f.significand, f.least)
    n = _cut(mode, sign, m, unit - e, rest)
    # The hidden one of n adds 1 to the field; so does a carry.
    magnitude = n + ((unit - f.least) << (f.significand - 1))
    if magnitude >= f.infinity:
        stays = mode == "RTZ" or mode == "RTP" and sign or mode == "RTN" and not sign
        magnitude = f.infinity - bool(stays)
    return magnitude | sign << (f.width - 1)


def _add_exact(f: Format, mode: str, terms) -> int:
    """The rounded sum of two finite numbers (sign, m, e)."""
    (s1, m1, e1), (s2, m2, e2) = terms
    if m1 == m2 == 0:
        zero = s1 if s1 == s2 else int(mode == "RTN")
        return zero << (f.width - 1)
    e = min(e1, e2)
    total = (-m1 if s1 else m1) << (e1 - e)
    total += (-m2 if s2 else m2) << (e2 - e)
    if total == 0:
        return int(mode == "RTN") << (f.width - 1)
    return round_to(f, mode, int(total < 0), abs(total), e)


def add(f: Format, mode: str, a: int, b: int) -> int:
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    if is_infinite(f, a):
        return f.nan if is_infinite(f, b) and a != b else a
    if is_infinite(f, b):
        return b
    return _add_exact(f, mode, (split(f, a), split(f, b)))


def sub(f: Format, mode: str, a: int, b: int) -> int:
    return add(f, mode, a, b if is_nan(f, b) else b ^ f.sign_bit)


def mul(f: Format, mode: str, a: int, b: int) -> int:
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    sign = (a ^ b) >> (f.width - 1)
    if is_infinite(f, a) or is_infinite(f, b):
        other = b if is_infinite(f, a) else a
        return f.nan if other & (f.sign_bit - 1) == 0 else f.infinity | sign << (f.width - 1)
    (_, m1, e1), (_, m2, e2) = split(f, a), split(f, b)
    return round_to(f, mode, sign, m1 * m2, e1 + e2)


def div(f: Format, mode: str, a: int, b: int) -> int:
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    sign = (a ^ b) >> (f.width - 1)
    if is_infinite(f, a):
        return f.nan if is_infinite(f, b) else f.infinity | sign << (f.width - 1)
    if is_infinite(f, b):
        return sign << (f.width - 1)
    (_, m1, e1), (_, m2, e2) = split(f, a), split(f, b)
    if m2 == 0:
        return f.nan if m1 == 0 else f.infinity | sign << (f.width - 1)
    # Two bits more than the significand, so that the rest is below half a unit.
    shift = f.significand + 2 + m2.bit_length()
    quotient, rest = divmod(m1 << shift, m2)
    return round_to(f, mode, sign, quotient, e1 - e2 - shift, rest != 0)


def fma(f: Format, mode: str, a: int, b: int, c: int) -> int:
    if is_nan(f, a) or is_nan(f, b) or is_nan(f, c):
        return f.nan
    if is_infinite(f, a) or is_infinite(f, b):
        return add(f, mode, mul(f, mode, a, b), c)
    if is_infinite(f, c):
        return c
    (_, m1, e1), (_, m2, e2) = split(f, a), split(f, b)
    product = ((a ^ b) >> (f.width - 1), m1 * m2, e1 + e2)
    return _add_exact(f, mode, (product, split(f, c)))


def sqrt(f: Format, mode: str, a: int) -> int:
    if is_nan(f, a) or a & (f.sign_bit - 1) == 0:
        return f.nan if is_nan(f, a) else a
    if a & f.sign_bit:
        return f.nan
    if is_infinite(f, a):
        return a
    _, m, e = split(f, a)
    shift = 2 * f.significand + 4
    shift += (e - shift) & 1
    root = isqrt(m << shift)
    return round_to(f, mode, 0, root, (e - shift) // 2, root * root != m << shift)


def round_to_integral(f: Format, mode: str, a: int) -> int:
    if is_nan(f, a):
        return f.nan
    if is_infinite(f, a):
        return a
    sign, m, e = split(f, a)
    if e >= 0:
        return a
    return round_to(f, mode, sign, _cut(mode, sign, m, -e, False), 0)


def convert(to: Format, f: Format, mode: str, a: int) -> int:
    if is_nan(f, a):
        return to.nan
    sign = a >> (f.width - 1)
    if is_infinite(f, a):
        return to.infinity | sign << (to.width - 1)
    return round_to(to, mode, *split(f, a))


def from_integer(f: Format, mode: str, value: int) -> int:
    return round_to(f, mode, int(value < 0), abs(value), 0)


def to_integer(f: Format, mode: str, a: int) -> int | None:
    """None for what is no number."""
    if is_nan(f, a) or is_infinite(f, a):
        return None
    sign, m, e = split(f, a)
    n = _cut(mode, sign, m, -e, False)
    return -n if sign else n


def compare(f: Format, a: int, b: int) -> int | None:
    """-1, 0 or 1; None if one is NaN."""
    if is_nan(f, a) or is_nan(f, b):
        return None
    keys = [-(v & f.sign_bit - 1) if v & f.sign_bit else v for v in (a, b)]
    return (keys[0] > keys[1]) - (keys[0] < keys[1])
