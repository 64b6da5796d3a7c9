# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linalg.pack, linalg.unpack: tensors in tiles."""

from __future__ import annotations

from collections.abc import Sequence


from ..interpreter import Machine, defines
from ..program import Operation
from ..shapes import mixed, numbers, segments
from ..types import Unsupported
from ..values import Array, Element, poison
from .memory import access, is_inside


class _Tiles:
    """The places of elements: those of the outer dimensions, then those in a tile."""

    def __init__(self, op: Operation, rank: int, sizes: Sequence[int]):
        if not len(op.results):
            raise Unsupported(f"{op.name} of memory")
        self.sizes = dict(zip(numbers(op, "inner_dims_pos"), sizes, strict=True))
        outer = "outer_dims_perm"
        self.order = numbers(op, outer) if outer in op.attributes else range(rank)
        self.order = self.order or range(rank)

    def whole(self, place: Sequence[int]) -> list[int]:
        """Of an element in tiles, in the tensor without them; it may lie beyond the end."""
        found = [0] * len(self.order)
        for dim, i in zip(self.order, place):
            found[dim] = i * self.sizes.get(dim, 1)
        for dim, i in zip(self.sizes, place[len(self.order) :]):
            found[dim] += i
        return found

    def tiled(self, place: Sequence[int]) -> list[int]:
        outer = [place[dim] // self.sizes.get(dim, 1) for dim in self.order]
        return outer + [place[dim] % size for dim, size in self.sizes.items()]


@defines("linalg.pack")
def _pack(machine: Machine, op: Operation):
    sources, targets, paddings, dynamic = segments(op)
    source, target = machine[sources[0]], machine[targets[0]]
    sizes = mixed(machine, op, "static_inner_tiles", dynamic)
    tiles = _Tiles(op, len(source.shape), sizes)
    width = target.elements[0].width if target.elements else 1
    padding = machine[paddings[0]] if paddings else poison(width)

    def element(index: Sequence[int]) -> Element:
        place = tiles.whole(index)
        return source[place] if is_inside(source.shape, place) else padding

    return Array.build(target.shape, element)


@defines("linalg.unpack")
def _unpack(machine: Machine, op: Operation):
    source, target = machine[op.operands[0]], machine[op.operands[1]]
    sizes = mixed(machine, op, "static_inner_tiles", list(op.operands)[2:])
    tiles = _Tiles(op, len(target.shape), sizes)
    return Array.build(target.shape, lambda index: access(machine, source, tiles.tiled(index)))
