# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions as Python objects: to ask MLIR's own for each element of a vector takes most of the time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps

from mlir import ir


@dataclass(eq=False, slots=True)
class Definition:
    """An SSA value."""

    type: ir.Type


@dataclass(eq=False, slots=True)
class Block:
    arguments: tuple[Definition, ...]
    operations: list[Operation] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Region:
    blocks: list[Block]


@dataclass(eq=False, slots=True)
class Operation:
    name: str
    operands: tuple[Definition, ...]
    results: tuple[Definition, ...]
    attributes: dict[str, ir.Attribute]
    regions: list[Region]
    successors: tuple[Block, ...]
    #: What `known` has found.
    facts: dict = field(default_factory=dict)


def known(fact: Callable) -> Callable:
    """A fact of an op and of constants, which is found once."""

    @wraps(fact)
    def looked_up(op: Operation, *args):
        key = (fact, *args)
        found = op.facts.get(key)
        if found is None:
            found = op.facts[key] = fact(op, *args)
        return found

    return looked_up


class Reader:
    """Each value and block of MLIR is one object."""

    def __init__(self):
        self.definitions: dict[ir.Value, Definition] = {}
        self.blocks: dict[ir.Block, Block] = {}

    def operation(self, op: ir.Operation) -> Operation:
        read = Operation(
            op.name,
            tuple(map(self._definition, op.operands)),
            tuple(map(self._definition, op.results)),
            {name: op.attributes[name] for name in op.attributes},
            [],
            tuple(map(self._block, op.successors)),
        )
        for region in op.regions:
            read.regions.append(Region([self._block(block) for block in region.blocks]))
            for block, target in zip(region.blocks, read.regions[-1].blocks):
                target.operations += [self.operation(inner.operation) for inner in block.operations]
        return read

    def _definition(self, value: ir.Value) -> Definition:
        if value not in self.definitions:
            self.definitions[value] = Definition(value.type)
        return self.definitions[value]

    def _block(self, block: ir.Block) -> Block:
        if block not in self.blocks:
            self.blocks[block] = Block(tuple(map(self._definition, block.arguments)))
        return self.blocks[block]
