# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""arith: integers that wrap, IEEE floats, poison and undefined behaviour as upstream's pages say."""

from __future__ import annotations

import re

from mlir import ir

from .. import bits as bv
from .. import floats as fl
from .. import small_floats
from ..interpreter import (
    text_of,
    Machine,
    check_attributes,
    combine,
    defines,
    elementwise,
    operand_element,
    result_element,
    width_of_result,
)
from ..program import Operation, known
from ..softfloat import Format
from ..terms import Term, constant, symbol
from ..types import IEEE, Unsupported, attribute_bits, format_of, is_shaped, static_shape, width_of
from ..values import Array, Element, Value, choose, number

# --- constants and choice ----------------------------------------------------------------


@defines("arith.constant", "llvm.mlir.constant")
def _constant(machine: Machine, op: Operation):
    return _value_of_constant(op)


@known
def _value_of_constant(op: Operation) -> Value:
    attribute, type = op.attributes["value"], op.results[0].type
    width = width_of_result(op)
    elements = [number(bits, width) for bits in attribute_bits(attribute)]
    return Array(static_shape(type), tuple(elements)) if is_shaped(type) else elements[0]


@defines("arith.select")
def _select(machine: Machine, op: Operation):
    condition, a, b = machine.operands(op)
    if isinstance(condition, Element) and not isinstance(a, Element):
        if not isinstance(a, Array):
            return a if machine.integer(op.operands[0]) else b
        pairs = zip(a.elements, b.elements, strict=True)
        return Array(a.shape, tuple(_picked(condition, x, y) for x, y in pairs))
    return elementwise(machine, op, _picked)


def _picked(condition: Element, a: Element, b: Element) -> Element:
    chosen = choose(condition.bits, a, b)
    return combine(chosen.bits, chosen, condition)


# --- integers ----------------------------------------------------------------------------


def _binary(function):
    """An op on two integers that is never poison by itself."""

    def meaning(machine: Machine, op: Operation):
        return elementwise(machine, op, lambda a, b: combine(function(a.bits, b.bits), a, b))

    return meaning


for _name, _function in {
    "andi": bv.and_,
    "ori": bv.or_,
    "xori": bv.xor,
    "maxsi": lambda a, b: bv.max_(a, b, True),
    "minsi": lambda a, b: bv.min_(a, b, True),
    "maxui": lambda a, b: bv.max_(a, b, False),
    "minui": lambda a, b: bv.min_(a, b, False),
}.items():
    defines(f"arith.{_name}")(_binary(_function))


@known
def _flags(op: Operation) -> set[str]:
    """nsw and nuw."""
    if "overflowFlags" not in op.attributes:
        return set()
    return set(re.findall(r"nsw|nuw", text_of(op, "overflowFlags")))


def _wrapping(function, growth):
    """An op that wraps; `growth` of a width is the one in which it cannot."""

    def meaning(machine: Machine, op: Operation):
        flags = _flags(op)

        def one(a: Element, b: Element) -> Element:
            poison = _overflow(function, growth, flags, a, b) if flags else None
            return combine(function(a.bits, b.bits), a, b, poison=poison)

        return elementwise(machine, op, one)

    return meaning


def _overflow(function, growth, flags: set[str], a: Element, b: Element) -> Term:
    conditions = [bv.false()]
    for flag, is_signed in (("nsw", True), ("nuw", False)):
        if flag in flags:
            wide = growth(a.width)
            exact = function(*(bv.resize(v.bits, wide, is_signed) for v in (a, b)))
            kept = bv.resize(function(a.bits, b.bits), wide, is_signed)
            conditions.append(bv.ne(exact, kept))
    return bv.or_(*conditions)


defines("arith.addi")(_wrapping(bv.add, lambda width: width + 1))
defines("arith.subi")(_wrapping(bv.sub, lambda width: width + 2))
defines("arith.muli")(_wrapping(bv.mul, lambda width: 2 * width))


