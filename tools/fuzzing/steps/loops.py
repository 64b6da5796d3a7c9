# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scf.for and scf.if of an author, around slices, elements and tensors."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..values import Value, type_of
from . import scalars
from .bodies import Body, Number, spell
from .inits import random_numbers
from .scalars import elements, numbers

MOST = 1 << 13


def bounds(b: Builder, length: int) -> tuple[list[Value], range]:
    """Operands, and a range of indices below `length`: none, one or many."""
    kind = b.rng.random()
    first = 0 if kind < 0.6 else b.rng.randint(0, length)
    last = length if b.chance(0.6) else b.rng.randint(0, length)
    step = b.rng.choice((1, 1, 1, 2, 3))
    return [b.size(first), b.size(last), b.size(step)], range(first, last, step)


def _body_of(b: Builder, x: Number, acc: Number | None, index: Number) -> Body:
    body = Body(b)
    body.numbers = [index, *([acc] if acc else []), x]
    for _ in range(b.rng.choice((0, 1, 2, 3))):
        body.draw()
    return body


def rows(b: Builder):
    """A loop that reads slices, and inserts others: `result[i] = f(x[i])`, of the rest as it was."""
    x = b.pick(
        lambda v: v.rank in (1, 2, 3) and v.element in scalars.ELEMENTS and 0 < v.array.size <= MOST
    )
    if x is None:
        return None
    limits, taken = bounds(b, x.shape[0])
    rest, opens = x.shape[1:], x.dynamic[1:]
    element = b.rng.choice((x.element, *scalars.ELEMENTS))
    start = b.given(Value(element, random_numbers(b, element, x.shape), x.dynamic))
    shift = (
        0 if b.chance(0.6) or not taken else b.rng.randint(-taken[0], x.shape[0] - 1 - taken[-1])
    )
    shown = np.asarray(list(taken), np.int64).reshape(-1, *[1] * len(rest))
    read = numbers(x.array[list(taken)], x.element)
    body = _body_of(b, Number(x.element, read, "%$x"), None, Number("index", shown, "%$i"))
    given = body.give(element)
    array = start.array.copy()
    array[[i + shift for i in taken]] = elements(np.broadcast_to(given.array, read.shape), element)
    one = [1, *rest]
    dims = ", ".join(f"d{d}" for d in range(len(one)))
    identity = f"affine_map<({dims}) -> ({dims})>"
    iterators = ", ".join(['"parallel"'] * len(one))

    def write(r, o, t):
        def sizes(name, value):
            lines = b.sizes_of(value, name, f"{r}_{name[1:]}d")
            texts = ["1"]
            for d, (n, is_open) in enumerate(zip(rest, opens), 1):
                texts.append(f"{r}_{name[1:]}d_{d}" if is_open else str(n))
            return lines, texts

        lines, texts = sizes(o[0], x)
        slice_x = type_of(x.element, one, (False, *opens))
        slice_r = type_of(element, one, (False, *opens))
        at, ones = ["0"] * len(rest), ", ".join(["1"] * len(one))
        where = lambda i: f"[{', '.join([i, *at])}] [{', '.join(texts)}] [{ones}]"  # noqa: E731
        region = spell("".join(f"      {line}\n" for line in body.lines), r, o[5:])
        dynamic = ", ".join(text for text, is_open in zip(texts[1:], opens) if is_open)
        yielded = spell(given.name, r, o[5:])
        return (
            f"{lines}{r}_sh = arith.constant {shift} : index\n"
            f"{r} = scf.for {r}_i = {o[2]} to {o[3]} step {o[4]} iter_args({r}_acc = {o[1]}) -> ({t}) {{\n"
            f"  {r}_s = tensor.extract_slice {o[0]}{where(f'{r}_i')} : {x.type} to {slice_x}\n"
            f"  {r}_e = tensor.empty({dynamic}) : {slice_r}\n"
            f"  {r}_g = linalg.generic {{indexing_maps = [{identity}, {identity}], "
            f"iterator_types = [{iterators}]}} "
            f"ins({r}_s : {slice_x}) outs({r}_e : {slice_r}) {{\n"
            f"  ^bb0({r}_x: {x.element}, {r}_old: {element}):\n{region}"
            f"    linalg.yield {yielded} : {element}\n  }} -> {slice_r}\n"
            f"  {r}_to = arith.addi {r}_i, {r}_sh : index\n"
            f"  {r}_n = tensor.insert_slice {r}_g into {r}_acc{where(f'{r}_to')} : {slice_r} into {t}\n"
            f"  scf.yield {r}_n : {t}\n}}"
        )

    return b.make("loop", [x, start, *limits, *body.captured], element, array, x.dynamic, write)


