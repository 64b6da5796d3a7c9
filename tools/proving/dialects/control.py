# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""func, cf, scf, affine, ub: loops with bounds that are known, and choices by data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from mlir import ir

from .. import affine
from .. import bits as bv
from ..interpreter import BRANCHES, Machine, defines, joined
from ..program import Block, Operation, known
from ..shapes import mixed, numbers, segments
from ..terms import apply
from ..types import Unsupported, element_of, is_shaped, shape_of, width_of
from ..values import Array, Element, Memref, Value, elements_of, number, poison
from .tensor import insert_slice, new_memref

# --- functions ---------------------------------------------------------------------------


@defines("func.call")
def _call(machine: Machine, op: Operation):
    name = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    arguments = machine.operands(op)
    if machine.function(name).regions[0].blocks:
        return machine.call(name, arguments)
    return foreign(machine, op, f"call {name}")


def foreign(machine: Machine, op: Operation, what: str) -> list[Value]:
    """An op of which nothing is known: the same results from the same operands, and seen by the world."""
    operands = machine.operands(op)
    given = tuple(element for operand in operands for element in elements_of(operand))
    what += f" #{sum(name == what for name, *_ in machine.effects)}"
    machine.effects.append((what, machine.path, given))
    bits = tuple(element.bits for element in given)
    poisons = bv.or_(bv.false(), *(element.poison for element in given))
    for number_, operand in enumerate(operands):
        if isinstance(operand, Memref):
            for i in range(len(operand.buffer.elements)):
                width = operand.buffer.elements[i].width
                operand.buffer.elements[i] = Element.of(
                    apply(f"{what} memory {number_} {i}", bits, width)
                )
    found = []
    for number_, result in enumerate(op.results):
        width = width_of(element_of(result.type))

        def element(i: int, number_=number_, width=width) -> Element:
            return Element(apply(f"{what} result {number_} {i}", bits, width), poisons)

        if not is_shaped(result.type):
            found.append(element(0))
            continue
        shape = shape_of(result.type)
        if None in shape:
            raise Unsupported(f"{op.name} with a result of dynamic size")
        count = 1
        for size in shape:
            count *= size
        array = Array(shape, tuple(map(element, range(count))))
        found.append(new_memref(array) if isinstance(result.type, ir.MemRefType) else array)
    return found


@defines("?")
def _unknown(machine: Machine, op: Operation):
    attributes = ", ".join(f"{name} = {value}" for name, value in op.attributes.items())
    return foreign(machine, op, f"{op.name} {{{attributes}}}")


# --- blocks ------------------------------------------------------------------------------


def _branch(machine: Machine, op: Operation):
    return [(bv.true(), op.successors[0], machine.operands(op))]


def _conditional_branch(machine: Machine, op: Operation):
    (condition,), *values = segments(op)
    taken = machine[condition]
    machine.trap(taken.poison)
    targets = [
        (bits, block, [machine[value] for value in given])
        for bits, block, given in zip((taken.bits, bv.not_(taken.bits)), op.successors, values)
    ]
    return [target for target in targets if target[0].value != 0]


BRANCHES["cf.br"] = _branch
BRANCHES["cf.cond_br"] = _conditional_branch


@defines("cf.assert")
def _assert(machine: Machine, op: Operation):
    """The world sees that it fails."""
    condition = machine[op.operands[0]]
    if condition.bits.value != 1:
        machine.effects.append((f"assert {op.attributes['msg']}", machine.path, (condition,)))
    return []


@defines("ub.poison", "llvm.mlir.poison", "llvm.mlir.undef")
def _poison(machine: Machine, op: Operation):
    type = op.results[0].type
    width = width_of(element_of(type))
    if not is_shaped(type):
        return poison(width)
    return Array.build(shape_of(type), lambda index: poison(width))


# --- scf ---------------------------------------------------------------------------------


@defines("scf.for")
def _for(machine: Machine, op: Operation):
    low, high, step = (machine.integer(operand) for operand in list(op.operands)[:3])
    values = [machine[operand] for operand in list(op.operands)[3:]]
    block = op.regions[0].blocks[0]
    width = width_of(op.operands[0].type)
    if step <= 0:
        machine.trap(bv.true())
        return values
    for i in range(low, high, step):
        values = machine.block(block, [number(i, width), *values])
    return values


@defines("scf.while")
def _while(machine: Machine, op: Operation):
    values = machine.operands(op)
    before, after = (region.blocks[0] for region in op.regions)
    while True:
        condition, *values = machine.block(before, values)
        if condition.bits.value is None:
            raise Unsupported("scf.while whose end depends on data")
        if not condition.bits.value:
            return values
        values = machine.block(after, values)


