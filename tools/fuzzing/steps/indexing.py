# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of a linalg.generic, and indexing maps over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..builder import Builder


@dataclass
class Index:
    """An affine expression: its text, its value at each iteration, and the least size of a dimension."""

    text: str
    array: np.ndarray
    least: int
    #: The loop that it is; -1 for other expressions.
    loop: int = -1


class Loops:
    def __init__(self, sizes: list[int]):
        self.sizes = sizes
        self.grid = [
            np.arange(n).reshape([n if i == d else 1 for i in range(len(sizes))])
            for d, n in enumerate(sizes)
        ]

    @property
    def rank(self) -> int:
        return len(self.sizes)

    def plain(self, d: int) -> Index:
        return Index(f"d{d}", self.grid[d], self.sizes[d], d)

    def number(self, number: int) -> Index:
        return Index(str(number), np.full([1] * self.rank, number), number + 1)

    def sum_of(self, d: int, e: int) -> Index:
        return self._of(f"d{d} + d{e}", self.grid[d] + self.grid[e])

    def _of(self, text: str, array: np.ndarray) -> Index:
        least = int(array.max()) + 1 if array.size else 1
        return Index(text, array, least)

    def draw(self, b: Builder, most: int = 1 << 30) -> Index:
        """An index that is no loop, and needs at most so many elements."""
        drawn = iter(lambda: self._draw(b), None)
        return next(i for i in drawn if i.least <= most)

    def _draw(self, b: Builder) -> Index:
        number = b.rng.choice((0, 0, 1, 3))
        kind = b.rng.choice(
            ("window", "window", "window", "floordiv", "ceildiv", "mod", "falls", "shift", "number", "linear")
        )  # fmt: skip
        # Upstream's verifier asks for the last index of a loop of size 0, which is -1.
        if 0 in self.sizes or not self.rank or kind == "number":
            return self.number(number)
        d, e = b.rng.randrange(self.rank), b.rng.randrange(self.rank)
        x, y, k = self.grid[d], self.grid[e], b.rng.choice((2, 3, 4, 8))
        if kind in ("floordiv", "ceildiv", "mod"):
            array = {"floordiv": x // k, "ceildiv": -(-x // k), "mod": x % k}[kind]
            return self._of(f"d{d} {kind} {k}", array)
        if kind == "falls":
            last = max(self.sizes[d] - 1, 0)
            return self._of(f"{last} - d{d}", last - x)
        if kind == "shift":
            return self._of(f"d{d} + {number + 1}", x + number + 1)
        if kind == "linear":
            size = max(self.sizes[e], 1)
            return self._of(f"d{d} * {size} + d{e}", x * size + y)
        stride, dilation = b.rng.choice(((1, 1), (1, 1), (2, 1), (1, 2), (2, 3)))
        if d == e:
            return self._of(f"d{d} * {stride + 1}", x * (stride + 1))
        return self._of(f"d{d} * {stride} + d{e} * {dilation}", x * stride + y * dilation)

    def permutation(self, b: Builder, loops: list[int]) -> list[Index]:
        loops = list(loops)
        if b.chance(0.3):
            b.rng.shuffle(loops)
        return [self.plain(d) for d in loops]

    def fit(self, b: Builder, shape: tuple[int, ...]) -> list[Index] | None:
        """A map into an array of that shape: loops of its sizes where there are such."""
        found = []
        for size in shape:
            loops = [d for d in range(self.rank) if self.sizes[d] == size]
            fresh = [d for d in loops if all(d != index.loop for index in found)]
            if loops and b.chance(0.8):
                found.append(self.plain(b.rng.choice(fresh or loops)))
            elif size == 0:
                return None
            else:
                found.append(self.draw(b, size))
        return found

    def fresh(self, b: Builder) -> tuple[list[Index], tuple[int, ...]]:
        """A map, and the shape of an array for it."""
        loops = [d for d in range(self.rank) if b.chance(0.7)]
        found = self.permutation(b, loops)
        if found and b.chance(0.35):
            found[b.rng.randrange(len(found))] = self.draw(b)
        if len(found) < 4 and b.chance(0.1):
            at = b.rng.randint(0, len(found))
            # A diagonal, or another index.
            again = loops and b.chance(0.4)
            found.insert(at, self.plain(b.rng.choice(loops)) if again else self.draw(b))
        return found, sizes_for(b, found)

    def text(self, indices: list[Index]) -> str:
        dims = ", ".join(f"d{d}" for d in range(self.rank))
        return f"affine_map<({dims}) -> ({', '.join(i.text for i in indices)})>"

    def read(self, array: np.ndarray, indices: list[Index]) -> np.ndarray:
        """The element of each iteration."""
        if not all(self.sizes):
            return np.zeros([min(n, 1) for n in self.sizes], array.dtype)
        if not indices:
            return array.reshape([1] * self.rank)
        return array[tuple(index.array for index in indices)]


def sizes_for(b: Builder, indices: list[Index]) -> tuple[int, ...]:
    """More than the least where the index is no loop."""
    return tuple(i.least + (b.rng.choice((0, 0, 1, 2)) if i.loop < 0 else 0) for i in indices)
