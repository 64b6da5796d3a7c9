# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of a linalg.generic, in the order of its loops."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from ..builder import Builder
from . import scalars
from .bodies import Body, Number
from .indexing import Index, Loops


def is_exact(term: np.ndarray, start: np.ndarray, count: int) -> bool:
    """True if no sum of the numbers is rounded."""
    wide = [np.asarray(a).astype(np.float64) * 4 for a in (term, start)]
    if not all(np.all(np.isfinite(a) & (a == np.rint(a))) for a in wide):
        return False
    largest = [abs(a).max(initial=0) for a in wide]
    mantissa = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[term.dtype.name]
    return largest[0] * count + largest[1] < 1 << mantissa


def draw_combiner(b: Builder, body: Body, term: Number, start, count: int, is_sum: bool):
    """Lines that join `%$acc` and the term, the name of the result, and the function."""
    element, t = term.element, term.name
    if term.is_float:
        names = ["addf", "addf", "maximumf", "minimumf", "mulf", "subf"]
        if not (np.any(np.signbit(term.array)) or np.any(np.signbit(start))):
            names += ["maxnumf", "minnumf"]
        name = "addf" if is_sum and b.chance(0.9) else b.rng.choice(names)
        ops = scalars.FLOAT_OPS
        apply = lambda x, y: ops[name](x, y).astype(term.array.dtype)  # noqa: E731
    else:
        name = b.rng.choice(("addi", "addi", *scalars.INTEGER_OPS))
        name = "addi" if is_sum and b.chance(0.9) else name
        apply = lambda x, y: scalars.INTEGER_OPS[name](x, y, element)  # noqa: E731
    first, second = ("%$acc", t) if b.chance(0.7) else (t, "%$acc")
    # Sums that round say their order, where they would follow that of the program.
    is_ordered = (
        name == "addf" and b.sum_order != "sequential" and not is_exact(term.array, start, count)
    )
    order = " {qdq.in_order}" if is_ordered else ""
    op = f"%$new = arith.{name} {first}, {second}{order} : {element}"
    joined = apply if first == "%$acc" else lambda acc, x: apply(x, acc)
    kind = 1.0 if is_sum else b.rng.random()
    if kind < 0.12 and (condition := body.pick(lambda n: n.element == "i1")) is not None:
        text = (
            f"%$got = scf.if {condition.name} -> ({element}) {{\n  {op}\n  scf.yield %$new : {element}\n"
            f"}} else {{\n  scf.yield %$acc : {element}\n}}"
        )
        if b.chance(0.4):
            text = f"{op}\n%$got = arith.select {condition.name}, %$new, %$acc : {element}"
        return text, "%$got", lambda acc, x, c: np.where(c, joined(acc, x), acc), condition
    if kind < 0.2 and not term.is_float:
        scaled = body.constant(element, 3)
        text = f"%$by = arith.muli %$acc, {scaled.name} : {element}\n" + op.replace("%$acc", "%$by")
        function = lambda acc, x, c: joined(scalars.wrap(acc * scaled.array, element), x)  # noqa: E731
        return text, "%$new", function, None
    if kind < 0.26 and not term.is_float:
        text = (
            f"%$is = arith.cmpi slt, %$acc, {t} : {element}\n"
            f"%$got = arith.select %$is, {t}, %$acc : {element}"
        )
        return text, "%$got", lambda acc, x, c: np.maximum(acc, x), None
    return op, "%$new", lambda acc, x, c: joined(acc, x), None


def reduce(
    loops: Loops, indices: list[Index], held: np.ndarray, terms: list, function: Callable,
    order: list[int],
) -> np.ndarray:  # fmt: skip
    """The result after all iterations: one by one along `order`, at once along other loops."""
    result = held.copy()
    if not all(loops.sizes):
        return result
    arrays = [None if a is None else np.broadcast_to(a, loops.sizes) for a in terms]
    for at in itertools.product(*(range(loops.sizes[d]) for d in order)):
        where = [slice(None)] * loops.rank
        for d, i in zip(order, at):
            where[d] = slice(i, i + 1)
        parts = [None if a is None else a[tuple(where)] for a in arrays]
        place = tuple(np.broadcast_to(i.array, loops.sizes)[tuple(where)] for i in indices)
        shape = parts[0].shape
        old = result[place] if place else np.broadcast_to(result, shape)
        new = function(old, *parts)
        if place:
            result[place] = new
        else:
            result = np.asarray(new).reshape(())
    return result
