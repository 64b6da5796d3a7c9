# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quantize and dequantize of one element over exact rationals, from docs/Semantics.md.

Values of float types are Python floats (f64 holds all of them); every operation is made on fractions and rounded once.
Needs the standard library only, and nothing of this project.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Format:
    """A binary float format: significand bits with the implicit one, exponent of the smallest normal."""

    bits: int
    precision: int
    lowest_exponent: int
    max_finite: Fraction
    has_infinity: bool = True
    has_nan: bool = True
    has_negative_zero: bool = True


def _ieee(bits: int, precision: int) -> Format:
    highest = 2 ** (bits - precision - 1) - 1
    return Format(
        bits, precision, 1 - highest, (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** highest
    )


def _finite(bits: int, precision: int, lowest: int, largest: int, **traits) -> Format:
    return Format(bits, precision, lowest, Fraction(largest), has_infinity=False, **traits)


FORMATS = {
    "f16": _ieee(16, 11), "bf16": _ieee(16, 8), "f32": _ieee(32, 24), "f64": _ieee(64, 53),
    "f8E5M2": _ieee(8, 3), "f8E4M3": _ieee(8, 4), "f8E3M4": _ieee(8, 5),
    "f8E4M3FN": _finite(8, 4, -6, 448),
    "f8E4M3FNUZ": _finite(8, 4, -7, 240, has_negative_zero=False),
    "f8E5M2FNUZ": _finite(8, 3, -15, 57344, has_negative_zero=False),
    "f6E2M3FN": _finite(6, 4, 0, 7.5, has_nan=False),
    "f6E3M2FN": _finite(6, 3, -2, 28, has_nan=False),
    "f4E2M1FN": _finite(4, 2, 0, 6, has_nan=False),
}  # fmt: skip


def integer_bounds(element: str) -> tuple[int, int]:
    bits = int(element.lstrip("siu"))
    return (
        (0, 2**bits - 1) if element.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )


# --- rounding ---------------------------------------------------------------------------


def to_integer(value: Fraction, mode: str) -> int:
    return _round_ratio(value.numerator, value.denominator, mode)


def _round_ratio(numerator: int, denominator: int, mode: str) -> int:
    below, rest = divmod(numerator, denominator)
    if rest == 0:
        return below
    inward, outward = (below, below + 1) if numerator > 0 else (below + 1, below)
    if mode.startswith("nearest") and 2 * rest != denominator:
        return below if 2 * rest < denominator else below + 1
    return {
        "nearest-even": below + below % 2,
        "nearest-away": outward,
        "nearest-up": below + 1,
        "nearest-down": below,
        "toward-zero": inward,
        "floor": below,
        "ceil": below + 1,
        "away-from-zero": outward,
        "to-odd": below + 1 - below % 2,
    }[mode]


def to_precision(value: Fraction, format: Format, mode: str = "nearest-even") -> Fraction:
    """On the grid of `format`, with an unbounded exponent."""
    numerator, denominator = value.numerator, value.denominator
    # 2^exponent <= |value| < 2^(exponent + 1)
    exponent = numerator.bit_length() - denominator.bit_length()
    if abs(numerator) << max(0, -exponent) < denominator << max(0, exponent):
        exponent -= 1
    unit = max(exponent, format.lowest_exponent) - format.precision + 1
    if unit > 0:
        return Fraction(_round_ratio(numerator, denominator << unit, mode) << unit)
    return Fraction(_round_ratio(numerator << -unit, denominator, mode), 1 << -unit)


def cast(value, element: str) -> float:
    """One rounding to nearest even, infinite beyond the type."""
    if isinstance(value, float) and (value == 0 or not math.isfinite(value)):
        return value
    if value == 0:
        return 0.0
    value, format = Fraction(value), FORMATS[element]
    rounded = to_precision(value, format)
    if abs(rounded) > format.max_finite:
        return math.inf if value > 0 else -math.inf
    return float(rounded) if rounded else math.copysign(0.0, value.numerator)


# --- operations in a type -----------------------------------------------------------------


def _are_finite(*values: float) -> bool:
    return all(map(math.isfinite, values))


def add(a: float, b: float, element: str) -> float:
    if not _are_finite(a, b) or a == b == 0 or Fraction(a) + Fraction(b) == 0:
        return a + b
    return cast(Fraction(a) + Fraction(b), element)


def multiply(a: float, b: float, element: str) -> float:
    if not _are_finite(a, b) or a == 0 or b == 0:
        return a * b
    return cast(Fraction(a) * Fraction(b), element)


def divide(a: float, b: float, element: str) -> float:
    if b == 0:
        sign = math.copysign(1.0, a) * math.copysign(1.0, b)
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, sign)
    if not _are_finite(a, b) or a == 0:
        return a / b
    return cast(Fraction(a) / Fraction(b), element)


