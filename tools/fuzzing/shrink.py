# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small part of a program that is wrong, too: ddmin over steps, whose operands become arguments."""

from __future__ import annotations

from collections.abc import Callable

from .program import Program


def shrink(program: Program, is_wrong: Callable[[Program], bool], most: int = 200) -> Program:
    """`is_wrong` is asked at most `most` times."""
    tries = 0

    def ask(candidate: Program) -> bool:
        nonlocal tries
        tries += 1
        return tries <= most and bool(candidate.steps) and is_wrong(candidate)

    best = program
    if program.shown and ask(candidate := program.part(program.steps, [])):
        best = candidate
    parts = 2
    while len(best.steps) > 1:
        size = -(-len(best.steps) // parts)
        chunks = [best.steps[i : i + size] for i in range(0, len(best.steps), size)]
        without = [[s for s in best.steps if s not in chunk] for chunk in chunks]
        for steps in [*chunks, *without]:
            if len(steps) < len(best.steps) and ask(best.part(steps)):
                best, parts = best.part(steps), 2
                break
        else:
            if size == 1 or tries > most:
                return best
            parts = min(2 * parts, len(best.steps))
    return best
