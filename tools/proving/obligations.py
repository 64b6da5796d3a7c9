# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thing to prove, and what became of it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from . import terms
from .claims import Claim
from .decide import PROVEN, REFUTED, UNDECIDED, Decider, Verdict
from .terms import Term
from .types import Unsupported

#: The pass, or an input of it, is outside of what is modelled.
UNSUPPORTED = "unsupported"


class Obligation(Protocol):
    """Plain data, so that it travels between processes."""

    @property
    def group(self) -> str: ...
    @property
    def name(self) -> str: ...

    def claim(self) -> tuple[Claim, str]:
        """What is to prove, and the MLIR that it is about. Raises Unsupported."""


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


def discharge(obligation: Obligation, decider: Decider) -> Result:
    """Proves all goals of one obligation, or stops at the first that is refuted."""
    terms.forget()
    start = time.process_time()
    result = Result(obligation.group, obligation.name, PROVEN)
    try:
        claim, program = obligation.claim()
        for goal in claim.goals:
            verdict = decider(goal)
            if verdict.status == PROVEN:
                result.by[verdict.by] += 1
                continue
            result.status = verdict.status
            if verdict.status == REFUTED:
                result.detail = _counterexample(goal, verdict, program)
                break
            result.detail += f"{goal.what}: {verdict.reason}\n"
    except Unsupported as reason:
        result.status, result.detail = UNSUPPORTED, str(reason)
    result.seconds = time.process_time() - start
    return result


def _counterexample(goal, verdict: Verdict, program: str) -> str:
    values = verdict.values
    sides = terms.evaluate(list(goal.sides), values)
    lines = [f"{goal.what}: {sides[0]:#x} becomes {sides[1]:#x} for"]
    lines += [f"  {_text(symbol, value)}" for symbol, value in values.items()]
    return "\n".join(lines) + f"\n{program}"


def _text(symbol: Term, value: int) -> str:
    digits = (symbol.sort + 3) // 4
    return f"{symbol.data[0]} = 0x{value:0{digits}X}"


__all__ = ["PROVEN", "REFUTED", "UNDECIDED", "UNSUPPORTED", "Obligation", "Result", "discharge"]
