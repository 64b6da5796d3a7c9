# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats of 4 to 8 bits, which the theory of floats has not all: decoded by tables, encoded on the bits."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from . import bits as bv
from . import floats as fl
from . import softfloat
from .softfloat import BF16, F16, F32, F64, Format
from .terms import Term, constant
from .types import Unsupported


@dataclass(frozen=True)
class Encoding:
    """A format whose codes rise with the magnitude. `field_bias` is that of the exponent field."""

    name: str
    width: int
    significand: int  # with the hidden one
    exponent_bias: int
    largest: int  # code of the largest finite magnitude
    infinity: int | None
    nan: int | None
    has_negative_zero: bool = True

    @property
    def least(self) -> int:
        """The exponent of the unit of subnormal numbers."""
        return 2 - self.exponent_bias - self.significand


def _ieee(name: str, f: Format) -> Encoding:
    return Encoding(name, f.width, f.significand, f.bias, f.infinity - 1, f.infinity, f.nan)


ENCODINGS = {
    e.name: e
    for e in (
        _ieee("f16", F16),
        _ieee("bf16", BF16),
        _ieee("f8E5M2", Format(5, 3)),
        _ieee("f8E4M3", Format(4, 4)),
        _ieee("f8E3M4", Format(3, 5)),
        Encoding("f8E4M3FN", 8, 4, 7, 0x7E, None, 0x7F),
        Encoding("f8E4M3FNUZ", 8, 4, 8, 0x7F, None, 0x80, False),
        Encoding("f8E4M3B11FNUZ", 8, 4, 11, 0x7F, None, 0x80, False),
        Encoding("f8E5M2FNUZ", 8, 3, 16, 0x7F, None, 0x80, False),
        Encoding("f6E2M3FN", 6, 4, 1, 0x1F, None, None),
        Encoding("f6E3M2FN", 6, 3, 3, 0x1F, None, None),
        Encoding("f4E2M1FN", 4, 2, 1, 0x7, None, None),
    )
}

_DTYPES = {
    "f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3": ml_dtypes.float8_e4m3, "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn, "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}  # fmt: skip


def decode(code: Term, name: str, f: Format) -> Term:
    """The float that a code is: ml_dtypes says which. `f` holds every value."""
    codes = np.arange(1 << code.sort, dtype=np.uint8)
    with np.errstate(invalid="ignore"):
        values = codes.view(np.dtype(_DTYPES[name])).astype(np.float64).view(np.uint64)
    # In f32, so that an f64 is a conversion of a small table.
    narrow = F32 if f == F64 else f
    table = tuple(softfloat.convert(narrow, F64, "RNE", int(v)) for v in values)
    return fl.convert(fl.to_float(bv.table(code, table, narrow.width), narrow), f)


#: How a magnitude is rounded: (round up, given the last bit kept, the half below it, any rest, the sign).
_UP = {
    "nearest-even": lambda last, half, rest, sign: bv.and_(half, bv.or_(rest, last)),
    "nearest-away": lambda last, half, rest, sign: half,
    "nearest-up": lambda last, half, rest, sign: bv.and_(half, bv.or_(rest, bv.not_(sign))),
    "nearest-down": lambda last, half, rest, sign: bv.and_(half, bv.or_(rest, sign)),
    "toward-zero": lambda last, half, rest, sign: bv.false(),
    "floor": lambda last, half, rest, sign: bv.and_(sign, bv.or_(half, rest)),
    "ceil": lambda last, half, rest, sign: bv.and_(bv.not_(sign), bv.or_(half, rest)),
    "away-from-zero": lambda last, half, rest, sign: bv.or_(half, rest),
    "to-odd": lambda last, half, rest, sign: bv.and_(bv.not_(last), bv.or_(half, rest)),
}


