# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Offsets, sizes, strides and groups of dimensions, as the ops of tensor, memref and vector spell them."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from .interpreter import Machine
from .program import Definition, Operation, known
from .types import Unsupported

#: How MLIR writes a size or offset that an operand gives.
DYNAMIC = -(1 << 63)


def integers(attribute: ir.Attribute) -> list[int]:
    """Of an array of integers, in each of its spellings."""
    if isinstance(attribute, ir.ArrayAttr):
        return [ir.IntegerAttr(item).value for item in attribute]
    return list(attribute)


def nested(attribute: ir.Attribute) -> list[list[int]]:
    return [integers(item) for item in ir.ArrayAttr(attribute)]


@known
def numbers(op: Operation, name: str) -> list[int]:
    """The integers of an attribute."""
    return integers(op.attributes[name])


def mixed(machine: Machine, op: Operation, static: str, dynamic: Sequence[Definition]) -> list[int]:
    """Static numbers, with those of operands in the places left open."""
    given = iter(dynamic)
    return [machine.integer(next(given)) if n == DYNAMIC else n for n in numbers(op, static)]


@known
def segments(op: Operation) -> list[list[Definition]]:
    """The groups of operands."""
    found, start = [], 0
    for size in numbers(op, "operandSegmentSizes"):
        found.append(list(op.operands)[start : start + size])
        start += size
    return found


def slice_of(machine: Machine, op: Operation, first: int) -> tuple[list[int], list[int], list[int]]:
    """Offsets, sizes and strides; their operands are the groups from number `first` on."""
    groups = segments(op)[first:]
    return tuple(
        mixed(machine, op, name, group)
        for name, group in zip(("static_offsets", "static_sizes", "static_strides"), groups)
    )


def kept_dimensions(sizes: Sequence[int], shape: Sequence[int | None]) -> list[int]:
    """The dimensions of a slice that its type keeps: all but some of size 1."""
    kept, wanted = [], list(shape)
    for dim, size in enumerate(sizes):
        left = len(sizes) - dim
        if wanted and (size != 1 or wanted[0] in (1, None)) and len(wanted) <= left:
            if wanted[0] not in (None, size):
                raise Unsupported("a slice whose sizes do not fit its type")
            wanted.pop(0)
            kept.append(dim)
        elif size != 1:
            raise Unsupported("a slice whose sizes do not fit its type")
    if wanted:
        raise Unsupported("a slice whose sizes do not fit its type")
    return kept