def fused(a: float, b: float, c: float, element: str) -> float:
    """a * b + c, rounded once."""
    if not _are_finite(a, b):
        return a * b + c
    if not math.isfinite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        return cast(exact, element)
    # Two zeros have the sign of their sum; what cancels is +0.
    return a * b + c if c == 0 else 0.0


# --- the two conversions --------------------------------------------------------------------


@dataclass(frozen=True)
class Conversion:
    """The fields of `#qdq.semantics`, `compute` being a type here, and the types around them."""

    storage: str
    compute: str
    rounding: str = "nearest-even"
    order: str = "round-then-add"
    division: str = "exact"
    subtract: str = "wide"
    overflow: str = "saturate"
    nan: str = "lowest"
    fusion: str = "none"
    float_overflow: str = "saturate"
    domain: str = "stored"
    clamp: tuple[int, int] | None = field(default=None)

    @property
    def bounds(self) -> tuple[int, int]:
        return self.clamp or integer_bounds(self.storage)

    def quantize(self, x, scale: float, zero_point=None):
        """A code, an int, or the value of a float code. `zero_point` is an int, a float or None."""
        C = self.compute
        xc, sc, z = cast(x, C), cast(scale, C), zero_point
        if z is not None and self.domain == "expressed":
            xc, z = add(xc, -cast(z, C), C), None
        if self.division == "reciprocal":
            return self.product(xc, divide(1.0, sc, C), z)
        r = divide(xc, sc, C)
        total = r if z is None else add(r, cast(z, C), C)
        return self._code(r, total, z)

    def product(self, xc: float, k: float, z):
        """The code of `xc * k`, both of the compute type."""
        C = self.compute
        r = total = multiply(xc, k, C)
        if z is not None:
            is_fused = self.fusion == "fma"
            total = fused(xc, k, cast(z, C), C) if is_fused else add(r, cast(z, C), C)
        return self._code(r, total, z)

    def _code(self, r: float, total: float, z):
        if self.storage in FORMATS:
            return self._float_code(total)
        if isinstance(z, int) and self.order == "round-then-add":
            return self.integer_code(r, z, z)
        return self.integer_code(total, 0, z)

    def integer_code(self, real, addend: int, z) -> int:
        low, high = self.bounds
        if math.isnan(real) or (math.isinf(real) and self.overflow == "wrap"):
            return self._nan_code(z)
        if math.isinf(real):
            return high if real > 0 else low
        code = to_integer(Fraction(real), self.rounding) + addend
        if self.overflow == "wrap":
            lowest, highest = integer_bounds(self.storage)
            code = (code - lowest) % (highest - lowest + 1) + lowest
        return min(max(code, low), high)

    def _nan_code(self, z) -> int:
        low, high = self.bounds
        if self.nan in ("lowest", "highest"):
            return low if self.nan == "lowest" else high
        if self.nan == "zero" or z is None:
            return min(max(0, low), high)
        if isinstance(z, int):
            return min(max(z, low), high)
        zero = cast(z, self.compute)
        if not math.isfinite(zero):
            return high if zero > 0 else low
        return min(max(to_integer(Fraction(zero), self.rounding), low), high)

    def _float_code(self, total: float) -> float:
        format = FORMATS[self.storage]
        saturates = self.float_overflow == "saturate" or not format.has_nan
        beyond = math.inf if format.has_infinity else math.nan
        largest = float(format.max_finite)
        if math.isnan(total):
            return math.nan if format.has_nan else largest
        if math.isinf(total):
            return math.copysign(largest if saturates else beyond, total)
        rounded = to_precision(Fraction(total), format, self.rounding)
        if abs(rounded) > format.max_finite:
            inward = self.rounding in ("toward-zero", "to-odd", "floor" if total > 0 else "ceil")
            return math.copysign(largest if saturates or inward else beyond, total)
        # A zero keeps the sign of what was rounded.
        result = math.copysign(float(rounded), total)
        return result if result or format.has_negative_zero else 0.0

    def dequantize(self, q, scale: float, zero_point, result: str) -> float:
        """`q` is an int, or the value of a float code."""
        C, z = self.compute, zero_point
        bias = None
        if z is not None and self.domain == "expressed":
            z, bias = None, cast(z, C)
        # The type in which a code is a real.
        T = result if self.subtract == "output" else C
        if z is None:
            d = cast(q, T)
        elif isinstance(q, int) and isinstance(z, int) and self.subtract in ("wide", "wrap32"):
            difference = q - z
            if self.subtract == "wrap32":
                difference = (difference + 2**31) % 2**32 - 2**31
            d = cast(difference, C)
        else:
            d = add(cast(q, T), -cast(z, T), T)
        d, sc = cast(d, C), cast(scale, C)
        if bias is not None and self.fusion == "fma":
            return cast(fused(d, sc, bias, C), result)
        p = multiply(d, sc, C)
        return cast(p if bias is None else add(p, bias, C), result)


# --- parameters -------------------------------------------------------------------------------


