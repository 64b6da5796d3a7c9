# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linalg.generic: maps, iterators, reductions and bodies that no op of ours has."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..builder import Builder
from ..values import Value
from . import scalars
from .bodies import Body, Number, spell
from .indexing import Index, Loops, sizes_for
from .inits import Init, random_numbers
from .reductions import draw_combiner, reduce
from .scalars import elements, numbers

MOST = 1 << 15
#: Iterations of all reductions.
MOST_TERMS = 1 << 10
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65)


def draw_loops(b: Builder) -> tuple[list[int], Value | None]:
    """Sizes, often those of a value so far."""
    x = b.pick(lambda v: v.element in scalars.ELEMENTS and v.rank and v.array.size <= MOST)
    sizes = list(x.shape) if x is not None and b.chance(0.7) else []
    wanted = b.rng.choice((0, 1, 1, 2, 2, 3, 4, 5))
    while len(sizes) < wanted:
        size = b.rng.choice(SIZES) if b.chance(0.95) else 0
        sizes.insert(b.rng.randint(0, len(sizes)), size)
    while np.prod([max(size, 1) for size in sizes], dtype=np.int64) > MOST:
        largest = sizes.index(max(sizes))
        sizes[largest] = b.rng.choice((1, 2, 3))
    return sizes, x


def draw_inputs(b: Builder, loops: Loops, x: Value | None) -> list[tuple[Value, list[Index]]]:
    inputs = []
    for number in range(b.rng.choice((0, 1, 1, 2, 2, 3))):
        value = x if number == 0 else b.pick(lambda v: v.element in scalars.ELEMENTS)
        fitting = loops.fit(b, value.shape) if value is not None and b.chance(0.6) else None
        if fitting is not None:
            inputs.append((value, fitting))
            continue
        indices, shape = loops.fresh(b)
        if np.prod(shape, dtype=np.int64) > 2 * MOST:
            continue
        element = b.rng.choice(scalars.ELEMENTS)
        if inputs and b.chance(0.4):
            element = inputs[-1][0].element
        inputs.append((b.argument(element, random_numbers(b, element, shape)), indices))
    return inputs


def draw_results(b: Builder, loops: Loops, parallel: list[int]) -> list[list[Index]]:
    """Maps whose indices are the parallel loops, each once; and, seldom, others."""
    results = []
    reductions = [d for d in range(loops.rank) if d not in parallel]
    for _ in range(b.rng.choice((1, 1, 1, 1, 2, 3))):
        indices, kind = loops.permutation(b, parallel), b.rng.random()
        at = b.rng.randint(0, len(indices))
        if kind < 0.06:
            indices.insert(at, loops.number(0))
        elif kind < 0.12 and reductions:
            indices.insert(at, loops.plain(b.rng.choice(reductions)))
        elif kind < 0.2 and len(reductions) > 1 and 0 not in loops.sizes:
            indices.insert(at, loops.sum_of(*b.rng.sample(reductions, 2)))
        results.append(indices)
    return results


def generic(b: Builder):
    sizes, x = draw_loops(b)
    loops = Loops(sizes)
    share = b.rng.choice((1.0, 1.0, 0.6, 0.3))
    parallel = [d for d in range(loops.rank) if b.chance(share)]
    reductions = [d for d in range(loops.rank) if d not in parallel]
    if np.prod([sizes[d] for d in reductions], dtype=np.int64) > MOST_TERMS:
        return None
    inputs = draw_inputs(b, loops, x)
    maps = draw_results(b, loops, parallel)
    known = {i.loop for indices in [*maps, *(m for _, m in inputs)] for i in indices}
    if missing := [d for d in range(loops.rank) if d not in known]:
        indices = loops.permutation(b, missing)
        element = b.rng.choice(("i8", "f32", "i4"))
        array = random_numbers(b, element, sizes_for(b, indices))
        inputs.append((b.argument(element, array), indices))

    def fill(body: Body) -> None:
        # Long chains behind one code are tables.
        is_table = bool(inputs) and inputs[0][0].element in ("i4", "i8") and b.chance(0.25)
        if is_table:
            body.numbers = body.numbers[:1]
        elif loops.rank and (b.chance(0.25) or not inputs):
            d = b.rng.randrange(loops.rank)
            body.make("index", loops.grid[d], f"linalg.index {d} : index")
        wanted = b.rng.randint(4, 10) if is_table else b.rng.choice((0, 1, 1, 2, 3, 5))
        for _ in range(wanted):
            body.draw()

    return assemble(b, loops, reductions, inputs, maps, fill)