def encode(a: Term, name: str, rounding: str, saturates: bool) -> Term:
    """The code of a float, rounded once; what lies beyond is the largest value, or what IEEE makes of it.

    The magnitude is an integer in units of the last place: its significand, shifted. Codes rise with
    magnitudes, so the code is that integer and the number of binades above the subnormal one.
    """
    if name not in ENCODINGS:
        raise Unsupported(f"rounding to {name}")
    e, f = ENCODINGS[name], a.sort
    pattern = fl.to_bits(a)
    sign = bv.sign(pattern)
    fraction = bv.extract(pattern, 0, f.significand - 1)
    field = bv.extract(pattern, f.significand - 1, f.exponent)
    is_normal = bv.ne(field, constant(0, f.exponent))

    # Wide enough for all exponents, with a sign.
    width = max(f.exponent, 9) + 3
    biased = bv.ite(is_normal, bv.zext(field, width), constant(1, width))
    # |a| = significand * 2^(exponent), and the unit of the format there is 2^unit.
    exponent = bv.add(biased, constant(f.least - 1, width))
    top = _top_bit(bv.concat(is_normal, fraction), width)
    lowest = constant(e.least, width)
    unit = bv.max_(
        bv.add(bv.add(exponent, top), constant(1 - e.significand, width)), lowest, is_signed=True
    )
    shift = bv.sub(unit, exponent)

    # Two more bits than either significand: half and rest stay apart from the unit.
    size = f.significand + e.significand + 2
    significand = bv.resize(bv.concat(is_normal, fraction, constant(0, e.significand)), size, False)
    # significand / 2^(shift + e.significand): the shift to the left is in place already.
    distance = bv.add(shift, constant(e.significand, width))
    wide = bv.concat(significand, constant(0, 2))
    amount = _bounded(distance, wide.sort)
    shifted = bv.lshr(wide, amount)
    lost = bv.ne(bv.shl(shifted, amount), wide)
    whole = bv.extract(shifted, 2, e.significand + 1)
    half = bv.extract(shifted, 1, 1)
    rest = bv.or_(bv.extract(shifted, 0, 1), lost)
    up = _UP[rounding](bv.extract(whole, 0, 1), half, rest, sign)

    room = max(width, e.width) + 2
    binades = bv.resize(bv.sub(unit, lowest), room + e.significand, True)
    code = bv.add(
        bv.add(bv.zext(whole, room + e.significand), bv.zext(up, room + e.significand)),
        bv.shl(binades, constant(e.significand - 1, room + e.significand)),
    )
    is_zero = bv.eq(bv.concat(is_normal, fraction), constant(0, f.significand))
    code = bv.ite(is_zero, constant(0, code.sort), code)
    largest = constant(e.largest, code.sort)
    is_beyond = bv.or_(bv.slt(largest, code), fl.is_infinite(a))
    magnitude = bv.ite(is_beyond, largest, code)
    if not saturates and (e.infinity is not None or e.nan is not None):
        beyond = e.infinity if e.infinity is not None else e.nan
        stays = bv.and_(_stays_finite(rounding, sign), bv.not_(fl.is_infinite(a)))
        over = bv.ite(stays, largest, constant(beyond, code.sort))
        magnitude = bv.ite(is_beyond, over, code)
    magnitude = bv.extract(magnitude, 0, e.width)

    signs = bv.concat(sign, constant(0, e.width - 1))
    result = bv.or_(magnitude, signs)
    if not e.has_negative_zero:
        result = bv.ite(bv.eq(magnitude, constant(0, e.width)), magnitude, result)
        result = bv.ite(bv.eq(magnitude, constant(e.nan, e.width)), magnitude, result)
    of_nan = constant(e.largest if e.nan is None else e.nan, e.width)
    return bv.ite(fl.is_nan(a), of_nan, result)


def _stays_finite(rounding: str, sign: Term) -> Term:
    """The modes that round what is beyond the largest value to it."""
    if rounding in ("toward-zero", "to-odd"):
        return bv.true()
    return {"floor": bv.not_(sign), "ceil": sign}.get(rounding, bv.false())


def _top_bit(a: Term, width: int) -> Term:
    """The number of the highest one; 0 for none."""
    found = constant(0, width)
    for i in range(a.sort):
        found = bv.ite(bv.extract(a, i, 1), constant(i, width), found)
    return found


def _bounded(amount: Term, width: int) -> Term:
    """A shift by a number that is not negative, in the width of what is shifted."""
    most = constant(width, amount.sort)
    bounded = bv.ite(bv.slt(most, amount), most, amount)
    return bv.resize(bounded, width, False)


def is_nan_code(code: Term, name: str) -> Term:
    """True of every code of a NaN."""
    e = ENCODINGS[name]
    if e.nan is None:
        return bv.false()
    if not e.has_negative_zero:
        return bv.eq(code, constant(e.nan, e.width))
    above = e.infinity if e.infinity is not None else e.largest
    return bv.ult(constant(above, e.width - 1), bv.extract(code, 0, e.width - 1))