@defines("arith.shli", "arith.shrui", "arith.shrsi")
def _shift(machine: Machine, op: Operation):
    function = {"arith.shli": bv.shl, "arith.shrui": bv.lshr, "arith.shrsi": bv.ashr}[op.name]
    is_exact = "isExact" in op.attributes
    flags = _flags(op)

    def one(a: Element, n: Element) -> Element:
        shifted = function(a.bits, n.bits)
        conditions = [bv.not_(bv.ult(n.bits, constant(n.width, n.width)))]
        if is_exact:
            conditions.append(bv.ne(bv.shl(shifted, n.bits), a.bits))
        if "nuw" in flags:
            conditions.append(bv.ne(bv.lshr(shifted, n.bits), a.bits))
        if "nsw" in flags:
            conditions.append(bv.ne(bv.ashr(shifted, n.bits), a.bits))
        return combine(shifted, a, n, poison=bv.or_(*conditions))

    return elementwise(machine, op, one)


def _floor_div(a: Term, b: Term) -> Term:
    quotient = bv.sdiv(a, b)
    rest_is_negative = bv.xor(bv.sign(a), bv.sign(b))
    inexact = bv.ne(bv.mul(quotient, b), a)
    return bv.ite(
        bv.and_(inexact, rest_is_negative), bv.add(quotient, constant(-1, a.sort)), quotient
    )


def _ceil_div(a: Term, b: Term) -> Term:
    quotient = bv.sdiv(a, b)
    is_positive = bv.not_(bv.xor(bv.sign(a), bv.sign(b)))
    inexact = bv.ne(bv.mul(quotient, b), a)
    return bv.ite(bv.and_(inexact, is_positive), bv.add(quotient, constant(1, a.sort)), quotient)


def _ceil_div_unsigned(a: Term, b: Term) -> Term:
    rest = bv.ne(bv.urem(a, b), constant(0, a.sort))
    return bv.add(bv.udiv(a, b), bv.zext(rest, a.sort))


_DIVISIONS = {
    "arith.divsi": (bv.sdiv, True),
    "arith.divui": (bv.udiv, False),
    "arith.remsi": (bv.srem, True),
    "arith.remui": (bv.urem, False),
    "arith.floordivsi": (_floor_div, True),
    "arith.ceildivsi": (_ceil_div, True),
    "arith.ceildivui": (_ceil_div_unsigned, False),
}


@defines(*_DIVISIONS)
def _division(machine: Machine, op: Operation):
    check_attributes(op, isExact="false")
    function, is_signed = _DIVISIONS[op.name]

    def one(a: Element, b: Element) -> Element:
        is_zero = bv.eq(b.bits, constant(0, b.width))
        overflows = bv.false()
        if is_signed:
            least = bv.eq(a.bits, constant(1 << (a.width - 1), a.width))
            overflows = bv.and_(least, bv.eq(b.bits, constant(-1, b.width)), bv.not_(a.poison))
        machine.trap(bv.or_(is_zero, overflows, b.poison))
        return combine(function(a.bits, b.bits), a, b)

    return elementwise(machine, op, one)


_ORDERS = {
    "eq": bv.eq,
    "ne": bv.ne,
    "slt": bv.slt,
    "sle": bv.sle,
    "sgt": lambda a, b: bv.slt(b, a),
    "sge": lambda a, b: bv.sle(b, a),
    "ult": bv.ult,
    "ule": bv.ule,
    "ugt": lambda a, b: bv.ult(b, a),
    "uge": lambda a, b: bv.ule(b, a),
}


@known
def _predicate(op: Operation) -> int:
    return ir.IntegerAttr(op.attributes["predicate"]).value


@defines("arith.cmpi")
def _compare(machine: Machine, op: Operation):
    order = list(_ORDERS.values())[_predicate(op)]
    return elementwise(machine, op, lambda a, b: combine(order(a.bits, b.bits), a, b))


