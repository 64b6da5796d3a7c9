# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thing to prove, and what became of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from . import terms
from .claims import Claim
from .decide import PROVEN, REFUTED, UNDECIDED, Decider, Verdict
from .terms import Term
from .types import Unsupported

#: The pass, or an input of it, is outside of what is modelled.
UNSUPPORTED = "unsupported"


@dataclass
class Part:
    """One claim of an obligation."""

    group: str
    name: str
    #: The claim to prove, and its MLIR, which may depend on the goal that
    #: fails and the values for which it does, if these alone decide. Raises Unsupported.
    claim: Callable[[], tuple[Claim, str | Callable[[str, dict[str, int] | None], str]]]


class Obligation(Protocol):
    """Plain data, so that it travels between processes."""

    @property
    def group(self) -> str: ...
    @property
    def name(self) -> str: ...

    def parts(self) -> Iterator[Part]:
        """Claims that share their terms."""


@dataclass
class Result:
    group: str
    name: str
    status: str
    #: Goals by what proved them.
    by: Counter = field(default_factory=Counter)
    seconds: float = 0.0
    #: Why it is not proven; of a refutation, the counterexample.
    detail: str = ""
    #: Group and name of the obligation of which this is a part.
    obligation: str = ""


def discharge(obligation: Obligation, decider: Decider) -> list[Result]:
    terms.forget()
    start = time.process_time()
    found = []
    for part in obligation.parts():
        found.append(discharge_part(part, decider))
        found[-1].obligation = f"{obligation.group}: {obligation.name}"
        found[-1].seconds = time.process_time() - start
        start = time.process_time()
    return found


def discharge_part(part: Part, decider: Decider) -> Result:
    """Proves all goals, or stops at the first that is refuted."""
    result = Result(part.group, part.name, PROVEN)
    try:
        claim, program = part.claim()
        decider.start()
        for goal in claim.goals:
            verdict = decider(goal)
            if verdict.status == PROVEN:
                result.by[verdict.by] += 1
                continue
            if verdict.status == REFUTED and claim.freedom:
                raise Unsupported(claim.freedom)
            result.status = verdict.status
            if verdict.status == REFUTED:
                result.detail = _counterexample(goal, verdict, program)
                break
            result.detail += f"{goal.what}: {verdict.reason}\n"
    except Unsupported as reason:
        result.status, result.detail = UNSUPPORTED, str(reason)
    return result


def _counterexample(goal, verdict: Verdict, program: str) -> str:
    values = verdict.values
    sides = terms.evaluate(list(goal.sides), values)
    lines = [f"{goal.what}: {sides[0]:#x} becomes {sides[1]:#x} for"]
    lines += [f"  {_text(symbol, value)}" for symbol, value in values.items()]
    unknown = {term.data[0] for term in terms.below([goal.fails]) if term.op == "apply"}
    if unknown:
        lines.append(f"  and some function in place of {', '.join(sorted(unknown))}")
    if not isinstance(program, str):
        known = {symbol.data[0]: value for symbol, value in values.items()}
        program = program(goal.what, None if unknown else known)
    return "\n".join(lines) + f"\n{program}"


def _text(symbol: Term, value: int) -> str:
    digits = (symbol.sort + 3) // 4
    return f"{symbol.data[0]} = 0x{value:0{digits}X}"


__all__ = ["PROVEN", "REFUTED", "UNDECIDED", "UNSUPPORTED", "Obligation", "Result", "discharge"]
