# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""math: roundings, signs, counts of bits. Functions that no standard rounds are functions of which nothing is known."""

from __future__ import annotations

from mlir import ir

from .. import bits as bv
from .. import floats as fl
from ..interpreter import Machine, combine, defines, elementwise, operand_element
from ..program import Operation
from ..terms import Term, apply, constant
from ..values import Element
from .arith import check_fastmath, on_floats

for _name, _mode in {
    "roundeven": "RNE",
    "round": "RNA",
    "floor": "RTN",
    "ceil": "RTP",
    "trunc": "RTZ",
}.items():
    defines(f"math.{_name}")(on_floats(lambda a, mode=_mode: fl.round_to_integral(a, mode)))

defines("math.fma")(on_floats(fl.fma))
defines("math.sqrt")(on_floats(fl.sqrt))


@defines("math.absf")
def absolute(machine: Machine, op: Operation):
    check_fastmath(machine, op)

    def one(a: Element) -> Element:
        return combine(bv.concat(constant(0, 1), bv.extract(a.bits, 0, a.width - 1)), a)

    return elementwise(machine, op, one)


@defines("math.copysign")
def copy_sign(machine: Machine, op: Operation):
    check_fastmath(machine, op)

    def one(a: Element, b: Element) -> Element:
        return combine(bv.concat(bv.sign(b.bits), bv.extract(a.bits, 0, a.width - 1)), a, b)

    return elementwise(machine, op, one)


@defines("math.absi")
def _absolute_integer(machine: Machine, op: Operation):
    return elementwise(
        machine, op, lambda a: combine(bv.ite(bv.sign(a.bits), bv.neg(a.bits), a.bits), a)
    )


def _zeros(a: Term, from_low: bool) -> Term:
    """The number of zeros before the first one; the width if there is none."""
    count = constant(a.sort, a.sort)
    for i in range(a.sort):
        # The last choice wins: the end that is counted from comes last.
        place = a.sort - 1 - i if from_low else i
        zeros = place if from_low else a.sort - 1 - place
        count = bv.ite(bv.extract(a, place, 1), constant(zeros, a.sort), count)
    return count


@defines("math.ctlz", "math.cttz")
def _count_zeros(machine: Machine, op: Operation):
    from_low = op.name == "math.cttz"
    return elementwise(machine, op, lambda a: combine(_zeros(a.bits, from_low), a))


@defines("math.ctpop")
def _count_ones(machine: Machine, op: Operation):
    def one(a: Element) -> Element:
        ones = constant(0, a.width)
        for i in range(a.width):
            ones = bv.add(ones, bv.zext(bv.extract(a.bits, i, 1), a.width))
        return combine(ones, a)

    return elementwise(machine, op, one)


@defines(
    "math.exp", "math.exp2", "math.log", "math.log2", "math.tanh", "math.erf", "math.rsqrt", "math.powf", "math.sin",
    "math.cos",
)  # fmt: skip
def _unknown(machine: Machine, op: Operation):
    check_fastmath(machine, op)
    element = operand_element(op)
    return elementwise(machine, op, lambda *operands: unknown(op.name, element, *operands))


def unknown(name: str, element: ir.Type, *operands: Element) -> Element:
    """A function of which nothing is known."""
    bits = tuple(operand.bits for operand in operands)
    return combine(apply(f"{name} {element}", bits, operands[0].width), *operands)