@defines("arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "arith.index_castui")
def _resize(machine: Machine, op: Operation):
    check_attributes(op, nneg="false")
    width, is_signed = width_of_result(op), op.name in ("arith.extsi", "arith.index_cast")
    flags = _flags(op)

    def one(a: Element) -> Element:
        bits = bv.resize(a.bits, width, is_signed)
        lost = [
            bv.ne(bv.resize(bits, a.width, flag == "nsw"), a.bits)
            for flag in ("nsw", "nuw")
            if flag in flags
        ]
        return combine(bits, a, poison=bv.or_(bv.false(), *lost) if lost else None)

    return elementwise(machine, op, one)


@defines("arith.addui_extended")
def _add_with_carry(machine: Machine, op: Operation):
    def part(high: bool):
        def one(a: Element, b: Element) -> Element:
            total = bv.add(bv.zext(a.bits, a.width + 1), bv.zext(b.bits, a.width + 1))
            bits = bv.extract(total, a.width, 1) if high else bv.extract(total, 0, a.width)
            return combine(bits, a, b)

        return one

    return [elementwise(machine, op, part(high)) for high in (False, True)]


@defines("arith.mulsi_extended", "arith.mului_extended")
def _long_product(machine: Machine, op: Operation):
    is_signed = op.name == "arith.mulsi_extended"

    def part(high: bool):
        def one(a: Element, b: Element) -> Element:
            wide = (bv.resize(v.bits, 2 * a.width, is_signed) for v in (a, b))
            return combine(bv.extract(bv.mul(*wide), a.width if high else 0, a.width), a, b)

        return one

    return [elementwise(machine, op, part(high)) for high in (False, True)]


@defines("arith.bitcast")
def _bitcast(machine: Machine, op: Operation):
    return elementwise(machine, op, lambda a: a)


# --- floats ------------------------------------------------------------------------------

_NO_FLAGS = "#arith.fastmath<none>"
_FREEDOMS = {"reassoc", "contract"}


def check_fastmath(machine: Machine, op: Operation) -> None:
    """Ops that may be reordered or merged count as written, and the machine notes that they may."""
    flags = _fastmath_flags(op)
    if flags <= _FREEDOMS:
        machine.freedoms |= flags
    else:
        check_attributes(op, fastmath=_NO_FLAGS)


@known
def _fastmath_flags(op: Operation) -> set[str]:
    text = str(op.attributes["fastmath"]) if "fastmath" in op.attributes else _NO_FLAGS
    return set(re.split(r"[<,>]", text)[1:-1])


@known
def _format_of_operand(op: Operation) -> Format:
    return format_of(operand_element(op))


def on_floats(function):
    """An op on floats of one type, by a function of terms of the theory."""

    def meaning(machine: Machine, op: Operation):
        check_fastmath(machine, op)
        f = _format_of_operand(op)

        def one(*operands: Element) -> Element:
            values = (fl.to_float(operand.bits, f) for operand in operands)
            return combine(fl.to_bits(function(*values)), *operands)

        return elementwise(machine, op, one)

    return meaning


defines("arith.addf")(on_floats(fl.add))
defines("arith.subf")(on_floats(fl.sub))
defines("arith.mulf")(on_floats(fl.mul))
defines("arith.divf")(on_floats(fl.div))


@defines("arith.negf")
def _negate(machine: Machine, op: Operation):
    check_fastmath(machine, op)

    def one(a: Element) -> Element:
        sign = bv.not_(bv.sign(a.bits))
        return combine(bv.concat(sign, bv.extract(a.bits, 0, a.width - 1)), a)

    return elementwise(machine, op, one)


def _ordered(function):
    return lambda a, b: bv.and_(function(a, b), bv.not_(bv.or_(fl.is_nan(a), fl.is_nan(b))))


def _unordered(function):
    return lambda a, b: bv.or_(function(a, b), fl.is_nan(a), fl.is_nan(b))


_FLOAT_ORDERS = {
    "false": lambda a, b: bv.false(),
    "oeq": fl.equal,
    "ogt": lambda a, b: fl.less(b, a),
    "oge": lambda a, b: fl.less_equal(b, a),
    "olt": fl.less,
    "ole": fl.less_equal,
    "one": lambda a, b: bv.or_(fl.less(a, b), fl.less(b, a)),
    "ord": lambda a, b: bv.not_(bv.or_(fl.is_nan(a), fl.is_nan(b))),
    "ueq": lambda a, b: bv.not_(bv.or_(fl.less(a, b), fl.less(b, a))),
    "ugt": lambda a, b: bv.not_(fl.less_equal(a, b)),
    "uge": lambda a, b: bv.not_(fl.less(a, b)),
    "ult": lambda a, b: bv.not_(fl.less_equal(b, a)),
    "ule": lambda a, b: bv.not_(fl.less(b, a)),
    "une": lambda a, b: bv.not_(fl.equal(a, b)),
    "uno": lambda a, b: bv.or_(fl.is_nan(a), fl.is_nan(b)),
    "true": lambda a, b: bv.true(),
}


@defines("arith.cmpf")
def _compare_floats(machine: Machine, op: Operation):
    check_fastmath(machine, op)
    order = list(_FLOAT_ORDERS.values())[_predicate(op)]
    f = _format_of_operand(op)

    def one(a: Element, b: Element) -> Element:
        return combine(order(fl.to_float(a.bits, f), fl.to_float(b.bits, f)), a, b)

    return elementwise(machine, op, one)


@defines("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf")
def _extremum(machine: Machine, op: Operation):
    check_fastmath(machine, op)
    f = _format_of_operand(op)
    is_max, propagates = "max" in op.name, "imum" in op.name
    return elementwise(machine, op, lambda a, b: extremum(machine, f, a, b, is_max, propagates))


def extremum(
    machine: Machine, f: Format, a: Element, b: Element, is_max: bool, propagates: bool
) -> Element:
    """The larger or the smaller float. `propagates`: NaN of any operand is the result."""
    x, y = fl.to_float(a.bits, f), fl.to_float(b.bits, f)
    picked = bv.ite(fl.less(y, x) if is_max else fl.less(x, y), x, y)
    if propagates:
        # -0 is less than +0.
        both = (bv.and_ if is_max else bv.or_)(bv.sign(a.bits), bv.sign(b.bits))
        zero = fl.to_float(bv.concat(both, constant(0, f.width - 1)), f)
        are_zeros = bv.and_(fl.equal(x, y), fl.equal(x, constant(0, f)))
        picked = bv.ite(are_zeros, zero, picked)
        result = bv.ite(bv.or_(fl.is_nan(x), fl.is_nan(y)), constant(f.nan, f), picked)
    else:
        # Of zeros, either: a choice that equal operands make alike.
        chosen = symbol(f"a zero of {min(x.number, y.number)} and {max(x.number, y.number)}", 1)
        is_first = x.number < y.number
        machine.choices[chosen] = bv.false() if is_first else bv.true()
        equal = bv.ite(chosen, x, y) if is_first else bv.ite(chosen, y, x)
        picked = bv.ite(fl.equal(x, y), equal, picked)
        result = bv.ite(fl.is_nan(x), y, bv.ite(fl.is_nan(y), x, picked))
    return combine(fl.to_bits(result), a, b)


@defines("arith.sitofp", "arith.uitofp")
def _integer_to_float(machine: Machine, op: Operation):
    is_signed, f = op.name == "arith.sitofp", format_of(result_element(op))
    check_attributes(op, nneg="false")
    return elementwise(
        machine, op, lambda a: combine(fl.to_bits(fl.from_integer(a.bits, f, is_signed)), a)
    )


@defines("arith.fptosi", "arith.fptoui")
def _float_to_integer(machine: Machine, op: Operation):
    is_signed, width = op.name == "arith.fptosi", width_of_result(op)
    f = _format_of_operand(op)

    def one(a: Element) -> Element:
        value = fl.to_float(a.bits, f)
        integer = fl.to_integer(value, width, is_signed, "RTZ")
        return combine(integer, a, poison=bv.not_(fl.fits(value, width, is_signed)))

    return elementwise(machine, op, one)


#: arith's rounding modes by the names of docs/Semantics.md, and in the theory.
_MODES = {
    0: ("nearest-even", "RNE"),
    1: ("floor", "RTN"),
    2: ("ceil", "RTP"),
    3: ("toward-zero", "RTZ"),
    4: ("nearest-away", "RNA"),
}


@known
def _rounding(op: Operation) -> tuple[str, str]:
    if "roundingmode" not in op.attributes:
        return _MODES[0]
    return _MODES[ir.IntegerAttr(op.attributes["roundingmode"]).value]


_CONTRACT = "#arith.fastmath<contract>"


@defines("arith.extf", "arith.truncf")
def _convert(machine: Machine, op: Operation):
    # `contract` lets upstream drop a rounding; here no step may do so.
    if "fastmath" in op.attributes and text_of(op, "fastmath") != _CONTRACT:
        check_fastmath(machine, op)
    source, target = str(operand_element(op)), str(result_element(op))
    rounding, mode = _rounding(op)

    def one(a: Element) -> Element:
        if target in IEEE:
            if source in IEEE:
                value = fl.to_float(a.bits, IEEE[source])
            else:
                value = small_floats.decode(a.bits, source, IEEE[target])
            return combine(fl.to_bits(fl.convert(value, IEEE[target], mode)), a)
        if source not in IEEE:
            raise Unsupported(f"{source} to {target}")
        value = fl.to_float(a.bits, IEEE[source])
        return combine(small_floats.encode(value, target, rounding, saturates=False), a)

    return elementwise(machine, op, one)


def _real(value: Element, source: ir.Type, target: ir.Type) -> Term:
    """A value in an IEEE format, which holds it or rounds it."""
    f = format_of(target)
    if str(source) in IEEE:
        return fl.convert(fl.to_float(value.bits, format_of(source)), f, "RNE")
    return small_floats.decode(value.bits, str(source), f)


@defines("arith.scaling_extf")
def _scaled_extension(machine: Machine, op: Operation):
    """The product in the result's type, as upstream expands it, for scales that are powers of two."""
    check_fastmath(machine, op)
    source, scale, target = operand_element(op), operand_element(op, 1), result_element(op)
    if str(scale) != "f8E8M0FNU":
        raise Unsupported(f"arith.scaling_extf by {scale}")

    def one(a: Element, s: Element) -> Element:
        return combine(fl.to_bits(fl.mul(_real(a, source, target), _real(s, scale, target))), a, s)

    return elementwise(machine, op, one)


@defines("arith.scaling_truncf")
def _scaled_truncation(machine: Machine, op: Operation):
    """The quotient in the operand's type, then rounded, as upstream expands it."""
    check_fastmath(machine, op)
    source, scale, target = operand_element(op), operand_element(op, 1), result_element(op)
    rounding, _ = _rounding(op)
    if str(scale) != "f8E8M0FNU" or str(target) in IEEE:
        raise Unsupported(f"arith.scaling_truncf by {scale} to {target}")

    def one(a: Element, s: Element) -> Element:
        quotient = fl.div(_real(a, source, source), _real(s, scale, source))
        return combine(small_floats.encode(quotient, str(target), rounding, saturates=False), a, s)

    return elementwise(machine, op, one)


@defines("builtin.unrealized_conversion_cast")
def _recast(machine: Machine, op: Operation):
    """Between integers of one width that differ in signedness."""
    if len(op.operands) != 1 or len(op.results) != 1:
        raise Unsupported(op.name)
    source, target = op.operands[0].type, op.results[0].type
    if is_shaped(source) != is_shaped(target) or width_of(operand_element(op)) != width_of_result(
        op
    ):
        raise Unsupported(f"{op.name} of {source} to {target}")
    return machine[op.operands[0]]
