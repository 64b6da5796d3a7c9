# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""requantize: every kind of docs/Semantics.md (Q4.1 to Q4.3).

Products and shifts of integers are exact, in bits that hold them."""

from __future__ import annotations

from collections.abc import Mapping

from .. import bits as bv
from .. import floats as fl
from ..softfloat import F32, F64, Format
from ..terms import Term, constant
from ..types import IEEE
from .operands import Operand, Storage
from .quantize import code_of, quantize
from .rounding import to_nearest_places

_INTEGERS = ("exact", "fixed31-double", "fixed31-single", "fixed15")


def requantize(
    acc: Operand,
    multipliers: list[Operand],
    shift: Operand | None,
    fraction: Operand | None,
    z: Operand | None,
    kind: str,
    storage: str,
    semantics: Mapping[str, str],
    limit: int | None = None,
    clamp: tuple[int, int] | None = None,
) -> tuple[Term, Term]:
    """The code, and the condition under which it is defined."""
    bounds = Storage.of(storage, clamp)
    if kind in _INTEGERS:
        return _of_integers(
            acc, multipliers[0], shift, fraction, z, kind, bounds, semantics, limit
        ), bv.true()
    if kind == "qdq":
        c = F64 if multipliers[0].type == "f64" else F32
        x = fl.mul(acc.cast(c), multipliers[0].cast(c))
        name = "f64" if c == F64 else "f32"
        return quantize(Operand(fl.to_bits(x), name), multipliers[1], z, storage, semantics, clamp)
    c = F64 if kind == "f64" else F32
    x = acc.cast(c)
    if kind == "separate":
        a, b, y = (m.cast(c) for m in multipliers)
        x, factor = fl.mul(fl.mul(x, a), b), fl.div(fl.number(1, c), y)
    elif len(multipliers) == 1:
        factor = multipliers[0].cast(c)
    else:
        t = F32 if kind == "f32" else _type_of_scales([m.type for m in multipliers])
        a, b, y = (m.cast(t) for m in multipliers)
        factor = fl.convert(fl.div(fl.mul(a, b), y), c)

    adds_integer = z is not None and z.is_integer and semantics["order"] == "round-then-add"
    if z is None or adds_integer:
        v = fl.mul(x, factor)
    elif semantics["fusion"] == "fma":
        v = fl.fma(x, factor, z.cast(c))
    else:
        v = fl.add(fl.mul(x, factor), z.cast(c))
    return code_of(v, z if adds_integer else None, z, c, bounds, semantics)


def _type_of_scales(types: list[str]) -> Format:
    """T: the one type of the scales, if it has more than 8 bits; else f64 or f32."""
    if len(set(types)) == 1 and types[0] in IEEE:
        return IEEE[types[0]]
    return F64 if "f64" in types else F32


def _shifted(v: Term, t: Term, rounding: str, offset: Term | None = None) -> Term:
    """v / 2^t to an integer, as if the integer `offset` were added first and taken away again."""
    # One more place below, so that half of the last unit is an integer too.
    width = v.sort + 1
    doubled, t = bv.concat(v, constant(0, 1)), bv.zext(t, width)
    down = bv.ashr(doubled, t)
    up = bv.add(down, bv.zext(bv.ne(bv.shl(down, t), doubled), width))
    if offset is None:
        result = to_nearest_places(down, up, bv.sign(v), rounding)
    else:
        twice = bv.shl(bv.sext(offset, width), constant(1, width))
        # The sign of v + offset: of its floor, since an integer is not below zero before it is.
        moved_down, moved_up = bv.add(down, twice), bv.add(up, twice)
        result = bv.sub(
            to_nearest_places(moved_down, moved_up, bv.sign(moved_down), rounding),
            bv.sext(offset, width),
        )
    return bv.extract(result, 0, v.sort)


def _of_integers(
    acc: Operand,
    multiplier: Operand,
    shift: Operand,
    fraction: Operand | None,
    z: Operand | None,
    kind: str,
    storage: Storage,
    semantics: Mapping[str, str],
    limit: int | None,
) -> Term:
    # The product, a zero point of 64 bits, a doubling: nothing wraps in this many bits.
    width = acc.bits.sort + multiplier.bits.sort + 8
    width = max(width, 80)

    def bounded(v: Term, low: Term, high: Term) -> Term:
        return bv.ite(bv.slt(v, low), low, bv.ite(bv.slt(high, v), high, v))

    def number(value: int) -> Term:
        return constant(value, width)

    a = acc.exact(width)
    if limit is not None:
        a = bounded(a, number(-limit), number(limit))
    product = bv.mul(a, multiplier.exact(width))
    t = bounded(shift.exact(width), number(0), number(126 if kind == "exact" else 62))
    if kind == "exact":
        if fraction is not None:
            g = bounded(fraction.exact(width), number(0), t)
            places = bv.sub(t, g)
            negative = bv.sign(product)
            magnitude = bv.lshr(bv.ite(negative, bv.neg(product), product), places)
            product, t = bv.ite(negative, bv.neg(magnitude), magnitude), g
        offset = None
        if z is not None and semantics["order"] == "add-then-round":
            offset = z.exact(width)
        v = _shifted(product, t, semantics["rounding"], offset)
    elif kind == "fixed31-double":
        k = bv.ite(bv.slt(number(31), t), number(31), t)
        high = _shifted(product, k, "nearest-up")
        v = _shifted(high, bv.sub(t, k), "nearest-away")
    else:
        v = _shifted(product, t, "nearest-up")
    if z is not None:
        v = bv.add(v, z.exact(width))
    if semantics["overflow"] == "saturate":
        v = bounded(v, number(storage.low), number(storage.high))
    else:
        kept = bv.resize(bv.extract(v, 0, storage.width), width, storage.is_signed)
        v = bounded(kept, number(storage.low), number(storage.high))
    return bv.extract(v, 0, storage.width)
