# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linalg.generic: its body for each index, in row-major order. Named ops are generalized by upstream first."""

from __future__ import annotations

from mlir import ir

from .. import affine
from ..interpreter import Machine, defines
from ..program import Operation, known
from ..shapes import segments
from ..types import Unsupported
from ..values import Array, Element, Memref, Value, indices, number, position
from .memory import access, write

#: Runs before the interpreter on both sides.
GENERALIZE = "linalg-generalize-named-ops"


@known
def indexing_maps(op: Operation) -> list[ir.AffineMap]:
    return affine.maps_of(op.attributes["indexing_maps"])


@defines("linalg.generic")
def _generic(machine: Machine, op: Operation):
    input_operands, output_operands = segments(op)
    inputs = [machine[operand] for operand in input_operands]
    outputs = [machine[operand] for operand in output_operands]
    maps = indexing_maps(op)
    values = inputs + outputs
    shapes = [v.shape if isinstance(v, (Array, Memref)) else () for v in values]
    try:
        space = affine.sizes(maps, shapes)
    except KeyError:
        raise Unsupported("linalg.generic whose iteration space no operand has") from None
    for map, shape in zip(maps, shapes):
        _check_fits(map, shape, space)

    functions = [affine.compiled(map) for map in maps]
    written = [list(v.elements) if isinstance(v, Array) else None for v in outputs]
    block = op.regions[0].blocks[0]
    for index in indices(space):
        places = [function(index, ()) for function in functions]
        arguments = [
            value if isinstance(value, Element) else access(machine, value, place)
            for value, place in zip(inputs, places)
        ]
        for value, elements, place in zip(outputs, written, places[len(inputs) :]):
            if elements is None:
                arguments.append(access(machine, value, place))
            else:
                arguments.append(elements[position(value.shape, place)])
        outer, machine.index = machine.index, index
        results = machine.block(block, arguments)
        machine.index = outer
        for value, elements, place, result in zip(outputs, written, places[len(inputs) :], results):
            if elements is None:
                write(machine, value, place, result)
            else:
                elements[position(value.shape, place)] = result
    found: list[Value] = [
        Array(value.shape, tuple(elements))
        for value, elements in zip(outputs, written)
        if elements is not None
    ]
    return found


@defines("linalg.index")
def _index(machine: Machine, op: Operation):
    return number(machine.index[ir.IntegerAttr(op.attributes["dim"]).value])


def _check_fits(map: ir.AffineMap, shape, space) -> None:
    for expression, size in zip(map.results, shape):
        if isinstance(expression, ir.AffineDimExpr):
            if space[ir.AffineDimExpr(expression).position] != size:
                raise Unsupported("operands whose dynamic sizes do not fit together")
