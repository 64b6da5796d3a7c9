# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""llvm: the intrinsics that our passes make, defined here from the vendors' and LLVM's pages.

test_prove_intrinsics.py runs each on the machine, where it has the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mlir import ir

from .. import bits as bv
from .. import floats as fl
from ..interpreter import (
    text_of,
    Machine,
    combine,
    defines,
    elementwise,
    operand_element,
    shape_of_result,
    width_of_result,
)
from ..program import Operation, known
from ..terms import Term, constant
from ..types import Unsupported, format_of
from ..values import Array, Element
from . import arith, math
from .vector import recut

#: By name, without the width of the register.
INTRINSICS: dict[str, Callable[[Machine, Operation, list[Array]], object]] = {}


def intrinsic(*names: str):
    def enter(function):
        for name in names:
            INTRINSICS[name] = function
        return function

    return enter


@known
def _name_of(op: Operation) -> str:
    """The name without the bits of a register."""
    name = ir.StringAttr(op.attributes["intrin"]).value
    return re.sub(r"\.(128|256|512)$", "", name)


@defines("llvm.call_intrinsic")
def _call(machine: Machine, op: Operation):
    name = _name_of(op)
    if name not in INTRINSICS:
        raise Unsupported(name)
    return INTRINSICS[name](machine, op, machine.operands(op))


# --- arithmetic of LLVM ------------------------------------------------------------------


@defines("llvm.intr.lrint")
def _lrint(machine: Machine, op: Operation):
    """To nearest even; what does not fit is not specified: poison, as for arith.fptosi."""
    f, width = format_of(operand_element(op)), width_of_result(op)

    def one(a: Element) -> Element:
        value = fl.round_to_integral(fl.to_float(a.bits, f), "RNE")
        integer = fl.to_integer(value, width, True, "RTZ")
        return combine(integer, a, poison=bv.not_(fl.fits(value, width, True)))

    return elementwise(machine, op, one)


def saturated(wide: Term, width: int, is_signed: bool) -> Term:
    """A signed number, bounded to what `width` bits hold."""
    low = -(1 << (width - 1)) if is_signed else 0
    least, most = constant(low, wide.sort), constant(low + (1 << width) - 1, wide.sort)
    bounded = bv.ite(bv.slt(wide, least), least, bv.ite(bv.slt(most, wide), most, wide))
    return bv.extract(bounded, 0, width)


@defines("llvm.intr.sadd.sat", "llvm.intr.ssub.sat")
def _add_saturated(machine: Machine, op: Operation):
    function = bv.add if op.name == "llvm.intr.sadd.sat" else bv.sub

    def one(a: Element, b: Element) -> Element:
        total = function(bv.sext(a.bits, a.width + 1), bv.sext(b.bits, a.width + 1))
        return combine(saturated(total, a.width, True), a, b)

    return elementwise(machine, op, one)


for _name, _mode in {
    "roundeven": "RNE",
    "round": "RNA",
    "floor": "RTN",
    "ceil": "RTP",
    "trunc": "RTZ",
}.items():
    INTRINSICS[f"llvm.{_name}"] = lambda machine, op, values, mode=_mode: arith.on_floats(
        lambda a: fl.round_to_integral(a, mode)
    )(machine, op)
INTRINSICS["llvm.fma"] = lambda machine, op, values: arith.on_floats(fl.fma)(machine, op)
INTRINSICS["llvm.fabs"] = lambda machine, op, values: math.absolute(machine, op)
INTRINSICS["llvm.copysign"] = lambda machine, op, values: math.copy_sign(machine, op)
INTRINSICS["llvm.arithmetic.fence"] = lambda machine, op, values: values[0]


# --- x86 ---------------------------------------------------------------------------------


@intrinsic(
    "llvm.x86.avx512.packssdw",
    "llvm.x86.avx512.packsswb",
    "llvm.x86.avx512.packuswb",
    "llvm.x86.avx512.packusdw",
    "llvm.x86.avx2.packssdw",
    "llvm.x86.avx2.packsswb",
    "llvm.x86.avx2.packuswb",
    "llvm.x86.avx2.packusdw",
)
def _pack(machine: Machine, op: Operation, values):
    """In each 128 bits: the elements of the first operand, then those of the second, saturated to half their width."""
    a, b = values
    is_signed = "packss" in text_of(op, "intrin")
    width = width_of_result(op)
    lane = 128 // (2 * width)
    found = []
    for start in range(0, len(a.elements), lane):
        for source in (a, b):
            for element in source.elements[start : start + lane]:
                found.append(combine(saturated(element.bits, width, is_signed), element))
    return Array(shape_of_result(op), tuple(found))


