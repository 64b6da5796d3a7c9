# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tensor and bufferization on tensors: arrays that do not change."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlir import ir

from .. import bits as bv
from ..interpreter import Machine, defines, width_of_result
from ..program import Definition, Operation
from ..shapes import kept_dimensions, mixed, nested, segments, slice_of
from ..types import Unsupported, check_fits, is_shaped, shape_of
from ..values import Array, Buffer, Element, Memref, indices, number, poison, position, row_major
from .memory import access, chosen, is_inside, write


@defines("tensor.empty", "bufferization.alloc_tensor")
def _empty(machine: Machine, op: Operation):
    """Elements that nobody has written are poison."""
    if op.name == "bufferization.alloc_tensor" and any(
        is_shaped(operand.type) for operand in op.operands
    ):
        raise Unsupported("bufferization.alloc_tensor of a copy")
    shape = sized(machine, op.results[0].type, list(op.operands))
    return Array(shape, (poison(width_of_result(op)),) * prod(shape))


def sized(machine: Machine, type: ir.Type, dynamic: Sequence[Definition]) -> tuple[int, ...]:
    """The shape of a type, with its open sizes given in order."""
    given = iter(dynamic)
    return tuple(machine.integer(next(given)) if n is None else n for n in shape_of(type))


@defines("tensor.extract")
def _extract(machine: Machine, op: Operation):
    source, *index = machine.operands(op)
    return chosen(machine, source, index)


@defines("tensor.insert")
def _insert(machine: Machine, op: Operation):
    value, target, *_ = machine.operands(op)
    at = [machine.integer(v) for v in list(op.operands)[2:]]
    new = list(target.elements)
    place_element(machine, target.shape, new, at, value)
    return Array(target.shape, tuple(new))


def place_element(machine: Machine, shape, elements: list, place: Sequence[int], value) -> None:
    """Beyond the end it is undefined behaviour."""
    if is_inside(shape, place):
        elements[position(shape, place)] = value
    else:
        machine.trap(bv.true())


@defines("tensor.extract_slice")
def _extract_slice(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    offsets, sizes, strides = slice_of(machine, op, 1)
    kept = kept_dimensions(sizes, shape_of(op.results[0].type))

    def element(index: Sequence[int]) -> Element:
        place = list(offsets)
        for dim, i in zip(kept, index):
            place[dim] += i * strides[dim]
        return access(machine, source, place)

    return Array.build([sizes[dim] for dim in kept], element)


def insert_slice(machine: Machine, op: Operation, value: Array, target: Array) -> Array:
    offsets, sizes, strides = slice_of(machine, op, 2)
    kept = kept_dimensions(sizes, value.shape)
    new = list(target.elements)
    for index, element in zip(indices(value.shape), value.elements):
        place = list(offsets)
        for dim, i in zip(kept, index):
            place[dim] += i * strides[dim]
        place_element(machine, target.shape, new, place, element)
    return Array(target.shape, tuple(new))


@defines("tensor.insert_slice")
def _insert_slice(machine: Machine, op: Operation):
    value, target, *_ = machine.operands(op)
    return insert_slice(machine, op, value, target)


def grouped_shape(shape: Sequence[int], groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(prod(shape[dim] for dim in group) for group in groups)


def expanded_shape(machine: Machine, op: Operation, shape: Sequence[int]) -> tuple[int, ...]:
    """Of an expand_shape, whose open sizes are operands."""
    return tuple(mixed(machine, op, "static_output_shape", list(op.operands)[1:]))


@defines("tensor.expand_shape")
def _expand(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    shape = expanded_shape(machine, op, source.shape)
    if prod(shape) != len(source.elements):
        raise Unsupported("tensor.expand_shape to sizes that do not fit")
    return Array(shape, source.elements)


@defines("tensor.collapse_shape")
def _collapse(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    return Array(
        grouped_shape(source.shape, nested(op.attributes["reassociation"])), source.elements
    )


def sizes_in(op: Operation, shape: Array) -> tuple[int, ...]:
    """The sizes that are the second operand of a reshape."""
    if any(element.bits.value is None for element in shape.elements):
        raise Unsupported(f"{op.name} to sizes that depend on data")
    return tuple(element.bits.value for element in shape.elements)


@defines("tensor.reshape")
def _reshape(machine: Machine, op: Operation):
    source, shape = machine.operands(op)
    return Array(sizes_in(op, shape), source.elements)


@defines("tensor.cast", "memref.cast")
def _cast(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    check_fits(op.name, source.shape, op.results[0].type)
    return source


@defines("tensor.dim", "memref.dim")
def _dim(machine: Machine, op: Operation):
    shape, dim = machine[op.operands[0]].shape, machine.integer(op.operands[1])
    if 0 <= dim < len(shape):
        return number(shape[dim])
    machine.trap(bv.true())
    return number(1)


@defines("tensor.rank", "memref.rank")
def _rank(machine: Machine, op: Operation):
    return number(len(machine[op.operands[0]].shape))


@defines("tensor.pad")
def _pad(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    _, low_operands, high_operands = segments(op)
    low = mixed(machine, op, "static_low", low_operands)
    high = mixed(machine, op, "static_high", high_operands)
    block = op.regions[0].blocks[0]

    def element(index: Sequence[int]) -> Element:
        place = [i - before for i, before in zip(index, low)]
        if all(0 <= i < size for i, size in zip(place, source.shape)):
            return source[place]
        return machine.block(block, [number(i) for i in index])[0]

    shape = [b + size + a for b, size, a in zip(low, source.shape, high)]
    return Array.build(shape, element)


@defines("tensor.generate")
def _generate(machine: Machine, op: Operation):
    block = op.regions[0].blocks[0]
    return Array.build(
        sized(machine, op.results[0].type, list(op.operands)),
        lambda index: machine.block(block, [number(i) for i in index])[0],
    )


@defines("tensor.concat")
def _concat(machine: Machine, op: Operation):
    parts, dim = machine.operands(op), ir.IntegerAttr(op.attributes["dim"]).value
    shape = list(parts[0].shape)
    shape[dim] = sum(part.shape[dim] for part in parts)

    def element(index: Sequence[int]) -> Element:
        place = list(index)
        for part in parts:
            if place[dim] < part.shape[dim]:
                return part[place]
            place[dim] -= part.shape[dim]
        raise AssertionError

    return Array.build(shape, element)


@defines("tensor.bitcast")
def _bitcast(machine: Machine, op: Operation):
    return machine[op.operands[0]]


# --- bufferization -----------------------------------------------------------------------


@defines("bufferization.to_tensor")
def _to_tensor(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    source.buffer.is_tensor |= "writable" in op.attributes
    return source.read()


@defines("bufferization.to_buffer", "bufferization.clone")
def _to_buffer(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    array = source.read() if isinstance(source, Memref) else source
    return new_memref(array)


def new_memref(array: Array) -> Memref:
    return Memref(Buffer(list(array.elements)), 0, array.shape, row_major(array.shape))


@defines("bufferization.materialize_in_destination")
def _materialize(machine: Machine, op: Operation):
    value, target = machine.operands(op)
    if isinstance(target, Array):
        return value
    # What computes the value may write to the target, before the loads.
    if "restrict" in op.attributes and target.buffer.is_loaded:
        raise Unsupported("memref.load of a buffer that a tensor may overwrite")
    for index in indices(target.shape):
        write(machine, target, index, value[index])
    return []


@defines("bufferization.dealloc_tensor")
def _dealloc(machine: Machine, op: Operation):
    return []
