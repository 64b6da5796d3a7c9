# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program for each seed."""

from __future__ import annotations

import random

import numpy as np

from .builder import Builder
from .program import Program
from .steps import ROOMS


def generate(seed: int, only: tuple[str, ...] = ()) -> Program:
    """Of steps from all rooms, or from some."""
    rng = random.Random(f"fuzz {seed}")
    sum_order = random.Random(f"order {seed}").choice(("sequential", "lanes"))
    b = Builder(rng, sum_order)
    steps = [step for room, listed in ROOMS.items() if not only or room in only for step in listed]
    draws, weights = zip(*steps)
    wanted = rng.choice((1, 2, 3, 5, 8))
    made = tries = 0
    while made < wanted and tries < 40:
        tries += 1
        with np.errstate(all="ignore"):
            made += rng.choices(draws, weights)[0](b) is not None
    produced = [
        v for step in b.steps for v in step.results if v.is_tensor and step.kind != "constant"
    ]
    shown = [value for value in produced if rng.random() < 0.2]
    steps = [step for step in b.steps if step.kind not in ("constant", "size")]
    program = Program(b.steps, shown, sum_order)
    # Constants whose step was given up have no user.
    used = {id(value) for step in steps for value in step.operands}
    program.steps = [
        step for step in b.steps if step in steps or any(id(v) in used for v in step.results)
    ]
    return program