@defines("scf.if")
def _if(machine: Machine, op: Operation):
    condition = machine[op.operands[0]]
    blocks = [region.blocks[0] if region.blocks else None for region in op.regions]

    def run(block: Block | None) -> list[Value]:
        return [] if block is None else machine.block(block, [])

    machine.trap(condition.poison)
    if condition.bits.value is not None:
        return run(blocks[0] if condition.bits.value else blocks[1])
    then = machine.under(condition.bits, lambda: run(blocks[0]))
    otherwise = machine.under(bv.not_(condition.bits), lambda: run(blocks[1]))
    return [joined(condition.bits, a, b) for a, b in zip(then, otherwise)]


@defines("scf.index_switch")
def _switch(machine: Machine, op: Operation):
    value, cases = machine.integer(op.operands[0]), numbers(op, "cases")
    region = cases.index(value) + 1 if value in cases else 0
    return machine.block(op.regions[region].blocks[0], [])


@defines("scf.execute_region")
def _execute(machine: Machine, op: Operation):
    return machine.block(op.regions[0].blocks[0], [])


@defines("scf.parallel")
def _parallel(machine: Machine, op: Operation):
    """One iteration after the other, the last one first: none may need another. Reductions in their order."""
    lows, highs, steps, starts = segments(op)
    ranges = [
        range(*(machine.integer(v) for v in bounds))
        for bounds in zip(lows, highs, steps, strict=True)
    ]
    values = [machine[start] for start in starts]
    block = op.regions[0].blocks[0]
    places = list(product(*ranges))
    for place in places if starts else reversed(places):
        machine.values.update(zip(block.arguments, map(number, place)))
        for inner in block.operations:
            if inner.name != "scf.reduce":
                machine.run(inner)
                continue
            terms = machine.operands(inner)
            values = [
                machine.block(region.blocks[0], [value, term])[0]
                for region, value, term in zip(inner.regions, values, terms)
            ]
    return values


@defines("scf.forall")
def _forall(machine: Machine, op: Operation):
    low_operands, high_operands, step_operands, outputs = segments(op)
    lows = mixed(machine, op, "staticLowerBound", low_operands)
    highs = mixed(machine, op, "staticUpperBound", high_operands)
    steps = mixed(machine, op, "staticStep", step_operands)
    results = [machine[output] for output in outputs]
    block = op.regions[0].blocks[0]
    shared = list(block.arguments)[len(lows) :]
    # Each iteration reads what the outputs were; the last writer of a place wins, as there is one.
    written = list(results)
    places = list(product(*(range(*bounds) for bounds in zip(lows, highs, steps))))
    for place in reversed(places):
        machine.values.update(zip(block.arguments, [*map(number, place), *results]))
        for inner in block.operations:
            if inner.name != "scf.forall.in_parallel":
                machine.run(inner)
                continue
            for insert in inner.regions[0].blocks[0].operations:
                target = shared.index(insert.operands[1])
                value = machine[insert.operands[0]]
                written[target] = insert_slice(machine, insert, value, written[target])
    return written


# --- affine ------------------------------------------------------------------------------


@known
def _map_of(op: Operation) -> ir.AffineMap:
    return ir.AffineMapAttr(op.attributes["map"]).value


def _applied(machine: Machine, op: Operation) -> list[int]:
    map = _map_of(op)
    operands = [machine.integer(operand) for operand in op.operands]
    return affine.apply(map, operands[: map.n_dims], operands[map.n_dims :])


@defines("affine.apply")
def _apply(machine: Machine, op: Operation):
    return number(_applied(machine, op)[0])


@defines("affine.min", "affine.max")
def _bound(machine: Machine, op: Operation):
    return number((min if op.name == "affine.min" else max)(_applied(machine, op)))


@defines("affine.linearize_index")
def _linearize(machine: Machine, op: Operation):
    index_operands, basis_operands = segments(op)
    index = [machine.integer(v) for v in index_operands]
    basis = mixed(machine, op, "static_basis", basis_operands)
    sizes: Sequence[int] = [0] * (len(index) - len(basis)) + basis
    result = 0
    for i, size in zip(index, sizes):
        result = result * size + i
    return number(result)


@defines("affine.delinearize_index")
def _delinearize(machine: Machine, op: Operation):
    basis = mixed(machine, op, "static_basis", list(op.operands)[1:])
    rest, found = machine.integer(op.operands[0]), []
    for size in reversed(basis[len(basis) - len(op.results) + 1 :]):
        rest, digit = divmod(rest, size)
        found.append(digit)
    return [number(i) for i in (rest, *reversed(found))]
