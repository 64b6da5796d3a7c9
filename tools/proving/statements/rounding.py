# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real numbers to integers, from the bits of a float: Q1.1.

With `down` and `up` the floor and the ceiling of twice the value, every mode is integer arithmetic:
floor(v + 1/2) is (down + 1) >> 1, ceil(v - 1/2) is up >> 1, a tie is an odd `down` equal to `up`.
"""

from __future__ import annotations

from .. import bits as bv
from .. import floats as fl
from ..terms import Term, constant

#: Wide enough for every sum of a code and a zero point, and for what lies beyond all of them.
WIDTH = 64
#: Magnitudes from 2^_FAR on are as good as 2^_FAR: far beyond every storage, whatever the zero point.
_FAR = 60


def to_nearest_places(down: Term, up: Term, negative: Term, rounding: str) -> Term:
    """The integer that v becomes, from floor(2v), ceil(2v) and its sign."""
    one = constant(1, down.sort)

    def halved(a: Term) -> Term:
        return bv.ashr(a, one)

    floor, ceiling = halved(down), halved(bv.add(up, one))
    half_up, half_down = halved(bv.add(down, one)), halved(up)
    inexact = bv.ne(floor, ceiling)
    match rounding:
        case "nearest-even":
            is_odd = bv.extract(half_up, 0, 1)
            return bv.ite(is_odd, half_down, half_up)
        case "nearest-away":
            return bv.ite(negative, half_down, half_up)
        case "nearest-up":
            return half_up
        case "nearest-down":
            return half_down
        case "toward-zero":
            return bv.ite(negative, ceiling, floor)
        case "floor":
            return floor
        case "ceil":
            return ceiling
        case "away-from-zero":
            return bv.ite(negative, floor, ceiling)
        case "to-odd":
            return bv.ite(bv.and_(inexact, bv.not_(bv.extract(floor, 0, 1))), ceiling, floor)
    raise NotImplementedError(rounding)


def _fields(v: Term) -> tuple[Term, Term, Term]:
    """Sign, significand and the exponent of its unit (WIDTH bits) of a finite float."""
    f, pattern = v.sort, fl.to_bits(v)
    field = bv.zext(bv.extract(pattern, f.significand - 1, f.exponent), WIDTH)
    is_normal = bv.ne(field, constant(0, WIDTH))
    significand = bv.concat(is_normal, bv.extract(pattern, 0, f.significand - 1))
    exponent = bv.add(bv.max_(field, constant(1, WIDTH), False), constant(f.least - 1, WIDTH))
    return bv.sign(pattern), significand, exponent


def rounded(v: Term, rounding: str) -> Term:
    """A finite v as an integer; from 2^60 on, 2^60."""
    sign, significand, exponent = _fields(v)
    # The significand at the top of the word, so that 2|v| lies some places to the right.
    top = bv.concat(significand, constant(0, WIDTH - significand.sort))
    places = bv.sub(constant(WIDTH - significand.sort - 1, WIDTH), exponent)
    doubled = bv.lshr(top, places)
    lost = bv.zext(bv.ne(bv.shl(doubled, places), top), WIDTH)
    down = bv.ite(sign, bv.neg(bv.add(doubled, lost)), doubled)
    up = bv.ite(sign, bv.neg(doubled), bv.add(doubled, lost))
    far = constant(1 << _FAR, WIDTH)
    limit = fl.number(2.0**_FAR, v.sort)
    is_far = bv.or_(fl.less_equal(limit, fl.absolute(v)), fl.is_infinite(v))
    near = to_nearest_places(down, up, sign, rounding)
    return bv.ite(is_far, bv.ite(sign, bv.neg(far), far), near)


def residue(v: Term, rounding: str) -> Term:
    """A finite v, rounded, modulo 2^64."""
    sign, significand, exponent = _fields(v)
    # From 2^64 on, v is a multiple of its unit.
    magnitude = bv.shl(bv.zext(significand, WIDTH), exponent)
    large = bv.ite(sign, bv.neg(magnitude), magnitude)
    is_whole = bv.not_(bv.sign(exponent))
    return bv.ite(is_whole, large, rounded(v, rounding))