def assemble(
    b: Builder, loops: Loops, reductions: list[int], inputs: list[tuple[Value, list[Index]]],
    maps: list[list[Index]], fill: Callable[[Body], None], sum_of: str | None = None,
):  # fmt: skip
    """The step. `fill` draws the body; a sum of that type adds its last number."""
    names = []
    body = Body(b)
    for number, (value, indices) in enumerate(inputs):
        read = numbers(loops.read(value.array, indices), value.element)
        names.append(f"%$i{number}")
        body.numbers.append(Number(value.element, read, names[-1]))
    fill(body)

    values, yields, operands, inits = [], [], [value for value, _ in inputs], []
    for number, indices in enumerate(maps):
        is_sum = bool(reductions)
        element = sum_of or b.rng.choice(scalars.ELEMENTS)
        likely = body.numbers[-1].element if body.numbers else "index"
        if likely != "index" and not sum_of and b.chance(0.6):
            element = likely
        init = Init(b, element, indices, is_read=is_sum or 0 in loops.sizes)
        acc, held = f"%$acc{number}", numbers(init.array, element)
        is_given = init.value is not None or init.scalar is not None
        if not is_sum and not sum_of and is_given and b.chance(0.4):
            body.numbers.append(Number(element, loops.read(held, indices), acc))
            body.draw()
        term = body.numbers[-1] if sum_of else body.give(element)
        if is_sum:
            count = int(np.prod([loops.sizes[d] for d in reductions], dtype=np.int64))
            text, new, function, condition = draw_combiner(b, body, term, held, count, bool(sum_of))
            text = text.replace("%$acc", acc)
            for name in ("new", "got", "by", "is"):
                text = text.replace(f"%${name}", f"%${name}{number}")
            body.lines += text.split("\n")
            yields.append((new + str(number), element))
            arrays = [term.array, None if condition is None else condition.array]
        else:
            yields.append((term.name, element))
            function, arrays = (lambda acc, x, c: x), [term.array, None]
        array = reduce(loops, indices, held, arrays, function, reductions)
        result = Value(element, elements(array, element), init.dynamic)
        values.append(result)
        names.append(acc)
        inits.append((init, len(operands)))
        operands += init.operands
    captured = body.captured

    return b.step("generic", [*operands, *captured], values, write_of(
        loops, inputs, maps, reductions, inits, names, body, values, yields, len(operands)
    ))  # fmt: skip


def write_of(loops, inputs, maps, reductions, inits, names, body, values, yields, first):
    iterators = ", ".join(
        '"reduction"' if d in reductions else '"parallel"' for d in range(loops.rank)
    )
    texts = ", ".join(loops.text(m) for m in [*(m for _, m in inputs), *maps])
    types = [value.type for value, _ in inputs]

    def write(r, o):
        made, outs = "", []
        for number, (init, at) in enumerate(inits):
            part = o[at : at + len(init.operands)]
            lines, name = init.text(f"{r[0]}_t{number}", part, values[number].type)
            made += lines
            outs.append(name)
        ins = ", ".join(o[: len(inputs)])
        given = f" ins({ins} : {', '.join(types)})" if inputs else ""
        result_types = ", ".join(value.type for value in values)
        elements_ = [*(value.element for value, _ in inputs), *(v.element for v in values)]
        block = ", ".join(f"{name}: {element}" for name, element in zip(names, elements_))
        end = f"  linalg.yield {', '.join(y for y, _ in yields)} : {', '.join(e for _, e in yields)}\n"
        region = spell(
            f"^bb0({block}):\n" + "".join(f"  {line}\n" for line in body.lines) + end,
            r[0],
            o[first:],
        )
        end_types = f"({result_types})" if len(values) > 1 else result_types
        return (
            f"{made}{', '.join(r)} = linalg.generic {{indexing_maps = [{texts}], iterator_types = [{iterators}]}}"
            f"{given} outs({', '.join(outs)} : {result_types}) {{\n{region}}} -> {end_types}"
        )

    return write


STEPS = [(generic, 6)]
