# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/fuzz: random valid programs by several routes, each equal in every bit to NumPy's reference."""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from . import isolated
from .generate import generate
from .program import Program
from .routes import Route, draw_routes, functions, run, warm_up
from .shrink import shrink
from .steps import ROOMS
from .tally import Tally

SECONDS = 120
#: Seeds whose programs are compiled as functions of one module, by the same routes.
BATCH = 64


def trial(program: Program, route: Route, folder: Path) -> str | None:
    """What a route says of a program by itself, in a process of its own."""
    said = isolated.call(lambda: run([program], route), folder / "log", SECONDS)
    return said if isinstance(said, str) else said[0]


def trials(programs: list[Program], route: Route, folder: Path) -> list[str | None]:
    """What a route says of each program, of one process for all. What fails is tried by itself."""
    if not programs:
        return []
    said = isolated.call(lambda: run(programs, route), folder / "log", SECONDS)
    if not isinstance(said, str):
        return said
    alone = [trial(program, route, folder) for program in programs]
    return alone if any(alone) else [f"together: {said}", *alone[1:]]


def drawn_routes(seed: int, count: int | None) -> list[Route]:
    """All, the plain one first, or `count` of them. A batch has the same."""
    rng = random.Random(f"routes {seed // BATCH}")
    routes = draw_routes(rng)
    return routes if count is None else rng.sample(routes, count)


def batch(seed: int, count: int | None) -> range:
    """The seeds from `seed` on, at most `count`, that have its routes."""
    end = (seed // BATCH + 1) * BATCH
    return range(seed, end if count is None else min(end, seed + count))


def report(
    seed: int, programs: dict[int, Program], route: Route, said: str, folder: Path, keep: Path
) -> None:
    """Prints the smallest part that is wrong, and keeps it with its arrays."""
    kind, small = _kind(said), programs[seed]

    def is_wrong(part: Program) -> bool:
        return _kind(trial(part, route, folder)) == kind

    if is_wrong(small):
        small = shrink(small, is_wrong)
        said, text = trial(small, route, folder) or said, small.text()
    else:  # wrong beside the others only
        text = "".join(functions(list(programs.values())).values())
    keep.mkdir(parents=True, exist_ok=True)
    name = keep / f"seed-{seed}-{route.name}"
    name.with_suffix(".mlir").write_text(f"// {route}, sum-order={small.sum_order}\n{text}")
    arrays = {f"a{i}": array for i, array in enumerate(small.inputs())}
    arrays |= {f"expected{i}": array for i, array in enumerate(small.expected())}
    np.savez(name.with_suffix(".npz"), **arrays)
    print(f"\nseed {seed}, {route}: {said.strip()}\n{small.text()}kept: {name}.mlir", flush=True)


def _kind(said: str | None) -> str | None:
    """The first words: a name of an exception, of a signal, or `result`."""
    return said and re.split(r"[:0-9]", said, maxsplit=1)[0].strip()


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, help="the first (0); each program has its own")
    parser.add_argument("--count", type=int, help="programs (default: no limit)")
    parser.add_argument("--seconds", type=float, help="when to begin no further program")
    parser.add_argument(
        "--keep", type=Path, default=Path("build/fuzz"), help="folder of what is wrong"
    )
    parser.add_argument("--state", type=Path, help="file of counts, whose seeds this run continues")
    parser.add_argument("--routes", type=int, help="so many of the six, drawn for each batch (all)")
    parser.add_argument(
        "--only", nargs="+", choices=ROOMS, default=[], help="draw these steps alone"
    )
    parser.add_argument("--print", action="store_true", help="print the programs, and run none")
    options = parser.parse_args()
    if options.count is None and options.seconds is None:
        options.count = 100

    os.environ["MLIR_QDQ_CACHE"] = "off"
    if not options.print:
        warm_up()
    end = time.monotonic() + options.seconds if options.seconds is not None else float("inf")
    tally = Tally(options.state, "programs")
    first = tally.next_seed() if options.seed is None else options.seed
    done, calls, steps, wrong = 0, Counter(), Counter(), 0
    with tempfile.TemporaryDirectory() as temporary:
        while done != options.count and time.monotonic() < end:
            seeds = batch(first + done, None if options.count is None else options.count - done)
            drawn = {seed: generate(seed, options.only) for seed in seeds}
            done += len(seeds)
            if options.print:
                print(*(f"// seed {seed}\n{program.text()}" for seed, program in drawn.items()))
                continue
            steps.update(step.kind for program in drawn.values() for step in program.steps)
            before, wrong_before = calls.total(), wrong
            for order in ("sequential", "lanes"):
                programs = {
                    s: program for s, program in drawn.items() if program.sum_order == order
                }
                for route in drawn_routes(seeds[0], options.routes):
                    said = trials(list(programs.values()), route, Path(temporary))
                    calls[route.name] += len(programs)
                    for seed, text in zip(list(programs), said, strict=True):
                        if text is None:
                            continue
                        wrong += 1
                        report(seed, programs, route, text, Path(temporary), options.keep)
                        if route.name == "plain":
                            del programs[seed]
            tally.add(len(seeds), wrong - wrong_before, runs=calls.total() - before)
    if not options.print:
        listed = ", ".join(f"{name} {count}" for name, count in sorted(steps.items()))
        print(f"{done} programs, {calls.total()} runs, {wrong} wrong; steps: {listed}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
