# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/Semantics.md for one element over exact rationals: the oracle of the reference tests.

It shares no code with `mlir_qdq.reference`; only the names of the fields' values come from there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import hypothesis.strategies as st
import ml_dtypes
import numpy as np

from mlir_qdq.reference.semantics import FIELD_VALUES


BF16 = ml_dtypes.bfloat16
COMPUTE_DTYPES = {"f16": np.float16, "bf16": BF16, "f32": np.float32, "f64": np.float64}
BITS_DTYPE = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}
NEAREST = ("nearest-even", "nearest-away", "nearest-up", "nearest-down")
DIRECTED = ("toward-zero", "floor", "ceil", "away-from-zero", "to-odd")
DETERMINISTIC = NEAREST + DIRECTED

# Significand bits (the implicit one counts), exponent of the smallest normal, of the largest.
FORMATS = {
    "f16": (11, -14, 15),
    "bf16": (8, -126, 127),
    "f32": (24, -126, 127),
    "f64": (53, -1022, 1023),
}


def round_fraction(value: Fraction, mode: str) -> int:
    """`value` to an integer, from the definition of each mode."""
    below, above = math.floor(value), math.ceil(value)
    if below == above:
        return below
    toward, away = (below, above) if value > 0 else (above, below)
    if mode in NEAREST:
        if value - below != Fraction(1, 2):
            return below if value - below < Fraction(1, 2) else above
        tie = {"nearest-away": away, "nearest-up": above, "nearest-down": below}
        return tie.get(mode, below if below % 2 == 0 else above)
    if mode == "to-odd":
        return below if below % 2 else above
    return {"toward-zero": toward, "floor": below, "ceil": above, "away-from-zero": away}[mode]


def narrow(value: Fraction, type: str) -> float:
    """`value` to nearest even in `type`, infinite beyond it."""
    precision, lowest, highest = FORMATS[type]
    if value == 0:
        return 0.0
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, lowest) - precision + 1)
    rounded = round_fraction(magnitude / unit, "nearest-even") * unit
    narrowed = math.inf if rounded >= Fraction(2) ** (highest + 1) else float(rounded)
    return narrowed if value > 0 else -narrowed


def cast_exact(value, type: str) -> float:
    value = value if isinstance(value, int) else float(value)
    if isinstance(value, float) and (not math.isfinite(value) or value == 0):
        return value
    return narrow(Fraction(value), type)


def operate(name: str, type: str, *operands: float) -> float:
    """One IEEE operation in `type`: exact, rounded once."""
    wide = [np.float64(v) for v in operands]
    exact = {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "divide": lambda a, b: a / b,
        "fma": lambda a, b, c: a * b + c,
    }[name]
    with np.errstate(all="ignore"):
        machine = exact(*wide)
    if name == "fma" and not math.isfinite(operands[2]) and all(map(math.isfinite, operands[:2])):
        return operands[2]
    if not all(map(math.isfinite, operands)) or (name == "divide" and operands[1] == 0):
        return float(machine)
    value = exact(*map(Fraction, operands))
    # An exact zero has the sign that the machine's operation gives it.
    return narrow(value, type) if value else math.copysign(0, machine)


UNDEFINED = object()