def choose_params(
    values: list[float], storage: str, mode: str, element: str, scale: str = "", power_of_two=None
):
    """Scale and zero point of one group of `element`; the zero point of float storage is None. Both are computed
    in f64 where `element` or `scale` is f64, else in f32."""
    scale_type = scale or element
    C = "f64" if "f64" in (element, scale_type) else "f32"
    seen = [cast(v, C) for v in values if not math.isnan(v)]
    low, high = min([0.0, *seen]), max([0.0, *seen])
    z = None
    if storage in FORMATS:
        steps = FORMATS[storage].max_finite
    else:
        qmin, qmax = integer_bounds(storage)
        z = 0 if qmin else (qmax + 1) // 2
        steps = qmax - z if mode == "symmetric" else qmax - qmin
    extent = max(-low, high) if mode == "symmetric" else add(high, -low, C)
    if power_of_two:
        s = _power_of_two(extent, Fraction(steps), power_of_two, storage, scale_type)
    else:
        s = divide(extent, cast(steps, C), C)
        if FORMATS[scale_type].bits == 8:
            s = min(s, float(FORMATS[scale_type].max_finite))
        s = cast(s, scale_type)
        if (extent if mode == "ort" else s) == 0:
            s = 1.0
    if mode == "symmetric":
        return s, z
    real = add(float(qmin), -divide(low, s, C), C)
    if math.isnan(real):
        return s, qmax if mode == "ort" else qmin
    if math.isinf(real):
        return s, qmax if real > 0 else qmin
    return s, min(max(to_integer(Fraction(real), "nearest-even"), qmin), qmax)


def _binade(value: Fraction) -> tuple[Fraction, int]:
    """m in [1, 2) and e, with `value = m * 2^e`."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    e -= value < Fraction(2) ** e
    return value / Fraction(2) ** e, e


def _power_of_two(extent: float, steps: Fraction, rule: str, storage: str, scale: str) -> float:
    lowest, highest = -127, 127
    if scale != "f8E8M0FNU":
        lowest, highest = FORMATS[scale].lowest_exponent, _binade(FORMATS[scale].max_finite)[1]
    if extent == 0 or math.isinf(extent):
        return 2.0 ** (highest if extent else lowest)
    (m, e), (M, E) = _binade(Fraction(extent)), _binade(steps)
    p = FORMATS[storage].precision - 1 if storage in FORMATS else E
    half = Fraction(1, 2 ** (p + 1))
    is_up = {
        "floor": False,
        "rceil": m > M,
        "ceil": m > 1,
        "even": m >= 2 - half,
        "fit": m > M + half or (m == M + half and int(M * 2**p) % 2 == 1),
    }[rule]
    return 2.0 ** min(max(e - E + is_up, lowest), highest)


# --- products of accumulators -------------------------------------------------------------------


def requantize(
    acc: int, sa: float, sb: float, sy: float, z: int | None, storage: str, rescale: str, **fields
) -> int:
    """The code of `acc * sa * sb / sy`, whose scales are of f32. `fields` are those of `Conversion`."""
    own = "f64" if rescale == "f64" else "f32"
    conversion = Conversion(storage=storage, compute=own, **fields)
    add_first = conversion.order == "add-then-round"
    if rescale == "qdq":
        s = multiply(sa, sb, "f32")
        return conversion.quantize(multiply(cast(acc, "f32"), s, "f32"), sy, z)
    if rescale in ("f32", "f64", "separate"):
        if rescale == "separate":
            r = multiply(multiply(cast(acc, own), sa, own), sb, own)
            factor = divide(1.0, sy, own)
        else:
            r, factor = cast(acc, own), divide(multiply(sa, sb, "f32"), sy, "f32")
        return conversion.product(r, factor, z)
    if rescale == "exact":
        v = acc * Fraction(sa) * Fraction(sb) / Fraction(sy)
        v = to_integer(v + (z or 0 if add_first else 0), conversion.rounding)
        v += 0 if add_first else z or 0
    else:
        m, t = _fixed_multiplier(rescale, sa * sb / sy)  # Python's floats are f64
        k = min(t, 31) if rescale == "fixed31-double" else t
        v = to_integer(Fraction(acc * m, 2**k), "nearest-up")
        v = to_integer(Fraction(v, 2 ** (t - k)), "nearest-away") + (z or 0)
    return conversion.integer_code(Fraction(v), 0, z)


def _fixed_multiplier(rescale: str, real: float) -> tuple[int, int]:
    bits = 15 if rescale == "fixed15" else 31
    q, e = math.frexp(real)
    m = to_integer(Fraction(q) * 2**31, "nearest-away")
    if m == 2**31:
        m, e = m // 2, e + 1
    if e < -31:
        m, e = 0, 0
    if bits == 15:
        m = 0x7FFF if m >= 0x7FFF0000 else (m + 2**15) >> 16
    return m, bits - e
