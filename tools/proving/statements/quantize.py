# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quantize, step by step as docs/Semantics.md numbers it: Q2.1 to Q2.6, fields Q1.1 to Q1.8."""

from __future__ import annotations

from collections.abc import Mapping

from .. import bits as bv
from .. import floats as fl
from .. import small_floats
from ..softfloat import Format
from ..terms import Term, constant
from ..types import IEEE
from .operands import Operand, Storage
from .rounding import WIDTH, residue, rounded


def compute_type(compute: str, x: Operand, s: Operand) -> Format:
    if compute in IEEE:
        return IEEE[compute]
    if s.type in IEEE and compute != "expressed":
        return IEEE[s.type]
    return IEEE["f32" if x.is_integer else x.type]


def quantize(
    x: Operand,
    s: Operand,
    z: Operand | None,
    storage: str,
    semantics: Mapping[str, str],
    clamp: tuple[int, int] | None = None,
    domain: str = "stored",
) -> tuple[Term, Term]:
    """The code, and the condition under which it is defined."""
    c = compute_type(semantics["compute"], x, s)
    xc, sc = x.cast(c), s.cast(c)
    if z is not None and domain == "expressed":
        xc, z = fl.sub(xc, z.cast(c)), None
    if semantics["division"] == "exact":
        return of_quotient(fl.div(xc, sc), None, z, c, storage, semantics, clamp)
    k = fl.div(fl.number(1, c), sc)
    return of_quotient(fl.mul(xc, k), (xc, k), z, c, storage, semantics, clamp)


def of_quotient(
    r: Term,
    factors: tuple[Term, Term] | None,
    z: Operand | None,
    c: Format,
    storage: str,
    semantics: Mapping[str, str],
    clamp: tuple[int, int] | None,
) -> tuple[Term, Term]:
    """Steps 4 to 6. `factors`: of r, where it is a product."""

    def total() -> Term:
        if factors is not None and semantics["fusion"] == "fma":
            return fl.fma(*factors, z.cast(c))
        return fl.add(r, z.cast(c))

    if not storage.startswith(("i", "si", "ui")):
        t = r if z is None else total()
        saturates = semantics["float_overflow"] == "saturate"
        code = small_floats.encode(t, storage, semantics["rounding"], saturates)
        return code, bv.true()

    adds_integer = z is not None and z.is_integer and semantics["order"] == "round-then-add"
    v = r if z is None or adds_integer else total()
    return code_of(v, z if adds_integer else None, z, c, Storage.of(storage, clamp), semantics)


def code_of(
    v: Term,
    addend: Operand | None,
    z: Operand | None,
    c: Format,
    storage: Storage,
    semantics: Mapping[str, str],
) -> tuple[Term, Term]:
    """The code of round(v) + addend, and where it is defined. `z` is the code of zero."""
    rounding, overflow, nan = (semantics[name] for name in ("rounding", "overflow", "nan"))

    def plus(integer: Term) -> Term:
        return integer if addend is None else bv.add(integer, addend.exact(WIDTH))

    low, high = storage.type_bounds
    no_code, defined = fl.is_nan(v), bv.true()
    if overflow == "wrap":
        no_code = bv.or_(no_code, fl.is_infinite(v))
        kept = bv.extract(plus(residue(v, rounding)), 0, storage.width)
        integer = bv.resize(kept, WIDTH, storage.is_signed)
    else:
        integer = plus(rounded(v, rounding))
    if overflow == "undefined":
        inside = bv.and_(
            bv.sle(constant(low, WIDTH), integer), bv.sle(integer, constant(high, WIDTH))
        )
        defined = bv.or_(no_code, inside)
    if nan == "undefined" and overflow != "saturate":
        defined = bv.and_(defined, bv.not_(no_code))
    code = bv.ite(no_code, _code_of_nan(nan, z, c, storage, rounding), _clamped(integer, storage))
    return bv.extract(code, 0, storage.width), defined


def _clamped(integer: Term, storage: Storage) -> Term:
    low, high = constant(storage.low, WIDTH), constant(storage.high, WIDTH)
    return bv.ite(bv.slt(integer, low), low, bv.ite(bv.slt(high, integer), high, integer))


def _code_of_nan(nan: str, z: Operand | None, c: Format, storage: Storage, rounding: str) -> Term:
    if nan == "highest":
        return constant(storage.high, WIDTH)
    if nan == "zero" or nan == "zero-point" and z is None:
        return _clamped(constant(0, WIDTH), storage)
    if nan == "zero-point" and z.is_integer:
        return _clamped(z.exact(WIDTH), storage)
    lowest = constant(storage.low, WIDTH)
    if nan == "zero-point":
        zero = z.cast(c)
        return bv.ite(fl.is_nan(zero), lowest, _clamped(rounded(zero, rounding), storage))
    return lowest