@dataclass
class Model:
    """docs/Semantics.md for one element; every argument an int or a float."""

    compute: str
    rounding: str = "nearest-even"
    order: str = "round-then-add"
    division: str = "exact"
    subtract: str = "wide"
    overflow: str = "saturate"
    nan: str = "lowest"
    fusion: str = "none"

    def semantics(self) -> dict:
        return dict(vars(self))

    def round(self, value: float, uniform: Fraction):
        """An int, or the value itself where it is not finite."""
        if not math.isfinite(value):
            return value
        if self.rounding != "stochastic":
            return round_fraction(Fraction(value), self.rounding)
        below = math.floor(value)
        fraction = narrow(Fraction(value) - below, "f64" if self.compute == "f64" else "f32")
        return below + (uniform < Fraction(fraction))

    def quantize(self, x, s, z, domain, bits, signed, clamp, uniform=Fraction(0)):
        c = self.compute
        lowest, highest = (
            (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        )
        low, high = clamp or (lowest, highest)
        xc, sc = cast_exact(x, c), cast_exact(s, c)
        if z is not None and domain == "expressed":
            xc, z = operate("subtract", c, xc, cast_exact(z, c)), None
        if self.division == "exact":
            r = operate("divide", c, xc, sc)
        else:
            k = operate("divide", c, 1.0, sc)
            r = operate("multiply", c, xc, k)

        if z is None:
            value, addend = r, 0
        elif self.order == "round-then-add" and isinstance(z, int):
            value, addend = r, z
        elif self.fusion == "fma" and self.division == "reciprocal":
            value, addend = operate("fma", c, xc, k, cast_exact(z, c)), 0
        else:
            value, addend = operate("add", c, r, cast_exact(z, c)), 0

        def clamped(code):
            return max(low, min(high, code))

        if math.isnan(value) or (math.isinf(value) and self.overflow == "wrap"):
            if self.nan == "undefined":
                return low if self.overflow == "saturate" else UNDEFINED
            if self.nan == "highest":
                return high
            if self.nan == "zero" or (self.nan == "zero-point" and z is None):
                return clamped(0)
            if self.nan == "zero-point":
                if isinstance(z, int):
                    return clamped(z)
                zero = self.round(cast_exact(z, c), uniform)
                return low if math.isnan(zero) else int(clamped(zero))
            return low
        v = self.round(value, uniform) + addend
        if self.overflow == "wrap":
            v %= 1 << bits
            v -= (1 << bits) if v > highest else 0
        elif self.overflow == "undefined" and not lowest <= v <= highest:
            return UNDEFINED
        return int(clamped(v))

    def dequantize(self, q, s, z, domain, result):
        c = self.compute
        bias = None
        if z is not None and domain == "expressed":
            z, bias = None, cast_exact(z, c)
        t = result if self.subtract == "output" else c
        if z is None:
            d = cast_exact(q, t)
        elif isinstance(z, int) and isinstance(q, int) and self.subtract == "wide":
            d = cast_exact(q - z, c)
        elif isinstance(z, int) and isinstance(q, int) and self.subtract == "wrap32":
            d = cast_exact((q - z + 2**31) % 2**32 - 2**31, c)
        else:
            d = operate("subtract", t, cast_exact(q, t), cast_exact(z, t))
        d = cast_exact(d, c)
        sc = cast_exact(s, c)
        if bias is None:
            p = operate("multiply", c, d, sc)
        elif self.fusion == "fma":
            p = operate("fma", c, d, sc, bias)
        else:
            p = operate("add", c, operate("multiply", c, d, sc), bias)
        return cast_exact(p, result)


def floats_of(type: str) -> st.SearchStrategy[float]:
    """Values of a type: any bit pattern, and values near ties and bounds of storage."""
    dtype, bits = COMPUTE_DTYPES[type], BITS_DTYPE[type]

    def to_value(v):
        with np.errstate(all="ignore"):
            return float(np.asarray(v).astype(dtype))

    patterns = st.integers(0, int(np.iinfo(bits).max)).map(
        lambda b: float(np.asarray(b, bits).view(dtype))
    )
    halves = st.integers(-1100, 1100).map(lambda n: to_value(n / 2))
    edges = st.sampled_from([2.0**k for k in (-24, -14, -1, 0, 3, 4, 7, 8, 15, 16, 24, 31, 32, 40)])
    near_edges = st.builds(
        lambda e, d, s: to_value(s * (e + d)),
        edges,
        st.sampled_from([-1.5, -1, -0.5, 0, 0.5, 1]),
        st.sampled_from([-1, 1]),
    )
    special = st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan])
    return st.one_of(patterns, halves, near_edges, special)


def scales_of(type: str) -> st.SearchStrategy[float]:
    dtype = COMPUTE_DTYPES[type]
    simple = st.sampled_from(
        [1.0, 0.5, 2.0, 0.1, 0.3, 3.0, 1 / 255, 0.007, 117.0, 2.0**-14, 2.0**-20]
    )
    return st.one_of(simple.map(lambda v: float(np.asarray(v).astype(dtype))), floats_of(type))


def semantics_for(type: str, rounding=DETERMINISTIC) -> st.SearchStrategy[Model]:
    values = FIELD_VALUES
    return st.builds(
        Model,
        st.just(type),
        st.sampled_from(rounding),
        *(
            st.sampled_from(values[f])
            for f in ("order", "division", "subtract", "overflow", "nan", "fusion")
        ),
    )


LANES = 6
integer_storages = st.tuples(st.sampled_from([1, 2, 3, 4, 5, 8, 12, 16, 24, 31, 32]), st.booleans())


def same_float(actual: float, expected: float) -> bool:
    """Equal, with the sign of a zero; any NaN is a NaN."""
    if math.isnan(expected):
        return math.isnan(actual)
    return actual == expected and math.copysign(1, actual) == math.copysign(1, expected)