def running(b: Builder):
    """A loop that carries a tensor: `acc = f(acc, x[i])`."""
    x = b.pick(lambda v: v.rank == 2 and v.element in scalars.ELEMENTS and 0 < v.array.size <= MOST)
    if x is None:
        return None
    limits, taken = bounds(b, x.shape[0])
    element, size, is_open = x.element, x.shape[1], x.dynamic[1]
    start = b.given(Value(element, random_numbers(b, element, (size,)), (is_open,)))
    if element in ("f16", "bf16", "f32", "f64"):
        name = b.rng.choice(("addf", "subf", "mulf", "maximumf", "minimumf"))
        join = lambda acc, row: scalars.FLOAT_OPS[name](acc, row).astype(acc.dtype)  # noqa: E731
    else:
        name = b.rng.choice(list(scalars.INTEGER_OPS))
        join = lambda acc, row: scalars.INTEGER_OPS[name](acc, row, element)  # noqa: E731
    held, table = numbers(start.array, element), numbers(x.array, element)
    is_swapped = b.chance(0.3)
    for i in taken:
        held = join(table[i], held) if is_swapped else join(held, table[i])

    def write(r, o, t):
        lines = b.sizes_of(x, o[0], f"{r}_d") if is_open else ""
        length = f"{r}_d_1" if is_open else str(size)
        pair = f"{r}_s, {r}_acc" if is_swapped else f"{r}_acc, {r}_s"
        return (
            f"{lines}{r} = scf.for {r}_i = {o[2]} to {o[3]} step {o[4]} iter_args({r}_acc = {o[1]}) -> ({t}) {{\n"
            f"  {r}_s = tensor.extract_slice {o[0]}[{r}_i, 0] [1, {length}] [1, 1] : {x.type} to {t}\n"
            f"  {r}_n = arith.{name} {pair} : {t}\n"
            f"  scf.yield {r}_n : {t}\n}}"
        )

    array = elements(held, element)
    return b.make("loop", [x, start, *limits], element, array, (is_open,), write)


def elementwise_reads(b: Builder):
    """A loop over elements, some of which do not exist: they are guarded."""
    x = b.pick(lambda v: v.rank == 1 and v.element in scalars.ELEMENTS and v.array.size <= 200)
    if x is None:
        return None
    length, element = len(x.array), x.element
    limits, taken = bounds(b, length + b.rng.choice((0, 1, 5)))
    start = random_numbers(b, element, ())
    initial = b.given(Value(element, start, None))
    other = b.given(Value(element, random_numbers(b, element, ()), None))
    is_float = element in ("f16", "bf16", "f32", "f64")
    name = b.rng.choice(("addf", "maximumf") if is_float else ("addi", "xori", "maxsi"))
    held, table = numbers(start, element), numbers(x.array, element)
    beyond = numbers(other.array, element)
    for i in taken:
        read = table[i] if i < length else beyond
        if is_float:
            held = np.asarray(scalars.FLOAT_OPS[name](held, read)).astype(table.dtype)
        else:
            held = scalars.INTEGER_OPS[name](held, read, element)

    def write(r, o, t):
        return (
            f"{r}_c0 = arith.constant 0 : index\n"
            f"{r}_len = tensor.dim {o[0]}, {r}_c0 : {x.type}\n"
            f"{r}_v = scf.for {r}_i = {o[3]} to {o[4]} step {o[5]} iter_args({r}_acc = {o[1]}) -> ({element}) {{\n"
            f"  {r}_in = arith.cmpi ult, {r}_i, {r}_len : index\n"
            f"  {r}_x = scf.if {r}_in -> ({element}) {{\n"
            f"    {r}_y = tensor.extract {o[0]}[{r}_i] : {x.type}\n"
            f"    scf.yield {r}_y : {element}\n  }} else {{\n    scf.yield {o[2]} : {element}\n  }}\n"
            f"  {r}_n = arith.{name} {r}_acc, {r}_x : {element}\n"
            f"  scf.yield {r}_n : {element}\n}}\n"
            f"{r} = tensor.from_elements {r}_v : {t}"
        )

    operands = [x, initial, other, *limits]
    return b.make("loop", operands, element, elements(held, element), (), write)


def branch(b: Builder):
    """scf.if that yields one of two tensors, one of them perhaps computed there."""
    x = b.pick(lambda v: v.element in scalars.ELEMENTS and v.element != "i1")
    if x is None:
        return None
    y = b.pick(lambda v: v.type == x.type and v.shape == x.shape)
    if y is None or b.chance(0.3):
        y = b.given(Value(x.element, random_numbers(b, x.element, x.shape), x.dynamic))
    condition = b.given(Value("i1", np.asarray(b.chance(0.5)), None))
    names = ("addf", "mulf") if x.is_float else ("addi", "muli", "xori")
    name = b.rng.choice((None, *names))
    # Equal operands, perhaps after a fold: docs/upstream/fold-of-open-tensors.
    if name == "xori" and np.array_equal(x.array, y.array):
        return None
    taken = numbers(x.array, x.element)
    if name and x.is_float:
        taken = scalars.FLOAT_OPS[name](taken, numbers(y.array, x.element)).astype(x.array.dtype)
    elif name:
        taken = scalars.INTEGER_OPS[name](taken, numbers(y.array, x.element), x.element)
    array = elements(taken, x.element) if condition.array else y.array

    def write(r, o, t):
        made, yielded = "", o[0]
        if name:
            made, yielded = f"  {r}_a = arith.{name} {o[0]}, {o[1]} : {t}\n", f"{r}_a"
        return (
            f"{r} = scf.if {o[2]} -> ({t}) {{\n{made}  scf.yield {yielded} : {t}\n"
            f"}} else {{\n  scf.yield {o[1]} : {t}\n}}"
        )

    return b.make("branch", [x, y, condition], x.element, array, x.dynamic, write)


STEPS = [(rows, 2), (running, 1), (elementwise_reads, 1), (branch, 1)]
