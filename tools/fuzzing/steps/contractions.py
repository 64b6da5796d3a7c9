# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions, convolutions and pools of an author, as linalg.generic with loops in any order."""

from __future__ import annotations

import numpy as np

from mlir_qdq.reference.types import EXPRESSED

from ..builder import Builder
from ..values import Value
from .bodies import Body
from .generics import MOST_TERMS, assemble
from .indexing import Index, Loops, sizes_for
from .inits import random_numbers

MOST = 1 << 16
#: Factors, and the sum.
TYPES = (
    ("i8", "i8", "i32"), ("i8", "i8", "i32"), ("i4", "i8", "i32"), ("i8", "i4", "i32"), ("i16", "i16", "i32"),
    ("i16", "i8", "i32"), ("i8", "i8", "i16"), ("i8", "i8", "i8"), ("i8", "i8", "i64"), ("i32", "i32", "i32"),
    ("i8", "i8", "f32"), ("f32", "i8", "f32"), ("f32", "i4", "f32"), ("i4", "f32", "f32"), ("f32", "f32", "f32"),
    ("f16", "i4", "f16"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("bf16", "bf16", "bf16"),
    ("f32", "f32", "f64"), ("f64", "f64", "f64"), ("f16", "i8", "f32"),
)  # fmt: skip


class Roles:
    """Loops of a product: the indices of its left factor, of its right one, and of the result."""

    def __init__(self, b: Builder):
        kinds = ["row", "column", "term", "batch", "pixel"]
        drawn = [k for k in kinds if b.chance(0.35 if k in ("batch", "pixel") else 0.75)]
        drawn += ["pixel"] * (drawn.count("pixel") and b.chance(0.4))
        drawn += ["term"] * b.chance(0.2)
        sizes, self.reductions = [], []
        roles: list[tuple] = []
        for kind in drawn:
            first = len(sizes)
            if kind == "pixel":
                sizes += [
                    b.rng.choice((1, 2, 4, 5, 7, 8, 14, 16)),
                    b.rng.choice((1, 1, 2, 3, 3, 5)),
                ]
                self.reductions.append(first + 1)
            else:
                sizes.append(b.rng.choice((1, 2, 3, 4, 5, 7, 8, 16, 16, 17, 31, 32, 33, 64)))
                if kind == "term":
                    self.reductions.append(first)
            roles.append((kind, first))
        if b.chance(0.04) and sizes:
            sizes[b.rng.randrange(len(sizes))] = 0
        # The order of the loops.
        order = list(range(len(sizes)))
        if b.chance(0.5):
            b.rng.shuffle(order)
        else:
            order.sort(key=lambda d: d in self.reductions)
        at = {d: order.index(d) for d in order}
        self.loops = Loops([sizes[d] for d in order])
        self.reductions = sorted(at[d] for d in self.reductions)
        self.left, self.right, self.result = [], [], []
        for kind, first in roles:
            plain = self.loops.plain(at[first])
            if kind == "pixel":
                window = self.loops.plain(at[first + 1])
                self.left.append(self._window(b, plain, window))
                self.right.append(window)
                self.result.append(plain)
                continue
            for indices, kinds_ in (
                (self.left, ("row", "term", "batch")),
                (self.right, ("column", "term", "batch")),
                (self.result, ("row", "column", "batch")),
            ):
                if kind in kinds_:
                    indices.append(plain)
        for indices in (self.left, self.right, self.result):
            if b.chance(0.3):
                b.rng.shuffle(indices)

    def _window(self, b: Builder, pixel: Index, window: Index) -> Index:
        stride, dilation = b.rng.choice(((1, 1), (1, 1), (1, 1), (2, 1), (1, 2), (3, 2)))
        if 0 in self.loops.sizes:
            stride = dilation = 1
        array = pixel.array * stride + window.array * dilation
        texts = [
            i.text + (f" * {by}" if by > 1 else "")
            for i, by in ((pixel, stride), (window, dilation))
        ]
        least = int(array.max()) + 1 if array.size else max(pixel.least, window.least, 1)
        if b.chance(0.06) and array.size:
            last = least - 1
            return Index(f"{last} - {' - '.join(texts)}", last - array, least)
        return Index(" + ".join(texts), array, least)


def contraction(b: Builder):
    roles = Roles(b)
    loops = roles.loops
    if not loops.rank or np.prod([max(n, 1) for n in loops.sizes], dtype=np.int64) > MOST:
        return None
    if np.prod([loops.sizes[d] for d in roles.reductions], dtype=np.int64) > MOST_TERMS:
        return None
    if 0 in loops.sizes and any(i.loop < 0 for i in roles.left):
        return None  # Upstream's verifier asks for the last index, which is -1.
    left, right, total = b.rng.choice(TYPES)
    is_small = b.sum_order == "lanes" and total in EXPRESSED

    def operand(element: str, indices: list[Index]) -> tuple[Value, list[Index]]:
        shape = sizes_for(b, indices)
        found = b.pick(lambda v: v.element == element and v.shape == shape)
        if found is not None and b.chance(0.6) and not is_small:
            return found, indices
        array = random_numbers(b, element, shape, is_small)
        return b.argument(element, array), indices

    inputs = [operand(left, roles.left), operand(right, roles.right)]
    has_scale = b.chance(0.15) and total in EXPRESSED and not is_small and roles.right
    if has_scale:  # One for each block, or each index.
        indices = list(roles.right)
        k = b.rng.randrange(len(indices))
        if indices[k].loop >= 0 and 0 not in loops.sizes and b.chance(0.7):
            block, d = b.rng.choice((2, 4, 8)), indices[k].loop
            indices[k] = loops._of(f"d{d} floordiv {block}", loops.grid[d] // block)
        array = random_numbers(b, total, sizes_for(b, indices))
        inputs.append((b.argument(total, array), indices))
    known = {i.loop for _, indices in inputs for i in indices} | {i.loop for i in roles.result}
    if missing := [d for d in range(loops.rank) if d not in known]:
        inputs.append(operand("f32", [loops.plain(d) for d in missing]))
    kind = b.rng.random()

    def fill(body: Body) -> None:
        x, y = body.numbers[:2]
        is_float = total in EXPRESSED
        if not x.is_float and kind < 0.25:  # A zero point, or a shift.
            wide = body.as_(x, "i32") or x
            x = body.binary(b.rng.choice(("subi", "subi", "addi")), wide, body.any("i32"))
        x, y = (body.as_(n, total) for n in (x, y))
        x = x or body.any(total)
        y = y or body.any(total)
        if has_scale:
            y = body.binary("mulf", y, body.numbers[2])
        if kind < 0.9:
            body.binary("mulf" if is_float else "muli", *((x, y) if b.chance(0.8) else (y, x)))
        else:
            body.numbers.append(x)  # A pool.
        if 0.5 < kind < 0.56:
            body.binary("mulf" if is_float else "xori", body.numbers[-1], body.any(total))

    return assemble(b, loops, roles.reductions, inputs, [roles.result], fill, total)


STEPS = [(contraction, 5)]
