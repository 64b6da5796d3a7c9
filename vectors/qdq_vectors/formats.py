# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of the element types, and the value of every code."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Format:
    """A float of `bits` bits: sign (if `signed`), exponent, fraction. `nan` says which codes are NaN: "ieee"
    (the highest exponent, whose fraction 0 is infinity), "all-ones", "negative-zero" or "none"."""

    name: str
    exponent_bits: int
    fraction_bits: int
    bias: int
    nan: str
    signed: bool = True

    is_float = True

    @property
    def bits(self) -> int:
        return self.signed + self.exponent_bits + self.fraction_bits

    @property
    def short(self) -> str:
        """As C headers spell it: e4m3fn, f32."""
        return self.name[2:].lower() if self.bits <= 8 else self.name

    @property
    def sign_bit(self) -> int:
        return 1 << (self.bits - 1) if self.signed else 0

    @property
    def has_infinity(self) -> bool:
        return self.nan == "ieee"

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def nan_code(self) -> int | None:
        """The one that vectors hold, for any NaN."""
        if self.nan == "ieee":
            return self.infinity | (1 << self.fraction_bits >> 1)
        if self.nan == "all-ones":
            return self.infinity | ((1 << self.fraction_bits) - 1)
        return self.sign_bit if self.nan == "negative-zero" else None

    @property
    def has_zero(self) -> bool:
        return self.fraction_bits > 0

    def value(self, code: int) -> float:
        sign = -1.0 if code & self.sign_bit else 1.0
        if self.nan == "negative-zero" and code == self.sign_bit:
            return math.nan
        exponent, fraction = divmod(code & ~self.sign_bit, 1 << self.fraction_bits)
        if self.nan == "ieee" and exponent == (1 << self.exponent_bits) - 1:
            return math.nan if fraction else sign * math.inf
        if self.nan == "all-ones" and code & ~self.sign_bit == self.nan_code:
            return math.nan
        if exponent == 0 and self.has_zero:
            return sign * math.ldexp(fraction, 1 - self.bias - self.fraction_bits)
        significand = (1 << self.fraction_bits) + fraction
        return sign * math.ldexp(significand, exponent - self.bias - self.fraction_bits)

    @cached_property
    def largest(self) -> int:
        """The code of the largest finite value."""
        codes = range((1 << (self.bits - self.signed)) - 1, -1, -1)
        return next(code for code in codes if math.isfinite(self.value(code)))

    def is_nan(self, code: int) -> bool:
        return math.isnan(self.value(code))


@dataclass(frozen=True)
class Integer:
    """Two's complement, or unsigned."""

    bits: int
    signed: bool

    is_float = False

    @property
    def name(self) -> str:
        return f"{'' if self.signed else 'u'}i{self.bits}"

    short = name

    @property
    def lowest(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def highest(self) -> int:
        return self.lowest + (1 << self.bits) - 1

    def value(self, code: int) -> int:
        return code - (1 << self.bits) if code > self.highest else code


SOURCES = {
    format.name: format
    for format in (
        Format("f32", 8, 23, 127, "ieee"),
        Format("f16", 5, 10, 15, "ieee"),
        Format("bf16", 8, 7, 127, "ieee"),
    )
}
#: A source too, but no input of a stream: it has 2^64.
WIDE = {"f64": Format("f64", 11, 52, 1023, "ieee")}
FLOATS = {
    format.name: format
    for format in (
        Format("f8E4M3FN", 4, 3, 7, "all-ones"),
        Format("f8E4M3FNUZ", 4, 3, 8, "negative-zero"),
        Format("f8E4M3B11FNUZ", 4, 3, 11, "negative-zero"),
        Format("f8E4M3", 4, 3, 7, "ieee"),
        Format("f8E5M2", 5, 2, 15, "ieee"),
        Format("f8E5M2FNUZ", 5, 2, 16, "negative-zero"),
        Format("f8E3M4", 3, 4, 3, "ieee"),
        Format("f8E8M0FNU", 8, 0, 127, "all-ones", signed=False),
        Format("f8E5M3FNU", 5, 3, 15, "all-ones", signed=False),
        Format("f6E3M2FN", 3, 2, 3, "none"),
        Format("f6E2M3FN", 2, 3, 1, "none"),
        Format("f4E2M1FN", 2, 1, 1, "none"),
    )
}
INTEGERS = {
    integer.name: integer
    for signed in (True, False)
    for integer in (Integer(bits, signed) for bits in range(2, 9))
}
STORAGE: dict[str, Format | Integer] = FLOATS | INTEGERS
TYPES: dict[str, Format | Integer] = SOURCES | WIDE | STORAGE

_SPELLINGS = {t.name.lower(): t for t in TYPES.values()} | {t.short: t for t in TYPES.values()}
_SPELLINGS |= {name.removesuffix("fn"): _SPELLINGS[name] for name in ("e3m2fn", "e2m3fn", "e2m1fn")}


def type_of(name: str) -> Format | Integer:
    """By its name in MLIR or in C headers, in any case: f8E4M3FN, e4m3fn, ui4."""
    found = _SPELLINGS.get(name.lower())
    if found is None:
        raise ValueError(f"unknown type '{name}': expected one of {', '.join(TYPES)}")
    return found
