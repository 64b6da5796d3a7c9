# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Claims: two sides that agree for all inputs, and a second side with no poison of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from . import bits as bv
from . import floats as fl
from . import small_floats
from .rebuilding import substitute
from .terms import Term
from .types import IEEE
from .values import Element


@dataclass(frozen=True)
class Goal:
    """A condition that must hold for no input. `sides` are the terms that it compares."""

    what: str
    fails: Term
    sides: tuple[Term, Term]
    symbols: tuple[Term, ...] = ()


@dataclass
class Claim:
    """Where the first side is defined, the second is, and is the same."""

    #: The condition under which the first side is defined at all.
    defined: Term = field(default_factory=bv.true)
    goals: list[Goal] = field(default_factory=list)
    #: Why the sides may differ, if they may.
    freedom: str = ""

    def equal(self, what: str, first: Element, second: Element, type: str) -> None:
        defined = bv.and_(self.defined, bv.not_(first.poison))
        differs = bv.not_(same_value(first.bits, second.bits, type))
        self._add(what, bv.and_(defined, differs, bv.not_(second.poison)), first.bits, second.bits)
        self._add(f"{what} is poison", bv.and_(defined, second.poison), first.bits, second.poison)

    def defined_behaviour(self, undefined: Term, where: str = "") -> None:
        self._add(
            f"{where}undefined behaviour", bv.and_(self.defined, undefined), self.defined, undefined
        )

    def choose(self, values: Mapping[Term, Term]) -> None:
        """One choice of the first side, of many, for all goals: it allows no less than they prove."""
        if values:
            self.goals = [
                Goal(
                    goal.what,
                    substitute(goal.fails, values),
                    tuple(substitute(side, values) for side in goal.sides),
                )
                for goal in self.goals
            ]

    def _add(self, what: str, fails: Term, first: Term, second: Term) -> None:
        self.goals.append(Goal(what, fails, (first, second)))


def same_value(a: Term, b: Term, type: str) -> Term:
    """Equal bits; or, in a float, two NaNs, whose bits are not specified."""
    if a is b:
        return bv.true()
    if type in IEEE:
        return fl.same(fl.to_float(a, IEEE[type]), fl.to_float(b, IEEE[type]))
    if type in small_floats.ENCODINGS:
        both = bv.and_(*(small_floats.is_nan_code(code, type) for code in (a, b)))
        return bv.or_(bv.eq(a, b), both)
    return bv.eq(a, b)
