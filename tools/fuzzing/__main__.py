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
from .routes import Route, draw_routes, run, warm_up
from .shrink import shrink
from .tally import Tally

SECONDS = 120


def trial(program: Program, route: Route, folder: Path) -> str | None:
    return isolated.call(lambda: run(program, route), folder / "log", SECONDS)


def trials(program: Program, routes: list[Route], folder: Path) -> list[str | None]:
    """What each route says, of one process for all. If that ends early, each has its own."""
    said = isolated.call(
        lambda: [isolated.outcome(lambda: run(program, route)) for route in routes],
        folder / "log",
        SECONDS,
    )
    return said if isinstance(said, list) else [trial(program, r, folder) for r in routes]


def drawn_routes(seed: int, count: int | None) -> list[Route]:
    """The plain one, and all others or `count` of them."""
    rng = random.Random(f"routes {seed}")
    plain, *others = draw_routes(rng)
    return [plain, *(others if count is None else rng.sample(others, count))]


def report(seed: int, program: Program, route: Route, said: str, folder: Path, keep: Path) -> None:
    """Prints the smallest part that is wrong, and keeps it with its arrays."""
    kind = _kind(said)

    def is_wrong(part: Program) -> bool:
        return _kind(trial(part, route, folder)) == kind

    small = shrink(program, is_wrong)
    said = trial(small, route, folder) or said
    keep.mkdir(parents=True, exist_ok=True)
    name = keep / f"seed-{seed}-{route.name}"
    name.with_suffix(".mlir").write_text(f"// {route}, sum-order={small.sum_order}\n{small.text()}")
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
    parser.add_argument(
        "--routes", type=int, help="beside the plain one, this many of each program (all)"
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
    programs, calls, steps, wrong = 0, Counter(), Counter(), 0
    with tempfile.TemporaryDirectory() as temporary:
        while programs != options.count and time.monotonic() < end:
            seed = first + programs
            program = generate(seed)
            programs += 1
            if options.print:
                print(f"// seed {seed}\n{program.text()}")
                continue
            steps.update(step.kind for step in program.steps)
            before, wrong_before = calls.total(), wrong
            routes = drawn_routes(seed, options.routes)
            for route, said in zip(routes, trials(program, routes, Path(temporary)), strict=True):
                calls[route.name] += 1
                if said is not None:
                    wrong += 1
                    report(seed, program, route, said, Path(temporary), options.keep)
                    if route.name == "plain":
                        break
            tally.add(1, wrong - wrong_before, runs=calls.total() - before)
    if not options.print:
        listed = ", ".join(f"{name} {count}" for name, count in sorted(steps.items()))
        print(f"{programs} programs, {calls.total()} runs, {wrong} wrong; steps: {listed}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