def _selected(rows: list[Element], index: Element, bits: int) -> Element:
    """The element that the low bits of an index choose."""
    chosen, found = bv.extract(index.bits, 0, bits), rows
    for bit in range(bits):
        condition = bv.extract(chosen, bit, 1)
        found = [
            Element(bv.ite(condition, b.bits, a.bits), bv.ite(condition, b.poison, a.poison))
            for a, b in zip(found[::2], found[1::2])
        ]
    return combine(found[0].bits, found[0], index)


@intrinsic("llvm.x86.avx512.permvar.si", "llvm.x86.avx512.permvar.hi", "llvm.x86.avx512.permvar.qi")
def _permute(machine: Machine, op: Operation, values):
    rows, index = values
    bits = (len(rows.elements) - 1).bit_length()
    return Array(rows.shape, tuple(_selected(list(rows.elements), i, bits) for i in index.elements))


@intrinsic(
    "llvm.x86.avx512.vpermi2var.d", "llvm.x86.avx512.vpermi2var.hi", "llvm.x86.avx512.vpermi2var.qi"
)
def _permute_two(machine: Machine, op: Operation, values):
    """One more bit of the index says which register."""
    low, index, high = values
    rows = list(low.elements + high.elements)
    bits = (len(rows) - 1).bit_length()
    return Array(low.shape, tuple(_selected(rows, i, bits) for i in index.elements))


@intrinsic("llvm.x86.avx512.pshuf.b", "llvm.x86.avx2.pshuf.b", "llvm.x86.ssse3.pshuf.b")
def _shuffle_bytes(machine: Machine, op: Operation, values):
    """In each 128 bits; the highest bit of an index makes 0."""
    rows, index = values
    found = []
    for i, element in enumerate(index.elements):
        lane = list(rows.elements[i // 16 * 16 : i // 16 * 16 + 16])
        chosen = _selected(lane, element, 4)
        zero = bv.sign(element.bits)
        bits = bv.ite(zero, constant(0, 8), chosen.bits)
        poison = bv.or_(element.poison, bv.and_(bv.not_(zero), chosen.poison))
        found.append(Element(bits, poison))
    return Array(rows.shape, tuple(found))


#: Bits of the factors, and whether those of each operand are signed.
_DOTS = {
    "llvm.x86.avx512.vpdpbusd": (8, False, True),
    "llvm.x86.avx512.vpdpwssd": (16, True, True),
    "llvm.aarch64.neon.sdot.v4i32.v16i8": (8, True, True),
    "llvm.aarch64.neon.udot.v4i32.v16i8": (8, False, False),
    "llvm.aarch64.neon.usdot.v4i32.v16i8": (8, False, True),
}


@intrinsic(*_DOTS)
def _dot(machine: Machine, op: Operation, values):
    """Sums of products of bytes or of words, to each word of 32 bits, that wrap."""
    total, a, b = values
    width, *signs = _DOTS[_name_of(op)]
    left, right = (recut(v.elements, width) for v in (a, b))
    parts, found = 32 // width, []
    for i, start in enumerate(recut(total.elements, 32)):
        result = start
        for pair in zip(left[i * parts :][:parts], right[i * parts :][:parts]):
            factors = [bv.resize(v.bits, 32, signed) for v, signed in zip(pair, signs)]
            result = combine(bv.add(result.bits, bv.mul(*factors)), result, *pair)
        found.append(result)
    return Array(total.shape, tuple(found))


@intrinsic("llvm.x86.avx512.pmaddw.d", "llvm.x86.avx2.pmadd.wd")
def _add_word_pairs(machine: Machine, op: Operation, values):
    """Sums of two products of signed words, that wrap."""
    products = [
        combine(bv.mul(bv.sext(x.bits, 32), bv.sext(y.bits, 32)), x, y)
        for x, y in zip(values[0].elements, values[1].elements)
    ]
    sums = [combine(bv.add(x.bits, y.bits), x, y) for x, y in zip(products[::2], products[1::2])]
    return Array(shape_of_result(op), tuple(sums))


@intrinsic("llvm.x86.avx512.pmaddubs.w", "llvm.x86.avx2.pmadd.ub.sw")
def _add_byte_pairs(machine: Machine, op: Operation, values):
    """Sums of two products of unsigned and signed bytes, saturated to signed words."""
    products = [
        combine(bv.mul(bv.resize(x.bits, 18, False), bv.sext(y.bits, 18)), x, y)
        for x, y in zip(values[0].elements, values[1].elements)
    ]
    sums = [
        combine(saturated(bv.add(x.bits, y.bits), 16, True), x, y)
        for x, y in zip(products[::2], products[1::2])
    ]
    return Array(shape_of_result(op), tuple(sums))
