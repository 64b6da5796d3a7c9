# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of any element type, as Python values, and as the corpus stores them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from exact import FORMATS, integer_bounds


@dataclass(frozen=True)
class Array:
    """Row-major values of one type: ints, or floats that the type holds."""

    type: str
    shape: tuple[int, ...]
    values: tuple

    @classmethod
    def of(cls, type: str, shape, values) -> Array:
        shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        assert len(values) == math.prod(shape), (type, shape, len(values))
        return cls(type, shape, tuple(values))

    def stored(self) -> np.ndarray:
        """As the files hold it: README.md."""
        if self.type in ("f16", "f32", "f64"):
            return np.array(self.values, f"f{FORMATS[self.type].bits // 8}").reshape(self.shape)
        if self.type == "bf16":
            bits = np.array(self.values, np.float32).view(np.uint32) >> 16
            return bits.astype(np.uint16).reshape(self.shape)
        if self.type in FORMATS or self.type == "f8E8M0FNU":
            code = encoder(self.type)
            return np.array([code(v) for v in self.values], np.uint8).reshape(self.shape)
        low, high = integer_bounds(self.type)
        dtype = next(d for d in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64)
                     if np.iinfo(d).min <= low and high <= np.iinfo(d).max and (low < 0) == (np.iinfo(d).min < 0))  # fmt: skip
        return np.array(self.values, dtype).reshape(self.shape)


def encoder(element: str):
    """From a value to the code of a float of 8 bits or fewer. Of several NaNs, the first."""
    codes = {}
    for code in range(2 ** (8 if element == "f8E8M0FNU" else FORMATS[element].bits)):
        codes.setdefault(key_of(decode(code, element)), code)
    return lambda value: codes[key_of(value)]


def key_of(value: float):
    return "nan" if math.isnan(value) else (value, math.copysign(1, value))


def decode(code: int, element: str) -> float:
    """The value of a code, from the layout of the format."""
    if element == "f8E8M0FNU":
        return math.nan if code == 0xFF else 2.0 ** (code - 127)
    format = FORMATS[element]
    sign = -1.0 if code >> (format.bits - 1) else 1.0
    fraction_bits = format.precision - 1
    exponent = code >> fraction_bits & (2 ** (format.bits - format.precision) - 1)
    fraction = code & (2**fraction_bits - 1)
    if not format.has_negative_zero and code == 2 ** (format.bits - 1):
        return math.nan
    if exponent == 0:
        return sign * math.ldexp(fraction, format.lowest_exponent - fraction_bits)
    value = math.ldexp(
        2**fraction_bits + fraction, format.lowest_exponent + exponent - 1 - fraction_bits
    )
    if value > format.max_finite:
        return sign * math.inf if format.has_infinity and fraction == 0 else math.nan
    return sign * value
