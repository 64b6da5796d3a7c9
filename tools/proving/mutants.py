# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes in what passes make: one at a time, textual, each to be refuted by the claim that holds without it.

A mutant is of the output of a pass, not of its source: it measures whether the claims see a wrong lane, a
missing guard, a wrong flag or a bound that is off by one.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mlir import ir

from . import passes, registry
from .decide import PROVEN, REFUTED, UNDECIDED, Decider
from .obligations import UNSUPPORTED, Part, Result
from .passes import PassRun, Stage, Step
from .types import Unsupported

#: Mutants of one function, of different kinds.
_MOST = 4


def _next(match: re.Match) -> str:
    return f"{match[1]}{int(match[2]) + 1}{match[3]}"


def _swapped(match: re.Match) -> str:
    first, second, rest = match[2], match[3], match[4]
    return f"{match[1]}{second}, {first}{rest}"


def _words(*pairs: str) -> tuple[str, Callable[[re.Match], str]]:
    """Each first word of a pair becomes the second."""
    table = dict(pair.split(" to ") for pair in pairs)
    pattern = "|".join(rf"(?<![\w.]){re.escape(word)}(?![\w.])" for word in table)
    return pattern, lambda match: table[match[0]]


#: The mistake, where it fits, and the text in its place.
KINDS: dict[str, tuple[str, Callable[[re.Match], str]]] = {
    "a bound or place one more": (r"(arith\.constant )(\d+)( : index)", _next),
    "a wrong lane": (r"(vector\.shuffle .*\[)(\d+), (\d+)(.*\])", _swapped),
    "a wrong element": (r"(vector\.(?:extract|insert) .*\[)(\d+)(\].*)", _next),
    "a slice one further": (r"(offsets = \[)(\d+)(.*\])", _next),
    "a missing guard": (r"in_bounds = \[false\]", lambda match: "in_bounds = [true]"),
    "a mask one longer": (r"(vector\.constant_mask \[)(\d+)(\])", _next),
    "a flag": (r"(arith\.(?:addi|subi|muli) %[\w#]+, %[\w#]+)( : (?:i\d|vector))", r"\1 overflow<nsw>\2"),
    "an order": _words("slt to sle", "sle to slt", "sgt to sge", "ult to ule", "ule to ult", "olt to ole", "ogt to oge"),
    "a wrong sign": _words(
        "arith.extsi to arith.extui", "arith.extui to arith.extsi", "arith.sitofp to arith.uitofp",
        "arith.uitofp to arith.sitofp", "arith.shrui to arith.shrsi", "arith.shrsi to arith.shrui",
    ),
    "a wrong op": _words(
        "arith.addi to arith.subi", "arith.addf to arith.subf", "arith.andi to arith.ori", "arith.ori to arith.andi",
        "arith.maxsi to arith.minsi", "arith.minsi to arith.maxsi", "arith.mulf to arith.divf", "arith.minimumf to arith.maximumf",
        "math.roundeven to math.round", "math.floor to math.ceil",
    ),
    "a choice the wrong way": (r"(arith\.select %[\w#]+, )(%[\w#]+), (%[\w#]+)( :.*)", _swapped),
    "a lost write": (r"^\s*(?:vector|memref)\.(?:store|transfer_write) [^=]*$\n", lambda match: ""),
    "operands swapped": (r"(arith\.(?:subi|subf|divf|shrui|shli) )(%[\w#]+), (%[\w#]+)(.*)", _swapped),
    "a wrong number": (r"(arith\.constant (?:dense<)?)(\d+)(>? : (?:vector<\d+x)?i\d)", _next),
    "a map one further": (r"(affine_map<.*\+ )(\d+)(.*>)", _next),
    "a wrong intrinsic": _words(
        "llvm.x86.avx512.packssdw.512 to llvm.x86.avx512.packusdw.512", "llvm.x86.avx512.packuswb.512 to llvm.x86.avx512.packsswb.512",
        "llvm.x86.avx512.packsswb.512 to llvm.x86.avx512.packuswb.512",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Mutants:
    """Of the steps of one part of a file that terms alone prove."""

    run: PassRun

    @property
    def group(self) -> str:
        return "mutants"

    @property
    def name(self) -> str:
        return self.run.name

    def parts(self) -> Iterator[Part]:
        for step in self.run.steps():
            if registry.is_ours(step.passed) and _holds(step):
                yield from _mutants(step)


def _holds(step: Step) -> bool:
    try:
        claim, _ = step.claim()
    except Unsupported:
        return False
    # No time for solvers.
    decider = Decider(0)
    decider.start()
    return all(decider(goal).status == PROVEN for goal in claim.goals)


def _mutants(step: Step) -> Iterator[Part]:
    rng = random.Random(step.name)
    kinds = list(KINDS.items())
    rng.shuffle(kinds)
    whole = _without_dead_code(step.after.text)
    start, end = _span(whole, step.runs.function)
    found = 0
    for kind, (pattern, replacement) in kinds:
        places = list(re.finditer(pattern, whole, re.MULTILINE))
        # A map is named before the functions.
        places = [m for m in places if start <= m.start() < end or "map" in kind]
        if not places or found == _MOST:
            continue
        place = rng.choice(places)
        new = place.expand(replacement) if isinstance(replacement, str) else replacement(place)
        text = whole[: place.start()] + new + whole[place.end() :]
        stage = Stage(step.passed, text)
        if stage.error or text == whole:
            continue
        found += 1
        yield Part(step.passed, f"{step.name}: {kind}: {new.strip()[:70]}", _claim(step, stage))


def _without_dead_code(text: str) -> str:
    """Patterns leave ops that nobody reads: mistakes in them are none."""
    module = ir.Module.parse(text)
    _erase_dead(module.operation)
    return str(module)


_PURE = re.compile(r"arith\.|math\.|vector\.(?!.*(?:write|store|scatter|load|read|gather))")


def _erase_dead(op: ir.Operation) -> None:
    for region in op.regions:
        for block in region.blocks:
            for inner in reversed(list(block.operations)):
                inner = inner.operation
                _erase_dead(inner)
                is_unused = all(next(iter(result.uses), None) is None for result in inner.results)
                is_pure = _PURE.match(inner.name) or inner.name == "llvm.call_intrinsic"
                if is_pure and len(inner.results) and is_unused:
                    inner.erase()


def _span(text: str, function: str) -> tuple[int, int]:
    """Where the function stands."""
    start = re.search(rf"func\.func (?:public |private )?@{re.escape(function)}\(", text).start()
    following = re.compile(r"func\.func ").search(text, start + 1)
    return start, following.start() if following else len(text)


def _claim(step: Step, stage: Stage):
    def claim():
        runs, draws = step.runs, list(step.runs.draws)
        try:
            if not runs.can_run(stage):
                raise Unsupported(runs.reason)
            return runs.claim(step.before, stage)
        finally:
            runs.draws = draws

    return claim


def obligations(everything: bool) -> Iterator[Mutants]:
    yield from map(Mutants, passes.obligations(everything))


def report(results: list[Result]) -> int:
    """Which mistakes no claim refutes. Equal means on the sizes that were drawn."""
    counts = Counter(result.status for result in results)
    print(
        f"{len(results)} mistakes: {counts[REFUTED]} refuted, {counts[PROVEN]} equal for all inputs of the drawn sizes, "
        f"{counts[UNDECIDED]} not decided, {counts[UNSUPPORTED]} not modelled"
    )
    for result in results:
        if result.status != REFUTED:
            print(f"{result.status}: {result.name} {result.detail[:100]}")
    return 0
