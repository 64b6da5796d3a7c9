# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data movement: collapse, expand, cast, slice, pad, transpose, broadcast, concat."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..values import random_array

MOST = 1 << 17


def groups_of(b: Builder, rank: int) -> list[list[int]]:
    """Neighbors among the dimensions, in order."""
    groups: list[list[int]] = []
    for dimension in range(rank):
        if groups and b.chance(0.5):
            groups[-1].append(dimension)
        else:
            groups.append([dimension])
    return groups


def collapse(b: Builder):
    x = b.pick(lambda v: v.rank > 1)
    if x is None:
        return None
    groups = groups_of(b, x.rank)
    shape = [int(np.prod([x.shape[d] for d in group])) for group in groups]
    dynamic = [any(x.dynamic[d] for d in group) for group in groups]
    return b.make(
        "collapse", [x], x.element, x.array.reshape(shape), dynamic,
        lambda r, o, t: f"{r} = tensor.collapse_shape {o[0]} {groups} : {x.type} into {t}",
    )  # fmt: skip


def expand(b: Builder):
    x = b.pick(lambda v: 0 < v.rank < 5)
    if x is None:
        return None
    at = b.rng.randrange(x.rank)
    size = x.shape[at]
    factors = [f for f in (1, 2, 3, 4, 8, 16, 32) if size % f == 0]
    factor = b.rng.choice(factors)
    pair = [factor, size // factor] if b.chance(0.5) else [size // factor, factor]
    if size == 0:
        pair = [0, factor] if pair[0] == 0 else [factor, 0]
    shape = [*x.shape[:at], *pair, *x.shape[at + 1 :]]
    # An open size has an open part; a known one has none.
    opens = [x.dynamic[at] and (n != factor or b.chance(0.5)) for n in pair]
    if x.dynamic[at] and not any(opens):
        opens[0] = True
    dynamic = [*x.dynamic[:at], *opens, *x.dynamic[at + 1 :]]
    groups, number = [], 0
    for dimension in range(x.rank):
        length = 2 if dimension == at else 1
        groups.append(list(range(number, number + length)))
        number += length
    sizes = [b.size(n) if is_open else None for n, is_open in zip(shape, dynamic)]

    def write(r, o, t):
        names = iter(o[1:])
        listed = [str(n) if s is None else next(names) for n, s in zip(shape, sizes)]
        return f"{r} = tensor.expand_shape {o[0]} {groups} output_shape [{', '.join(listed)}] : {x.type} into {t}"

    operands = [x, *(s for s in sizes if s is not None)]
    return b.make("expand", operands, x.element, x.array.reshape(shape), dynamic, write)


def cast(b: Builder):
    """To a type that knows more or fewer sizes."""
    x = b.pick(lambda v: v.rank > 0)
    if x is None:
        return None
    dynamic = [b.chance(0.5) for _ in x.shape]
    return b.make(
        "cast", [x], x.element, x.array, dynamic,
        lambda r, o, t: f"{r} = tensor.cast {o[0]} : {x.type} to {t}",
    )  # fmt: skip


def slice_(b: Builder):
    # Upstream's verifier refuses each offset into a static size of 0.
    x = b.pick(lambda v: v.rank > 0 and all(n or d for n, d in zip(v.shape, v.dynamic)))
    if x is None:
        return None
    offsets, sizes, strides, opens = [], [], [], []
    for length in x.shape:
        stride = b.rng.choice((1, 1, 1, 2, 3))
        offset = b.rng.randint(0, length // 2)
        most = -(-(length - offset) // stride)
        offsets.append(offset)
        sizes.append(b.rng.randint(min(most, 1), most) if b.chance(0.9) else 0)
        strides.append(stride)
        opens.append(tuple(b.chance(0.25) for _ in range(2)))
    given, lists = [], []
    for values, which in ((offsets, 0), (sizes, 1), (strides, None)):
        entries = []
        for value, is_open in zip(values, opens):
            if which is not None and is_open[which]:
                given.append(b.size(value))
                entries.append(None)
            else:
                entries.append(value)
        lists.append(entries)
    where = tuple(slice(o, o + n * s, s) for o, n, s in zip(offsets, sizes, strides))
    array = np.ascontiguousarray(x.array[where])
    assert array.shape == tuple(sizes)

    def write(r, o, t):
        names = iter(o[1:])
        texts = [[next(names) if e is None else str(e) for e in entries] for entries in lists]
        spelled = " ".join(f"[{', '.join(entries)}]" for entries in texts)
        return f"{r} = tensor.extract_slice {o[0]}{spelled} : {x.type} to {t}"

    dynamic = [is_open[1] for is_open in opens]
    return b.make("slice", [x, *given], x.element, array, dynamic, write)


def pad(b: Builder):
    x = b.pick(lambda v: v.rank > 0 and v.array.size < MOST // 8)
    if x is None:
        return None
    low = [b.rng.choice((0, 0, 1, 3)) for _ in x.shape]
    high = [b.rng.choice((0, 0, 1, 2, 5)) for _ in x.shape]
    value = b.parameter(x.element, random_array(b.rng, x.element, ()))
    scalar = value
    if value.is_tensor:
        scalar = b.step(
            "extract", [value], [type(value)(value.element, value.array, None)],
            lambda r, o: f"{r[0]} = tensor.extract {o[0]}[] : {value.type}",
        )[0]  # fmt: skip
    array = np.full([n + a + z for n, a, z in zip(x.shape, low, high)], value.array, x.array.dtype)
    array[tuple(slice(a, a + n) for n, a in zip(x.shape, low))] = x.array
    number = len(b.steps)
    indices = ", ".join(f"%p{number}_{i}: index" for i in range(x.rank))

    def write(r, o, t):
        return (
            f"{r} = tensor.pad {o[0]} low{low} high{high} {{\n^bb0({indices}):\n"
            f"  tensor.yield {o[1]} : {x.element}\n}} : {x.type} to {t}"
        )

    return b.make("pad", [x, scalar], x.element, array, x.dynamic, write)


def _empty(b: Builder, r: str, source: str, x, order: list[int], t: str) -> str:
    """Reads sizes of `x`, and makes an empty tensor of its dimensions in `order`."""
    read = b.sizes_of(x, source, f"{r}_s")
    sizes = ", ".join(f"{r}_s_{d}" for d in order if x.dynamic[d])
    return f"{read}{r}_e = tensor.empty({sizes}) : {t}\n"


def transpose(b: Builder):
    x = b.pick(lambda v: v.rank > 1)
    if x is None:
        return None
    order = list(range(x.rank))
    b.rng.shuffle(order)
    array = np.ascontiguousarray(x.array.transpose(order))

    def write(r, o, t):
        empty = _empty(b, r, o[0], x, order, t)
        return f"{empty}{r} = linalg.transpose ins({o[0]} : {x.type}) outs({r}_e : {t}) permutation = {order}"

    return b.make("transpose", [x], x.element, array, [x.dynamic[d] for d in order], write)


def broadcast(b: Builder):
    x = b.pick(lambda v: v.rank < 4 and v.array.size < 4096)
    if x is None:
        return None
    at, size = b.rng.randint(0, x.rank), b.rng.choice((0, 1, 2, 7, 16))
    array = np.ascontiguousarray(
        np.broadcast_to(np.expand_dims(x.array, at), [*x.shape[:at], size, *x.shape[at:]])
    )
    dynamic = [*x.dynamic[:at], False, *x.dynamic[at:]]

    def write(r, o, t):
        empty = _empty(b, r, o[0], x, list(range(x.rank)), t)
        return f"{empty}{r} = linalg.broadcast ins({o[0]} : {x.type}) outs({r}_e : {t}) dimensions = [{at}]"

    return b.make("broadcast", [x], x.element, array, dynamic, write)


def concat(b: Builder):
    x = b.pick(lambda v: v.rank > 0 and v.array.size < MOST // 8)
    if x is None:
        return None
    at = b.rng.randrange(x.rank)
    shape = list(x.shape)
    shape[at] = b.rng.choice((0, 1, 2, 5, 16))
    other = b.argument(x.element, random_array(b.rng, x.element, tuple(shape)))
    array = np.concatenate([x.array, other.array], at)
    dynamic = list(x.dynamic)
    for d in range(x.rank):
        dynamic[d] = (
            x.dynamic[d] or other.dynamic[d] if d == at else x.dynamic[d] and other.dynamic[d]
        )
    return b.make(
        "concat", [x, other], x.element, array, dynamic,
        lambda r, o, t: f"{r} = tensor.concat dim({at}) {o[0]}, {o[1]} : ({x.type}, {other.type}) -> {t}",
    )  # fmt: skip


STEPS = [
    (collapse, 2), (expand, 2), (cast, 1), (slice_, 2), (pad, 2), (transpose, 2), (broadcast, 1), (concat, 1),
]  # fmt: skip
