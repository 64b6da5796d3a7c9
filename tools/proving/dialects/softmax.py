# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linalg.softmax, in the order of its documentation: maximum, exponentials, their sum, quotients."""

from __future__ import annotations

from functools import reduce

from mlir import ir

from .. import floats as fl
from ..interpreter import Machine, combine, defines, operand_element
from ..program import Operation
from ..terms import constant
from ..types import Unsupported, format_of
from ..values import Array, Element, indices
from . import arith
from .math import unknown


@defines("linalg.softmax")
def _softmax(machine: Machine, op: Operation):
    source, type = machine[op.operands[0]], operand_element(op)
    if not isinstance(source, Array):
        raise Unsupported(f"{op.name} of memory")
    f, dim = format_of(type), ir.IntegerAttr(op.attributes["dimension"]).value

    def applied(function, a: Element, b: Element) -> Element:
        x, y = fl.to_float(a.bits, f), fl.to_float(b.bits, f)
        return combine(fl.to_bits(function(x, y)), a, b)

    rows: dict[tuple[int, ...], list[Element]] = {}
    for index, element in zip(indices(source.shape), source.elements):
        rows.setdefault((*index[:dim], *index[dim + 1 :]), []).append(element)
    found = {}
    for at, row in rows.items():
        start = Element.of(constant(f.nan, f.width))
        most = reduce(lambda a, b: arith.extremum(machine, f, b, a, True, False), row, start)
        powers = [unknown("math.exp", type, applied(fl.sub, x, most)) for x in row]
        total = Element.of(constant(0, f.width))
        for power in powers:
            total = applied(fl.add, total, power)
        found[at] = [applied(fl.div, power, total) for power in powers]
    return Array.build(source.shape, lambda i: found[(*i[:dim], *i[dim + 1 :])][i[dim]])
